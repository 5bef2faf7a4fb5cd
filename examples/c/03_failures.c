/* Failures, callbacks and functions of components in C. */
#include <kith/kith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// [component]
typedef struct Label {
    char* text;
} Label;

static void label_dtor(void* ptr, int32_t count, const kith_type_info_t* info) {
    Label* labels = ptr;
    (void)info;
    for (int32_t i = 0; i < count; i++) {
        free(labels[i].text);
    }
}

static kith_entity_t register_label(kith_world_t* world) {
    return kith_component(world, {.name = "Label",
                                  .size = sizeof(Label),
                                  .alignment = KITH_ALIGNOF(Label),
                                  .hooks = {.dtor = label_dtor}});
}
// [/component]

// [callback]
typedef struct Mass {
    int tons;
} Mass;

static void check_mass(kith_iter_t* it) {
    const Mass* m = kith_field(it, Mass, 1);
    for (int32_t i = 0; i < it->count; i++) {
        if (m[i].tons < 0) {
            kith_fail(KITH_CONSTRAINT, "a mass is negative");
        }
    }
}
// [/callback]

int main(void) {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    KITH_OBSERVER(world, check_mass, KithOnSet, Mass);
    kith_entity_t ship = kith_new_entity(world, "Ship");

    // [status]
    if (kith_set(world, ship, Mass, {-1}) != KITH_OK) {
        printf("%s: %s\n", kith_status_name(kith_last_status()), kith_last_message());
    }
    // [/status]

    // [absence]
    kith_clear_error();
    kith_entity_t port = kith_lookup(world, "Port");
    if (port == 0 && kith_last_status() == KITH_OK) {
        printf("there is no Port\n");
    }
    // [/absence]

    // [move]
    kith_entity_t label = register_label(world);
    Label value = {malloc(8)};
    strcpy(value.text, "Rusty");
    kith_move_id(world, ship, label, sizeof value, &value); /* the world owns the text now */
    // [/move]
    printf("%s\n", ((const Label*)kith_get_id(world, ship, label))->text);

    kith_delete(world, ship);
    if (kith_add(world, ship, Mass)) {
        printf("%s: %s\n", kith_status_name(kith_last_status()), kith_last_message());
    }
    kith_fini(world);
}
