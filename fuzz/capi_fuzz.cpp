// Bytes as calls of <kith/kith.h>, with good and bad arguments: living and dead entities, those of
// another world, ids that were never issued, descriptors with random members, texts of all kinds,
// iterators in every state. No call may do more than fail, and the world stays sound.
#include <kith/kith.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// Reads numbers from the input; zeros behind its end.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    bool empty() const { return at_ == end_; }
    std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
    std::uint32_t number() {
        std::uint32_t value = byte();
        value |= std::uint32_t{byte()} << 8;
        return value;
    }
    std::uint64_t wide() {
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i) {
            value = value << 8 | byte();
        }
        return value;
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

constexpr const char* texts[] = {
    nullptr,
    "",
    "A",
    "B::C",
    "::Root",
    "A::",
    "::::",
    "Value",
    "(A, *)",
    "Value, !A",
    "$x",
    "A($x), (R, $x)",
    "((",
    "A || B, *",
    "#4096",
    "A(B)\nR(A, B)\n",
    "Prefab(Fab)",
    "R: Exclusive\n",
    "#99999",
    "\xff\xfe",
    "(IsA, A), ?Value(up(ChildOf))",
};

// Failures that must not happen end the run.
void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "%s: %s\n", what, kith_last_message());
        std::abort();
    }
}

