/* Status and message, NULL worlds, kith_fail. */
#define SUITE "errors"
#include "harness.h"

#include <stdlib.h>

/* spec 402 */
TEST(last_failure, "a failure sets status and message of the thread, and absence sets nothing") {
    kith_world_t* world = kith_init();
    kith_entity_t e = kith_new(world);
    KITH_COMPONENT(world, Position);
    CHECK(kith_last_status() == KITH_OK);
    CHECK_TEXT(kith_last_message(), "");
    CHECK_ABSENT(kith_get(world, e, Position));
    CHECK_ABSENT(kith_lookup(world, "Nobody"));
    CHECK_OK(kith_delete(world, e));
    CHECK_STATUS(kith_add(world, e, Position), KITH_INVALID_ENTITY);
    CHECK(kith_last_status() == KITH_INVALID_ENTITY);
    CHECK(strlen(kith_last_message()) > 10);
    kith_clear_error();
    CHECK(kith_last_status() == KITH_OK);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(status_names, "every status has a name") {
    CHECK_TEXT(kith_status_name(KITH_OK), "ok");
    CHECK_TEXT(kith_status_name(KITH_INVALID_ENTITY), "invalid_entity");
    CHECK_TEXT(kith_status_name(KITH_INVALID_TEXT), "invalid_text");
    CHECK_TEXT(kith_status_name(KITH_NO_MEMORY), "no_memory");
    CHECK_TEXT(kith_status_name(KITH_CALLBACK), "callback");
    CHECK_TEXT(kith_status_name(KITH_INVALID_ARGUMENT), "invalid_argument");
    CHECK_TEXT(kith_status_name(KITH_INVALID_VALUE), "invalid_value");
    CHECK_TEXT(kith_status_name(KITH_INVALID_FILE), "invalid_file");
    CHECK_TEXT(kith_status_name(KITH_CONFLICT), "conflict");
    CHECK_TEXT(kith_status_name(1000), "unknown");
    CHECK_TEXT(kith_status_name(-1), "unknown");
}

TEST(null_world, "a NULL world is refused by every kind of function") {
    kith_iter_t it;
    Position p = {0, 0};
    CHECK_FAILS(kith_new(NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_new_id(NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_new_entity(NULL, "A"), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_new_entity(NULL, NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_new_w_id(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_lookup(NULL, "A"), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_name(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_id(NULL, 5000, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_mut_id(NULL, 5000, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_has_id(NULL, 5000, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_table(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_alive(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_id_str(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_path(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_query_new(NULL, "A"), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_save_text(NULL, NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_ctx(NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_defer_begin(NULL), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_defer_end(NULL), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_add_id(NULL, 5000, 5000), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_remove_id(NULL, 5000, 5000), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_set_id(NULL, 5000, 5000, sizeof p, &p), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_move_id(NULL, 5000, 5000, sizeof p, &p), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_delete(NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_check(NULL), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_shrink(NULL), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_set_name(NULL, 5000, "A"), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_each_id(NULL, 5000, &it), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_children(NULL, 0, &it), KITH_INVALID_ENTITY);
    CHECK_ABSENT(kith_iter_next(&it));
    CHECK_STATUS(kith_load_text(NULL, "A(B)", 4, NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_count(NULL, NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_ids(NULL, NULL, NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_entities(NULL, NULL), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_get_id(NULL, NULL, 5000, 0), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_has_id(NULL, NULL, 5000), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_search(NULL, NULL, 5000, NULL) != -1, KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_get_depth(NULL, NULL, 5000) != -1, KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_table_str(NULL, NULL), KITH_INVALID_ENTITY);
    CHECK_ABSENT(kith_is_alive(NULL, 5000));
    CHECK_ABSENT(kith_is_deferred(NULL));
    CHECK_OK(kith_fini(NULL));
}

static int told;
static kith_status_t told_status;
static void count_failures(kith_status_t status, const char* message, void* ctx) {
    told++;
    told_status = status;
    CHECK(message[0] != 0);
    *(int*)ctx += 1;
}

TEST(error_action, "the error action is called with every failure") {
    int ctx = 0;
    told = 0;
    kith_set_error_action(count_failures, &ctx);
    kith_new(NULL);
    kith_check(NULL);
    CHECK(told == 2 && ctx == 2 && told_status == KITH_INVALID_ENTITY);
    kith_set_error_action(NULL, NULL);
    kith_new(NULL);
    CHECK(told == 2);
}

static void fail_again(kith_status_t status, const char* message, void* ctx) {
    told++;
    CHECK_STATUS(kith_check(NULL), KITH_INVALID_ENTITY); /* must not call this function again */
    CHECK(kith_last_status() == status);
    CHECK_TEXT(kith_last_message(), message);
    kith_clear_error();
    (void)ctx;
}

TEST(failing_action,
     "a failure inside of the error action leaves the failure that it was called for") {
    told = 0;
    kith_set_error_action(fail_again, NULL);
    CHECK_STATUS(kith_query_iter(NULL, NULL, NULL), KITH_INVALID_ARGUMENT);
    kith_set_error_action(NULL, NULL);
    CHECK(told == 1 && kith_last_status() == KITH_INVALID_ARGUMENT);
    CHECK_TEXT(kith_last_message(), "kith_query_iter: the iterator is NULL");
}

TEST(fail_outside, "kith_fail outside of a callback sets the last failure") {
    CHECK_STATUS(kith_fail(KITH_LOCKED, "busy"), KITH_LOCKED);
    CHECK(kith_last_status() == KITH_LOCKED);
    CHECK_TEXT(kith_last_message(), "busy");
    CHECK_STATUS(kith_fail(KITH_OK, NULL), KITH_CALLBACK);
    CHECK_TEXT(kith_last_message(), "callback");
}

static void refuse(kith_iter_t* it) {
    CHECK(it->count == 1);
    CHECK(kith_fail(KITH_CONSTRAINT, "no ships here") == KITH_CONSTRAINT);
}
static int others;
static void count_calls(kith_iter_t* it) {
    others += it->count;
}

/* spec 420 */
TEST(fail_in_callback, "kith_fail in a callback fails the operation that called it, as callback") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_observer(world, {.query = {.terms = {{Ship}}}, .events = {KithOnAdd}, .callback = refuse});
    kith_observer(world,
                  {.query = {.terms = {{Ship}}}, .events = {KithOnAdd}, .callback = count_calls});
    kith_entity_t e = kith_new(world);
    others = 0;
    CHECK_STATUS(kith_add_id(world, e, Ship), KITH_CALLBACK);
    CHECK_TEXT(kith_last_message(), "no ships here");
    CHECK(others == 1);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

/* spec 404 */
TEST(descriptor_sizes,
     "descriptors of older headers are filled up, newer ones are read or refused") {
    kith_world_t* world = kith_init();
    kith_entity_desc_t short_desc;
    memset(&short_desc, 0xFF, sizeof short_desc);
    memset(&short_desc, 0, offsetof(kith_entity_desc_t, add));
    short_desc.name = "Short";
    kith_entity_t e =
        kith_entity_init_w_size(world, &short_desc, offsetof(kith_entity_desc_t, add));
    CHECK(e != 0);
    CHECK_TEXT(kith_get_name(world, e), "Short");
    struct {
        kith_entity_desc_t desc;
        uint64_t more;
    } longer;
    memset(&longer, 0, sizeof longer);
    longer.desc.name = "Long";
    CHECK(kith_entity_init_w_size(world, &longer.desc, sizeof longer) != 0);
    longer.more = 1;
    longer.desc.name = "Longer";
    CHECK_FAILS(kith_entity_init_w_size(world, &longer.desc, sizeof longer), KITH_INVALID_ARGUMENT);
    CHECK_ABSENT(kith_lookup(world, "Longer"));
    CHECK_FAILS(kith_entity_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_component_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_observer_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_relation_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_bulk_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_enum_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_emit(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

TEST(cut_descriptors, "a descriptor does not end inside of a member") {
    kith_world_t* world = kith_init();
    static kith_type_hooks_t hooks;
    const kith_entity_t e = kith_new(world);
    for (size_t size = 0; size < sizeof hooks; size++) {
        const kith_status_t wanted = size % sizeof(void*) ? KITH_INVALID_ARGUMENT : KITH_OK;
        CHECK_STATUS(kith_set_hooks_w_size(world, e, &hooks, size), wanted);
    }
    CHECK_OK(kith_fini(world));
}

TEST(surplus, "every function with a descriptor refuses a surplus that it does not know") {
    kith_world_t* world = kith_init();
    kith_query_t* query = kith_query_new(world, "Prefab");
    static union {
        uint64_t words[2048];
        kith_entity_desc_t entity;
        kith_bulk_desc_t bulk;
        kith_component_desc_t component;
        kith_type_hooks_t hooks;
        kith_enum_desc_t constants;
        kith_relation_desc_t relation;
        kith_query_desc_t query;
        kith_observer_desc_t observer;
        kith_event_desc_t event;
        kith_monitor_desc_t monitor;
        kith_system_desc_t system;
        kith_pipeline_desc_t pipeline;
        kith_load_desc_t load;
    } desc;
    CHECK(sizeof desc == sizeof desc.words);
    desc.words[2047] = 1;
    const size_t size = sizeof desc;
    const int32_t refused = KITH_INVALID_ARGUMENT;
    CHECK_FAILS(kith_entity_init_w_size(world, &desc.entity, size), refused);
    CHECK_FAILS(kith_bulk_init_w_size(world, &desc.bulk, size), refused);
    CHECK_FAILS(kith_component_init_w_size(world, &desc.component, size), refused);
    CHECK_FAILS(kith_type_register_w_size(&desc.component, size), refused);
    CHECK_STATUS(kith_set_hooks_w_size(world, KithPrefab, &desc.hooks, size), refused);
    CHECK_FAILS(kith_enum_init_w_size(world, &desc.constants, size), refused);
    CHECK_FAILS(kith_relation_init_w_size(world, &desc.relation, size), refused);
    CHECK_FAILS(kith_query_init_w_size(world, &desc.query, size), refused);
    CHECK_FAILS(kith_observer_init_w_size(world, &desc.observer, size), refused);
    CHECK_FAILS(
        kith_entity_observer_init_w_size(world, KithPrefab, KithOnAdd, &desc.observer, size),
        refused);
    CHECK_STATUS(kith_emit_w_size(world, &desc.event, size), refused);
    CHECK_STATUS(kith_enqueue_w_size(world, &desc.event, size), refused);
    CHECK_FAILS(kith_monitor_init_w_size(query, &desc.monitor, size), refused);
    CHECK_FAILS(kith_system_init_w_size(world, &desc.system, size), refused);
    CHECK_FAILS(kith_pipeline_init_w_size(world, &desc.pipeline, size), refused);
    CHECK_STATUS(kith_load_text_w_size(world, "A(B)", 4, &desc.load, size), refused);
    CHECK_STATUS(kith_load_file_w_size(world, "none", &desc.load, size), refused);
    CHECK(strstr(kith_last_message(), "kith_load_file"));
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

static int contexts_freed;
static void count_freed(void* ctx) {
    (void)ctx;
    contexts_freed++;
}

TEST(refused_contexts, "a descriptor that is refused for its surplus frees its contexts") {
    kith_world_t* world = kith_init();
    kith_query_t* query = kith_query_new(world, "Prefab");
    static struct {
        kith_observer_desc_t desc;
        uint64_t more;
    } observer;
    observer.more = 1;
    observer.desc.ctx_free = observer.desc.binding_ctx_free = count_freed;
    observer.desc.query.group_by_ctx_free = count_freed;
    contexts_freed = 0;
    CHECK(!kith_observer_init_w_size(world, &observer.desc, sizeof observer));
    CHECK(contexts_freed == 3);
    static struct {
        kith_component_desc_t desc;
        uint64_t more;
    } component;
    component.more = 1;
    component.desc.hooks.ctx_free = component.desc.hooks.binding_ctx_free = count_freed;
    CHECK(!kith_component_init_w_size(world, &component.desc, sizeof component));
    CHECK(contexts_freed == 5);
    static struct {
        kith_monitor_desc_t desc;
        uint64_t more;
    } monitor;
    monitor.more = 1;
    monitor.desc.ctx_free = count_freed;
    CHECK(!kith_monitor_init_w_size(query, &monitor.desc, sizeof monitor));
    CHECK(contexts_freed == 6);
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

TEST(library, "the library says what it is") {
    CHECK_TEXT(kith_version(), KITH_VERSION);
    CHECK(kith_version_number() == 100);
    CHECK(kith_abi_version() == KITH_ABI_VERSION);
    CHECK((kith_build_flags() & KITH_BUILD_RECOVERABLE) != 0);
    CHECK((kith_build_flags() & KITH_BUILD_TEXT) != 0);
    kith_free(NULL);
}
