/* <kith/ecs.h>: functions and hooks of components by the names of Flecs. */
/* spec 433 */
#define SUITE "ecs_components"
#include <kith/ecs.h>

#include "harness.h"

#include <stdlib.h>

typedef struct EcsLabel {
    char* text;
} EcsLabel;
typedef struct EcsCount {
    int32_t number;
} EcsCount;

static int made, destroyed, copied, moved;

ECS_CTOR(EcsLabel, ptr, {
    ptr->text = NULL;
    made++;
})
ECS_DTOR(EcsLabel, ptr, {
    ecs_os_free(ptr->text);
    destroyed++;
})
ECS_COPY(EcsLabel, dst, src, {
    ecs_os_free(dst->text);
    dst->text = ecs_os_strdup(src->text);
    copied++;
})
ECS_MOVE(EcsLabel, dst, src, {
    ecs_os_free(dst->text);
    dst->text = src->text;
    src->text = NULL;
    moved++;
})

static ecs_entity_t last_added, last_removed;
static int32_t last_set;
ECS_ON_ADD(EcsCount, ptr, {
    last_added = entity;
    ptr->number = 100;
})
ECS_ON_SET(EcsCount, ptr, { last_set = ptr->number; })
ECS_ON_REMOVE(EcsCount, ptr, { last_removed = ecs_is_alive(world, entity) ? entity : 0; })

TEST(functions, "a component gets its functions after it was registered") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, EcsLabel);
    made = destroyed = copied = moved = 0;
    CHECK_OK(ecs_set_hooks(world, EcsLabel,
                           {.ctor = ecs_ctor(EcsLabel),
                            .dtor = ecs_dtor(EcsLabel),
                            .copy = ecs_copy(EcsLabel),
                            .move = ecs_move(EcsLabel)}));
    const ecs_entity_t e = ecs_new_id(world);
    ecs_add(world, e, EcsLabel);
    CHECK(made == 1 && ecs_get(world, e, EcsLabel)->text == NULL);
    char text[] = "Rusty";
    CHECK(ecs_set(world, e, EcsLabel, {text}) == e);
    CHECK(copied == 1 && ecs_get(world, e, EcsLabel)->text != text);
    CHECK_TEXT(ecs_get(world, e, EcsLabel)->text, "Rusty");
    ecs_add_id(world, e, ecs_new_id(world)); /* to another table */
    CHECK(moved >= 1);
    CHECK_TEXT(ecs_get(world, e, EcsLabel)->text, "Rusty");
    const ecs_entity_t twin = ecs_clone(world, 0, e, true);
    CHECK_TEXT(ecs_get(world, twin, EcsLabel)->text, "Rusty");
    CHECK(ecs_get(world, twin, EcsLabel)->text != ecs_get(world, e, EcsLabel)->text);
    CHECK_STATUS(ecs_set_hooks(world, EcsLabel, {.dtor = ecs_dtor(EcsLabel)}), KITH_IN_USE);
    ecs_delete(world, e);
    CHECK(destroyed >= 1);
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);

    /* Another world handles the same type by bytes, until it gets functions. */
    ecs_world_t* second = ecs_init();
    CHECK(ECS_COMPONENT_DEFINE(second, EcsLabel) != 0);
    const int before = destroyed;
    ecs_delete(second, ecs_set(second, 0, EcsLabel, {NULL}));
    CHECK(destroyed == before);
    CHECK_OK(
        ecs_set_hooks(second, EcsLabel, {.ctor = ecs_ctor(EcsLabel), .dtor = ecs_dtor(EcsLabel)}));
    const ecs_entity_t late = ecs_new_id(second);
    ecs_add(second, late, EcsLabel);
    ecs_delete(second, late);
    CHECK(destroyed == before + 1);
    CHECK_OK(kith_check(second));
    CHECK(ecs_fini(second) == 0);
}

