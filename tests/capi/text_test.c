/* Worlds as text. */
#define SUITE "text"
#include "harness.h"

static int mistakes;
static void count_mistakes(const kith_text_error_t* error, void* ctx) {
    CHECK(error->line == 2 && error->column >= 1 && error->message[0] && error->excerpt[0]);
    *(int*)ctx += 1;
}
static bool give_up(void* ctx, size_t done, size_t size) {
    CHECK(done <= size);
    *(int*)ctx += 1;
    return false;
}

/* spec 424 */
TEST(loading, "a world is loaded as a whole or not at all, and saved") {
    kith_world_t *world = kith_init(), *second = kith_init();
    const char* text = "Planet(Earth)\nLikes(Bob, Alice)\n";
    CHECK_OK(kith_load_text(world, text, strlen(text), NULL));
    CHECK(kith_has_id(world, kith_lookup(world, "Earth"), kith_lookup(world, "Planet")));
    size_t length = 0;
    char* saved = kith_save_text(world, &length);
    CHECK(saved && length == strlen(saved));
    CHECK_OK(kith_load_text(second, saved, length, NULL));
    char* again = kith_save_text(second, NULL);
    CHECK_TEXT(again, saved);
    kith_free(saved);
    kith_free(again);

    const char* bad = "Planet(Mars)\nLikes(Bob,,";
    const kith_load_desc_t desc = {.file = "bad.kith"};
    CHECK_STATUS(kith_load_text(world, bad, strlen(bad), &desc), KITH_INVALID_TEXT);
    CHECK(strstr(kith_last_message(), "bad.kith:2"));
    CHECK_ABSENT(kith_lookup(world, "Mars"));
    mistakes = 0;
    CHECK(kith_check_text(bad, strlen(bad), count_mistakes, &mistakes) == mistakes);
    CHECK(mistakes > 0);
    CHECK(kith_check_text(text, strlen(text), NULL, NULL) == 0);
    CHECK_OWNED_TEXT(kith_format_text("Planet( Mars )", 14, &length), "Planet(Mars)\n");
    CHECK_FAILS(kith_format_text("Planet((", 8, NULL), KITH_INVALID_TEXT);
    int asked = 0;
    const kith_load_desc_t stopping = {.progress = give_up, .ctx = &asked};
    static char many[1 << 20]; /* the function is called after some part of a long text */
    size_t used = (size_t)snprintf(many, sizeof many, "Planet(Venus)\n");
    while (used + 32 < sizeof many) {
        used += (size_t)snprintf(many + used, sizeof many - used, "Planet(Venus)\n");
    }
    CHECK_STATUS(kith_load_text(world, many, used, &stopping), KITH_INVALID_OPERATION);
    CHECK(asked == 1);
    CHECK_ABSENT(kith_lookup(world, "Venus"));
    CHECK_STATUS(kith_load_text(world, NULL, 0, NULL), KITH_INVALID_ARGUMENT);
    CHECK(kith_check_text(NULL, 0, NULL, NULL) == -1);
    CHECK_STATUS(kith_load_file(world, "no/such/file.kith", NULL), KITH_INVALID_TEXT);
    CHECK_STATUS(kith_load_file(world, NULL, NULL), KITH_INVALID_ARGUMENT);
    FILE* file = fopen("capi_text_test.kith", "wb");
    CHECK(file && fputs("Planet(Pluto)\n", file) >= 0 && fclose(file) == 0);
    CHECK_OK(kith_load_file(world, "capi_text_test.kith", NULL));
    remove("capi_text_test.kith");
    CHECK(kith_lookup(world, "Pluto") != 0);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
    CHECK_OK(kith_fini(second));
}

static void idle(kith_iter_t* it) {
    (void)it;
}

TEST(systems, "a world that has had a system is written as text and as JSON") {
    kith_world_t *world = kith_init(), *second = kith_init();
    kith_load_text(world, "Likes(Bob, Alice)", 17, NULL);
    kith_delete(world, kith_system_of(world, "idle", idle, KithOnUpdate, NULL));
    CHECK(kith_progress(world, 1));
    size_t length = 0;
    char* text = kith_save_text(world, &length);
    CHECK(text && strstr(text, "Likes") && !strstr(text, "BuiltinPipeline"));
    CHECK_OK(kith_load_text(second, text, length, NULL));
    CHECK(kith_lookup(second, "Alice") != 0 && kith_progress(second, 1));
    kith_free(text);
    char* json = kith_world_to_json(world, NULL);
    CHECK(json && !strstr(json, "BuiltinPipeline"));
    kith_free(json);
    CHECK_OK(kith_fini(world));
    CHECK_OK(kith_fini(second));
}