struct session {
    explicit session(const std::uint8_t* data, std::size_t size) : in(data, size) {
        entities.push_back(0);
        value = kith_component_of(world, "Value", 16, 8);
        entities.push_back(value);
        for (const char* name : {"A", "B", "R"}) {
            entities.push_back(kith_new_entity(world, name));
        }
        entities.push_back(kith_new_entity(other, "Foreign"));
        entities.push_back(KithWildcard);
        entities.push_back(KithChildOf);
        entities.push_back(KithIsA);
    }
    ~session() {
        for (kith_iter_t& it : iterators) {
            kith_iter_fini(&it);
        }
        do {
            while (kith_is_deferred(world)) {
                kith_defer_end(world);
            }
        } while (kith_defer_resume(world) == KITH_OK);  // a suspended part lies around
        while (kith_pop_with(world, 0) == KITH_OK) {}
        kith_set_scope(world, 0);
        for (kith_monitor_t* monitor : monitors) {
            kith_monitor_fini(monitor);
        }
        require(kith_check(world) == KITH_OK, "check");
        for (kith_query_t* query : queries) {
            kith_query_fini(query);
        }
        require(kith_fini(world) == KITH_OK, "fini");
        require(kith_fini(other) == KITH_OK, "fini");
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    kith_entity_t entity() {
        const std::uint8_t chosen = in.byte();
        if (chosen >= 250) {
            return in.wide();
        }
        return entities[chosen % entities.size()];
    }
    kith_id_t id() {
        const std::uint8_t chosen = in.byte();
        if (chosen % 4 == 0) {
            return kith_pair(entity(), entity());
        }
        const kith_id_t flags = chosen % 64 == 1 ? KITH_OVERRIDE : 0;
        return chosen >= 250 ? in.wide() : flags | entity();
    }
    const char* text() { return texts[in.byte() % std::size(texts)]; }
    kith_entity_t keep(kith_entity_t made) {
        if (made != 0 && entities.size() < 200) {
            entities.push_back(made);
        }
        return made;
    }
    kith_query_t* query() {
        return queries.empty() || in.byte() % 16 == 0 ? nullptr
                                                      : queries[in.byte() % queries.size()];
    }
    kith_iter_t* iterator() {
        return in.byte() % 32 == 0 ? nullptr : &iterators[in.byte() % std::size(iterators)];
    }
    void fill(kith_term_id_t& part) {
        const std::uint8_t chosen = in.byte();
        part.id = chosen & 1 ? entity() : 0;
        part.name = chosen & 2 ? text() : nullptr;
        part.flags = chosen & 4 ? in.number() : 0;
        part.trav = chosen & 8 ? entity() : 0;
        part.max_depth = chosen & 16 ? in.byte() : 0;
    }
    void fill(kith_query_desc_t& desc) {
        const int count = in.byte() % 4;
        for (int i = 0; i < count; ++i) {
            kith_term_t& term = desc.terms[i];
            const std::uint8_t chosen = in.byte();
            term.id = chosen & 1 ? id() : 0;
            if (chosen & 2) {
                fill(term.src);
            }
            if (chosen & 4) {
                fill(term.first);
                fill(term.second);
            }
            term.oper = chosen & 8 ? in.byte() % 9 - 1 : 0;
            term.inout = chosen & 16 ? in.byte() % 7 - 1 : 0;
            term.flags = chosen & 32 ? in.byte() % 32 : 0;
        }
        const std::uint8_t chosen = in.byte();
        desc.expr = chosen & 1 ? text() : nullptr;
        desc.cached = (chosen & 2) != 0;
        desc.instanced = (chosen & 4) != 0;
        desc.group_by_id = chosen & 8 ? id() : 0;
        desc.name = chosen & 16 ? text() : nullptr;
        desc.flags = chosen & 32 ? in.byte() : 0;
        desc.track_rows = (chosen & 64) != 0;
        desc.parent = chosen & 128 ? query() : nullptr;
    }

    void call_entities(std::uint8_t chosen);
    void call_values(std::uint8_t chosen);
    void call_names(std::uint8_t chosen);
    void call_queries(std::uint8_t chosen);
    void call_iterators(std::uint8_t chosen);
    void call_others(std::uint8_t chosen);
    void run();

    input in;
    kith_world_t* world = kith_init();
    kith_world_t* other = kith_init();
    kith_entity_t value = 0;
    std::vector<kith_entity_t> entities;
    std::vector<kith_query_t*> queries;
    std::vector<kith_monitor_t*> monitors;
    kith_iter_t iterators[4] = {};
};

void session::call_entities(std::uint8_t chosen) {
    kith_id_t ids[4];
    switch (chosen % 20) {
        case 0:
            keep(kith_new(world));
            break;
        case 1:
            keep(kith_new_w_id(world, id()));
            break;
        case 2:
            keep(kith_new_entity(world, text()));
            break;
        case 3:
            keep(kith_clone(world, in.byte() % 4 ? 0 : entity(), entity(), in.byte() % 2));
            break;
        case 4:
            kith_delete(world, entity());
            break;
        case 5:
            kith_delete_with(world, id());
            break;
        case 6:
            kith_remove_all(world, id());
            break;
        case 7:
            kith_clear(world, entity());
            break;
        case 8:
            kith_make_alive(world, in.byte() % 2 ? entity() : 5000 + in.byte());
            break;
        case 9:
            kith_enable(world, entity(), in.byte() % 2);
            break;
        case 10:
            kith_add_id(world, entity(), id());
            break;
        case 11:
            kith_remove_id(world, entity(), id());
            break;
        case 12:
            kith_has_id(world, entity(), id());
            kith_owns_id(world, entity(), id());
            break;
        case 13:
            kith_add_pair(world, entity(), entity(), entity());
            break;
        case 14:
            kith_remove_pair(world, entity(), entity(), entity());
            break;
        case 15:
            kith_override_id(world, entity(), id());
            break;
        case 16:
            kith_enable_id(world, entity(), id(), in.byte() % 2);
            break;
        case 17:
            kith_get_ids(world, entity(), ids, 4);
            kith_match_ids(world, entity(), id(), ids, 4);
            break;
        case 18: {
            kith_entity_desc_t desc{};
            desc.id = in.byte() % 4 ? 0 : entity();
            desc.name = text();
            desc.parent = in.byte() % 2 ? 0 : entity();
            desc.add[0] = in.byte() % 2 ? 0 : id();
            desc.add_expr = in.byte() % 4 ? nullptr : text();
            keep(kith_entity_init(world, &desc));
            break;
        }
        case 19: {
            kith_relation_desc_t desc{};
            const std::uint32_t properties = in.number();
            desc.entity = in.byte() % 2 ? 0 : entity();
            desc.exclusive = properties & 1;
            desc.symmetric = properties & 2;
            desc.acyclic = properties & 4;
            desc.traversable = properties & 8;
            desc.transitive = properties & 16;
            desc.tag = properties & 32;
            desc.sparse = properties & 64;
            desc.on_delete_target = properties & 128 ? entity() : 0;
            desc.with = properties & 256 ? entity() : 0;
            desc.one_of = properties & 512 ? entity() : 0;
            keep(kith_relation_init(world, &desc));
            break;
        }
    }
}

void session::call_values(std::uint8_t chosen) {
    double bytes[2] = {1, 2};
    kith_entity_t two[2] = {entity(), entity()};
    switch (chosen % 9) {
        case 0:
            kith_get_id(world, entity(), id());
            break;
        case 1:
            if (void* written = kith_get_mut_id(world, entity(), value)) {
                std::memset(written, 1, sizeof bytes);
            }
            break;
        case 2:
            kith_set_id(world, entity(), in.byte() % 2 ? value : id(), in.byte() % 2 ? 16 : 0,
                        kith_get_typeid(world, value) ? bytes : nullptr);
            break;
        case 3:
            kith_move_id(world, entity(), kith_pair(value, entity()), 16, bytes);
            break;
        case 4:
            kith_modified_id(world, entity(), id());
            break;
        case 5: {
            kith_ref_t ref;
            if (kith_ref_init_id(world, entity(), id(), &ref) == KITH_OK) {
                kith_ref_get_id(&ref);
                kith_delete(world, entity());
                kith_ref_get_id(&ref);
                kith_ref_update(&ref);
            }
            break;
        }
        case 6:
            kith_add_n(world, two, 2, id());
            kith_remove_n(world, two, 2, id());
            break;
        case 7:
            kith_set_n(world, two, 1, value, 16, bytes);
            kith_get_n(world, two, 1, value, 16, bytes);
            break;
        case 8:
            kith_delete_n(world, two, 2);
            break;
    }
}

void session::call_names(std::uint8_t chosen) {
    switch (chosen % 12) {
        case 0:
            kith_set_name(world, entity(), text());
            break;
        case 1:
            kith_set_alias(world, entity(), text());
            break;
        case 2:
            kith_set_symbol(world, entity(), text());
            break;
        case 3:
            kith_lookup(world, text());
            kith_lookup_child(world, entity(), text());
            break;
        case 4:
            kith_free(kith_get_path(world, entity()));
            kith_free(kith_entity_str(world, entity()));
            kith_free(kith_id_str(world, id()));
            break;
        case 5:
            kith_set_scope(world, in.byte() % 2 ? 0 : entity());
            break;
        case 6:
            kith_push_with(world, id());
            break;
        case 7:
            kith_pop_with(world, in.byte() % 4);
            break;
        case 8:
            kith_id_from_str(world, text());
            break;
        case 9:
            kith_get_target(world, entity(), entity(), in.byte() % 3);
            kith_get_depth(world, entity(), entity());
            kith_get_target_for_id(world, entity(), entity(), id());
            break;
        case 10:
            if (kith_traversal_t* walk = kith_traverse(world, entity(), entity())) {
                for (int i = 0; i < 10 && kith_traversal_next(walk, nullptr); ++i) {}
                kith_traversal_fini(walk);
            }
            break;
        case 11: {
            kith_type_info_t info;
            const kith_id_t asked = id();
            kith_id_is_valid(world, asked);
            kith_id_is_tag(world, asked);
            kith_id_in_use(world, asked);
            kith_get_typeid(world, asked);
            kith_get_type_info(world, asked, &info);
            kith_make_pair(world, entity(), entity());
            break;
        }
    }
}

void session::call_queries(std::uint8_t chosen) {
    if (chosen % 3 == 0) {
        kith_query_desc_t desc{};
        fill(desc);
        if (kith_query_t* made = kith_query_init(world, &desc)) {
            queries.push_back(made);
        }
        return;
    }
    kith_query_t* asked = query();
    kith_term_t term;
    kith_query_column_t columns[4];
    switch (chosen % 5) {
        case 0:
            kith_query_count(asked);
            kith_query_first(asked);
            break;
        case 1:
            kith_query_matches(asked, entity());
            kith_free(kith_query_explain_entity(asked, entity()));
            break;
        case 2:
            kith_free(kith_query_str(asked));
            kith_free(kith_query_explain(asked));
            break;
        case 3:
            kith_query_changed(asked);
            kith_query_term(asked, in.byte() % 4, &term);
            kith_query_columns(asked, columns, 4);
            kith_query_var_name(asked, in.byte() % 4);
            break;
        case 4:
            if (asked && in.byte() % 2) {
                kith_query_fini(asked);
                queries.erase(std::find(queries.begin(), queries.end(), asked));
            }
            break;
    }
}

void session::call_iterators(std::uint8_t chosen) {
    kith_iter_t* it = iterator();
    const kith_entity_t targets[2] = {entity(), entity()};
    switch (chosen % 12) {
        case 0:
            kith_iter_fini(it);
            kith_query_iter(in.byte() % 8 ? world : other, query(), it);
            break;
        case 1:
            kith_iter_fini(it);
            kith_each_id(world, id(), it);
            break;
        case 2:
            kith_iter_fini(it);
            kith_sources(world, entity(), entity(), it);
            break;
        case 3:
            kith_iter_fini(it);
            kith_query_bind(query(), targets, in.byte() % 3, it);
            break;
        case 4:
            kith_iter_set_var(it, in.byte() % 4 - 1, entity());
            break;
        case 5:
            kith_iter_page(it, in.byte() % 4 - 1, in.byte() % 4);
            kith_iter_worker(it, in.byte() % 3, in.byte() % 3);
            break;
        case 6:
            kith_iter_fini(it);
            break;
        case 7:
            kith_iter_changed(it);
            kith_iter_skip(it);
            kith_free(it && it->world ? kith_iter_str(it) : nullptr);
            break;
        default:
            if (kith_iter_next(it)) {
                for (int32_t i = 0; i <= it->field_count + 1; ++i) {
                    const auto* values = static_cast<const char*>(kith_field_w_size(it, 16, i));
                    for (int32_t row = 0; values && i > 0 && row < it->count; ++row) {
                        static_cast<void>(
                            *static_cast<const volatile char*>(kith_row_field(it, i, row)));
                    }
                }
                kith_iter_get_var(it, in.byte() % 3);
            }
    }
}

void on_event(kith_iter_t* it) {
    kith_iter_next(it);
    if (it->count > 0) {
        kith_has_id(it->world, it->entities[0], KithPrefab);
        if (it->entities[0] % 3 == 0) {
            kith_add_id(it->world, it->entities[0], KithPrefab);
        }
    }
    if (it->event_id % 5 == 0) {
        kith_fail(KITH_CONSTRAINT, "refused");
    }
}

void session::call_others(std::uint8_t chosen) {
    switch (chosen % 9) {
        case 0:
            kith_defer_begin(world);
            break;
        case 1:
            kith_defer_end(world);
            break;
        case 2:
            (in.byte() % 2 ? kith_defer_suspend : kith_defer_resume)(world);
            break;
        case 3: {
            kith_observer_desc_t desc{};
            fill(desc.query);
            desc.entity = in.byte() % 8 ? 0 : entity();
            desc.events[0] = in.byte() % 2 ? KithOnAdd + in.byte() % 3 : entity();
            desc.yield_existing = in.byte() % 4 == 0;
            desc.callback = on_event;
            keep(kith_observer_init(world, &desc));
            break;
        }
        case 4: {
            kith_event_desc_t desc{};
            const kith_id_t about = id();
            desc.event = entity();
            desc.ids = &about;
            desc.id_count = in.byte() % 3 - 1;
            desc.entity = in.byte() % 4 ? entity() : 0;
            (in.byte() % 2 ? kith_emit : kith_enqueue)(world, &desc);
            break;
        }
        case 5: {
            kith_monitor_desc_t desc{};
            desc.existing = in.byte() % 2;
            desc.callback = on_event;
            if (kith_monitor_t* made = kith_monitor_init(query(), &desc)) {
                monitors.push_back(made);
            }
            break;
        }
        case 6: {
            const char* loaded = text();
            kith_load_text(world, loaded, loaded ? std::strlen(loaded) : 0, nullptr);
            break;
        }
        case 7:
            kith_free(kith_save_text(world, nullptr));
            break;
        case 8:
            kith_shrink(world);
            break;
    }
}

void session::run() {
    for (int calls = 0; !in.empty() && calls < 200; ++calls) {
        const std::uint8_t chapter = in.byte();
        const std::uint8_t chosen = in.byte();
        switch (chapter % 8) {
            case 0:
            case 1:
            case 2:
                call_entities(chosen);
                break;
            case 3:
                call_values(chosen);
                break;
            case 4:
                call_names(chosen);
                break;
            case 5:
                call_queries(chosen);
                break;
            case 6:
                call_iterators(chosen);
                break;
            case 7:
                call_others(chosen);
                break;
        }
        require(kith_check(world) == KITH_OK, "check");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    kith_set_log([](const char*, void*) {}, nullptr);
    session(data, size).run();
    return 0;
}