TEST(functions_refused, "functions are refused while values exist, wait or are iterated") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, EcsCount);
    const ecs_type_hooks_t hooks = {.dtor = ecs_dtor(EcsLabel)};
    const ecs_entity_t e = ecs_new_id(world);
    ecs_defer_begin(world);
    ecs_set(world, e, EcsCount, {1});
    CHECK_STATUS(ecs_set_hooks_id(world, ecs_id(EcsCount), &hooks), KITH_IN_USE);
    ecs_defer_suspend(world);
    CHECK_STATUS(ecs_set_hooks_id(world, ecs_id(EcsCount), &hooks), KITH_IN_USE);
    ecs_defer_resume(world);
    CHECK(ecs_defer_end(world));
    CHECK_STATUS(ecs_set_hooks_id(world, ecs_id(EcsCount), &hooks), KITH_IN_USE);
    ecs_remove(world, e, EcsCount);
    ECS_TAG(world, Mark);
    ecs_add_id(world, e, Mark);
    ecs_iter_t it = ecs_each_id(world, Mark);
    CHECK(ecs_iter_next(&it));
    CHECK_STATUS(ecs_set_hooks_id(world, ecs_id(EcsCount), &hooks), KITH_IN_USE);
    ecs_iter_fini(&it);
    CHECK_STATUS(ecs_set_hooks_id(world, ecs_id(EcsCount), NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(ecs_set_hooks_id(world, e, &hooks), KITH_TYPE_CONFLICT);
    CHECK_STATUS(ecs_set_hooks_id(world, 99999, &hooks), KITH_INVALID_ENTITY);
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}

static int freed_contexts;
static void free_ctx(void* ctx) {
    (void)ctx;
    freed_contexts++;
}
static const void *seen_ctx, *seen_binding;
static void keep_contexts(ecs_iter_t* it) {
    seen_ctx = it->ctx;
    seen_binding = it->binding_ctx;
}

TEST(hooks, "hooks get the entity and its value, and the contexts are freed once") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, EcsCount);
    CHECK_OK(ecs_set_hooks(world, EcsCount,
                           {.on_add = ecs_on_add(EcsCount),
                            .on_set = ecs_on_set(EcsCount),
                            .on_remove = ecs_on_remove(EcsCount)}));
    const ecs_entity_t e = ecs_new_id(world);
    ecs_add(world, e, EcsCount);
    CHECK(last_added == e && ecs_get(world, e, EcsCount)->number == 100);
    ecs_set(world, e, EcsCount, {7});
    CHECK(last_set == 7);
    ecs_remove(world, e, EcsCount);
    CHECK(last_removed == e);

    int ctx = 0, binding = 0;
    freed_contexts = 0;
    CHECK_OK(ecs_set_hooks(world, EcsCount,
                           {.on_set = keep_contexts,
                            .ctx = &ctx,
                            .ctx_free = free_ctx,
                            .binding_ctx = &binding,
                            .binding_ctx_free = free_ctx}));
    ecs_set(world, e, EcsCount, {8});
    CHECK(seen_ctx == &ctx && seen_binding == &binding && last_set == 7);
    CHECK(freed_contexts == 0);
    CHECK(ecs_fini(world) == 0);
    CHECK(freed_contexts == 2);
}

TEST(described, "a component of the world is described with its entity and its hooks") {
    ecs_world_t* world = ecs_init();
    made = destroyed = 0;
    const ecs_entity_t entity = ecs_entity(world, {.name = "Runtime"});
    const ecs_entity_t component = ecs_component(
        world, {.entity = entity,
                .type = {.size = sizeof(EcsLabel),
                         .alignment = KITH_ALIGNOF(EcsLabel),
                         .hooks = {.ctor = ecs_ctor(EcsLabel), .dtor = ecs_dtor(EcsLabel)}}});
    CHECK(component == entity);
    CHECK(ecs_get_type_info(world, component)->size == sizeof(EcsLabel));
    const ecs_entity_t e = ecs_new_w_id(world, component);
    CHECK(made == 1);
    ecs_delete(world, e);
    CHECK(destroyed == 1);
    const ecs_entity_t unnamed = ecs_component(world, {.type = {.size = 4, .alignment = 4}});
    CHECK(unnamed != 0 && !ecs_get_name(world, unnamed));
    const ecs_entity_t named =
        ecs_component(world, {.type = {.size = 4, .alignment = 4, .name = "Four"}});
    CHECK(named != 0 && ecs_lookup(world, "Four") == named);
    CHECK_FAILS(ecs_component(world, {.type = {.size = 4, .alignment = 3}}), KITH_INVALID_TYPE);
    CHECK_FAILS(ecs_component_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}
