/* A library of the core alone has the functions of C: entities, values and queries from terms work,
 * and text is refused with a message. */
#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

typedef struct Position {
    double x, y;
} Position;

static int failures;

static void check(bool holds, const char* what) {
    if (!holds) {
        failures++;
        printf("%s\n    last status %s: %s\n", what, kith_status_name(kith_last_status()),
               kith_last_message());
    }
}
/* The last call has failed because text is missing. */
static void check_refused(kith_status_t status, const char* what) {
    check(kith_last_status() == status && strstr(kith_last_message(), "text") != NULL, what);
    kith_clear_error();
}

int main(void) {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Likes);
    check((kith_build_flags() & KITH_BUILD_TEXT) == 0, "the library says that it has no text");

    const kith_entity_t ship = kith_new_entity(world, "Port::Ship");
    check(kith_set(world, ship, Position, {1, 2}) == KITH_OK, "values are set");
    check(kith_add_pair(world, ship, Likes, ship) == KITH_OK, "pairs are added");
    kith_query_t* query = kith_query(
        world, {.terms = {{kith_id(Position)}, {.first.id = Likes, .second.name = "$x"}}});
    check(query && kith_query_count(query) == 1, "terms make a query");
    kith_query_fini(query);
    kith_clear_error();

    check(!kith_query_new(world, "Position"), "a query as text");
    check_refused(KITH_INVALID_QUERY, "a query as text is refused");
    check(kith_load_text(world, "Likes(a, b)", 11, NULL) != KITH_OK, "a world as text");
    check_refused(KITH_INVALID_TEXT, "a world as text is refused");
    check(!kith_save_text(world, NULL), "the text of a world");
    check_refused(KITH_INVALID_TEXT, "the text of a world is refused");
    check(kith_check_text("Likes(", 6, NULL, NULL) == -1, "the check of a text");
    check_refused(KITH_INVALID_TEXT, "the check of a text is refused");
    check(!kith_format_text("Likes( a )", 10, NULL), "the format of a text");
    check_refused(KITH_INVALID_TEXT, "the format of a text is refused");

    check(kith_check(world) == KITH_OK && kith_fini(world) == KITH_OK, "the world is sound");
    printf("%d failures\n", failures);
    return failures != 0;
}
