// Random programs on two worlds: one through the classes of C++, one through <kith/kith.h>.
// Results, statuses, messages and events of each step are equal, and so are the worlds. A program
// on which they differ is shortened and printed with its seed; KITH_SEED and KITH_SEEDS choose
// other seeds.
#include <kith/interop.hpp>
#include <kith/kith.hpp>

#include "support/random_programs.hpp"
#include "support/sanitized.hpp"
#include "support/world_dump.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

// Types of C: the same names, sizes and alignments in C++.
struct CapiPlace {
    std::int64_t x, y;
};
struct CapiWeight {
    std::int32_t tons;
};

namespace {

using kith::entity_t;
using kith::id_t;
using kith_test::text_of;

enum op_kind : std::uint8_t {
    op_new,
    op_new_named,
    op_new_with_pair,
    op_bulk,
    op_clone,
    op_delete,
    op_clear,
    op_make_alive,
    op_add,
    op_add_pair,
    op_remove,
    op_remove_pair,
    op_property,
    op_override,
    op_set,
    op_set_pair,
    op_emplace,
    op_write,
    op_enable,
    op_enable_id,
    op_delete_with,
    op_remove_all,
    op_set_name,
    op_set_scope,
    op_defer_begin,
    op_defer_end,
    op_defer_suspend,
    op_defer_resume,
    op_get,
    op_get_pair,
    op_has,
    op_has_pair,
    op_owns,
    op_alive,
    op_names,
    op_lookup,
    op_target,
    op_target_for,
    op_depth,
    op_count,
    op_query,
    op_kinds
};
constexpr const char* op_names_of[op_kinds] = {
    "new",         "new_named",  "new_with_pair", "bulk",         "clone",    "delete",
    "clear",       "make_alive", "add",           "add_pair",     "remove",   "remove_pair",
    "property",    "override",   "set",           "set_pair",     "emplace",  "write",
    "enable",      "enable_id",  "delete_with",   "remove_all",   "set_name", "set_scope",
    "defer_begin", "defer_end",  "defer_suspend", "defer_resume", "get",      "get_pair",
    "has",         "has_pair",   "owns",          "alive",        "names",    "lookup",
    "target",      "target_for", "depth",         "count",        "query"};

// A step; its numbers choose operands among what there is when it runs.
struct step {
    op_kind kind;
    std::uint8_t a, b, c;
};

std::string name_for(std::uint8_t number) {
    static const char* const names[] = {"Sun", "Earth", "Moon", "Sun::Earth", "Earth::Moon", ""};
    return names[number % std::size(names)];
}
const char* text_for(std::uint8_t number) {
    static const char* const texts[] = {"CapiPlace",
                                        "CapiPlace, !Tag",
                                        "(Likes, *)",
                                        "(Likes, $x), CapiPlace($x)",
                                        "CapiWeight, ?CapiPlace",
                                        "Tag || CapiWeight",
                                        "(CapiWeight, *), Tag(up ChildOf)",
                                        "CapiPlace,, Nothing"};
    return texts[number % std::size(texts)];
}
id_t property_for(std::uint8_t number) {
    constexpr id_t properties[] = {
        kith::Exclusive, kith::Transitive, kith::Symmetric, kith::Acyclic,     kith::Reflexive,
        kith::Tag,       kith::Sparse,     kith::Final,     kith::Traversable, kith::DontInherit};
    return properties[number % std::size(properties)];
}

struct difference : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A message without the name of the call, which differs by language: "kith_add_id: ...", "add:
// ...".
std::string without_call(const std::string& message) {
    const std::size_t end = message.find(": ");
    const bool is_call =
        end != std::string::npos && message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == end;
    return is_call ? message.substr(end + 2) : message;
}

// What a call through C++ leads to: its result, or the status and message that C has for its error.
template <class Call>
std::string outcome_in_cpp(Call&& call) {
    try {
        return call();
    } catch (const kith::error& error) {
        return text_of("status ", static_cast<int>(error.code()) + 1, without_call(error.what()));
    }
}
template <class Call>
std::string outcome_in_c(Call&& call) {
    kith_clear_error();
    const std::string result = call();
    return kith_last_status() == KITH_OK
               ? result
               : text_of("status ", kith_last_status(), without_call(kith_last_message()));
}

// A text of the library, freed.
std::string taken(char* text) {
    const std::string copy = text ? text : "";
    kith_free(text);
    return copy;
}

class two_worlds {
public:
    two_worlds() : c_(kith_init()) {
        for (const char* name : {"Tag", "Likes", "Owns"}) {
            named_.push_back(cpp_.entity(name));
            expect_equal("setup", text_of(named_.back()), text_of(kith_new_entity(c_, name)));
        }
        place_ = cpp_.component<CapiPlace>();
        weight_ = cpp_.component<CapiWeight>();
        expect_equal("type", text_of(place_), text_of(register_type<CapiPlace>("CapiPlace")));
        expect_equal("type", text_of(weight_), text_of(register_type<CapiWeight>("CapiWeight")));
        observe();
        printers_.add<CapiPlace>([](const CapiPlace& p) { return text_of(p.x, p.y); });
        printers_.add<CapiWeight>([](const CapiWeight& w) { return text_of(w.tons); });
    }
    two_worlds(const two_worlds&) = delete;
    two_worlds& operator=(const two_worlds&) = delete;
    ~two_worlds() { kith_fini(c_); }

    void run(const step& one) {
        events_in_cpp_.clear();
        events_in_c_.clear();
        if (one.kind < op_set) {
            change_ids(one);
        } else if (one.kind < op_get) {
            change_values(one);
        } else {
            read(one);
        }
        expect_equal("events", events_in_cpp_, events_in_c_);
    }

    // Ends deferred parts, and compares the worlds as wholes.
    void finish() {
        // Ends that are not needed are refused in both languages.
        for (int i = 0; i < 40; ++i) {
            run({op_defer_resume, 0, 0, 0});
            run({op_defer_end, 0, 0, 0});
        }
        compare();
    }
    void compare() {
        if (!kith_is_deferred(c_)) {
            expect_equal("the worlds", kith_test::dump_world(cpp_, printers_),
                         kith_test::dump_world(kith::world(c_), printers_));
            expect_equal("check", "0", text_of(kith_check(c_)));
        }
    }

private:
    template <class T>
    entity_t register_type(const char* name) {
        return kith_component_of(c_, name, sizeof(T), alignof(T));
    }
    static void log_event(kith_iter_t* it) {
        std::string& log = *static_cast<std::string*>(it->ctx);
        for (std::int32_t i = 0; i < it->count; ++i) {
            log += text_of(it->event, it->event_id, it->entities[i]) + "; ";
        }
    }
    void observe() {
        auto log = [this](kith::iter& it) {
            for (std::size_t i = 0; i < it.count(); ++i) {
                events_in_cpp_ +=
                    text_of(it.event().id(), it.event_id().raw_id(), entity_t{it.entity(i)}) + "; ";
            }
        };
        const entity_t made = cpp_.observer()
                                  .with(place_)
                                  .event(kith::OnAdd)
                                  .event(kith::OnSet)
                                  .event(kith::OnRemove)
                                  .iter(log);
        kith_observer_desc_t desc{};
        desc.query.terms[0].id = place_;
        desc.query.terms[0].flags = KITH_TERM_WITH;
        desc.events[0] = KithOnAdd;
        desc.events[1] = KithOnSet;
        desc.events[2] = KithOnRemove;
        desc.callback = log_event;
        desc.ctx = &events_in_c_;
        expect_equal("observer", text_of(made), text_of(kith_observer_init(c_, &desc)));
    }

    void expect_equal(const std::string& what, const std::string& in_cpp, const std::string& in_c) {
        if (in_cpp != in_c) {
            throw difference(what + "\n  C++: " + in_cpp + "\n  C:   " + in_c);
        }
    }
    template <class Cpp, class C>
    std::string same(const step& one, Cpp&& in_cpp, C&& in_c) {
        const std::string first = outcome_in_cpp(in_cpp);
        expect_equal(op_names_of[one.kind], first, outcome_in_c(in_c));
        return first;
    }
    template <class Cpp, class C>
    void same_status(const step& one, Cpp&& in_cpp, C&& in_c) {
        same(
            one,
            [&] {
                in_cpp();
                return std::string();
            },
            [&] {
                in_c();
                return std::string();
            });
    }
    template <class Cpp, class C>
    void same_entity(const step& one, Cpp&& in_cpp, C&& in_c) {
        entity_t made = 0;
        same(
            one, [&] { return text_of(entity_t{made = in_cpp()}); },
            [&] { return text_of(entity_t{in_c()}); });
        if (made != 0 && std::find(pool_.begin(), pool_.end(), made) == pool_.end()) {
            pool_.push_back(made);
        }
    }

    // Operands. Dead, foreign and null entities are among them.
    entity_t entity_for(std::uint8_t number) const {
        if (number % 64 == 63 || pool_.empty()) {
            return number % 128 == 63 ? 0 : 77777;
        }
        return pool_[pool_.size() - 1 - number % std::min<std::size_t>(pool_.size(), 24)];
    }
    entity_t element_for(std::uint8_t number) const {
        switch (number % 8) {
            case 0:
            case 1:
            case 2:
                return named_[number % 8];
            case 3:
                return weight_;
            case 4:
                return number & 0x80 ? kith::ChildOf : kith::IsA;
            default:
                return entity_for(number / 8);
        }
    }
    id_t id_for(std::uint8_t number) const {
        return number % 4 == 0 ? place_ : number % 4 == 1 ? weight_ : element_for(number / 4);
    }
    kith::entity handle(entity_t id) { return kith::entity(cpp_, id); }

    void change_ids(const step& s);
    void change_values(const step& s);
    void read(const step& s);
    void read_graph(const step& s);
    std::string found_in_cpp(const char* text);
    std::string found_in_c(const char* text);

    std::string events_in_cpp_, events_in_c_;  // of a step; the end of a world has events, too
    kith::world cpp_;
    kith_world_t* c_;
    std::vector<entity_t> named_, pool_;
    entity_t place_ = 0, weight_ = 0;
    kith_test::value_printers printers_;
};

void two_worlds::change_ids(const step& s) {
    const entity_t e = entity_for(s.a);
    const entity_t first = element_for(s.b), second = element_for(s.c);
    const id_t id = id_for(s.b);
    const std::string name = name_for(s.b);
    switch (s.kind) {
        case op_new:
            return same_entity(
                s, [&] { return cpp_.entity(); }, [&] { return kith_new(c_); });
        case op_new_named:
            return same_entity(
                s, [&] { return cpp_.entity(name.c_str()); },
                [&] { return kith_new_entity(c_, name.c_str()); });
        case op_new_with_pair:
            return same_entity(
                s, [&] { return *cpp_.bulk(1, &id, 1, nullptr).begin(); },
                [&] { return kith_new_w_id(c_, id); });
        case op_bulk: {
            kith_bulk_desc_t desc{};
            desc.count = s.a % 4;
            desc.ids[0] = place_;
            desc.ids[1] = weight_;
            const id_t ids[] = {place_, weight_};
            same_status(
                s, [&] { cpp_.bulk(s.a % 4, ids, 2, nullptr); },
                [&] { kith_bulk_init(c_, &desc); });
            return;
        }
        case op_clone:
            return same_entity(
                s, [&] { return handle(e).clone(s.b % 2 == 0); },
                [&] { return kith_clone(c_, 0, e, s.b % 2 == 0); });
        case op_delete:
            return same_status(
                s, [&] { handle(e).destruct(); }, [&] { kith_delete(c_, e); });
        case op_clear:
            return same_status(
                s, [&] { handle(e).clear(); }, [&] { kith_clear(c_, e); });
        case op_make_alive:
            return same_status(
                s, [&] { cpp_.make_alive(e); }, [&] { kith_make_alive(c_, e); });
        case op_add:
            return same_status(
                s, [&] { handle(e).add(id); }, [&] { kith_add_id(c_, e, id); });
        case op_add_pair:
            return same_status(
                s, [&] { handle(e).add(first, second); },
                [&] { kith_add_pair(c_, e, first, second); });
        case op_remove:
            return same_status(
                s, [&] { handle(e).remove(id); }, [&] { kith_remove_id(c_, e, id); });
        case op_remove_pair: {
            const entity_t target = s.c % 5 == 0 ? kith::Wildcard : second;
            return same_status(
                s, [&] { handle(e).remove(first, target); },
                [&] { kith_remove_pair(c_, e, first, target); });
        }
        case op_property:
            return same_status(
                s, [&] { handle(first).add(property_for(s.c)); },
                [&] { kith_add_id(c_, first, property_for(s.c)); });
        default:
            return same_status(
                s, [&] { handle(e).override(id); }, [&] { kith_override_id(c_, e, id); });
    }
}

void make_weight(void* value, void* ctx) {
    static_cast<CapiWeight*>(value)->tons = *static_cast<const std::int32_t*>(ctx);
}

void two_worlds::change_values(const step& s) {
    const entity_t e = entity_for(s.a), target = element_for(s.b);
    const CapiPlace place{s.b, s.c};
    const CapiWeight weight{s.c};
    const id_t id = id_for(s.b);
    const std::string name = name_for(s.b);
    switch (s.kind) {
        case op_set:
            return same_status(
                s, [&] { handle(e).set(place); },
                [&] { kith_set_id(c_, e, place_, sizeof place, &place); });
        case op_set_pair:
            // Where several operands are wrong, which of them is named may differ.
            if (!cpp_.is_alive(e)) {
                return;
            }
            return same_status(
                s, [&] { handle(e).set<CapiWeight>(target, weight); },
                [&] {
                    if (const id_t pair = kith_make_pair(c_, weight_, target)) {
                        kith_set_id(c_, e, pair, sizeof weight, &weight);
                    }
                });
        case op_emplace: {
            std::int32_t tons = s.c;
            return same_status(
                s, [&] { handle(e).emplace<CapiWeight>(CapiWeight{tons}); },
                [&] { kith_emplace_id(c_, e, weight_, make_weight, &tons); });
        }
        case op_write:
            return same_status(
                s,
                [&] {
                    handle(e).get_mut<CapiPlace>()->x = s.c;
                    handle(e).modified<CapiPlace>();
                },
                [&] {
                    if (void* value = kith_get_mut_id(c_, e, place_)) {
                        static_cast<CapiPlace*>(value)->x = s.c;
                        kith_modified_id(c_, e, place_);
                    }
                });
        case op_enable:
            return same_status(
                s, [&] { s.b % 2 ? handle(e).enable() : handle(e).disable(); },
                [&] { kith_enable(c_, e, s.b % 2 != 0); });
        case op_enable_id:
            return same_status(
                s, [&] { s.c % 2 ? handle(e).enable(id) : handle(e).disable(id); },
                [&] { kith_enable_id(c_, e, id, s.c % 2 != 0); });
        case op_delete_with:
            return same_status(
                s, [&] { cpp_.delete_with(id); }, [&] { kith_delete_with(c_, id); });
        case op_remove_all:
            return same_status(
                s, [&] { cpp_.remove_all(id); }, [&] { kith_remove_all(c_, id); });
        case op_set_name:
            return same_status(
                s, [&] { handle(e).set_name(name.c_str()); },
                [&] { kith_set_name(c_, e, name.c_str()); });
        case op_set_scope: {
            const entity_t scope = s.b % 3 ? 0 : e;
            same(
                s, [&] { return text_of(cpp_.set_scope(scope).id()); },
                [&] { return text_of(kith_set_scope(c_, scope)); });
            return;
        }
        case op_defer_begin:
            same(
                s, [&] { return text_of(cpp_.defer_begin()); },
                [&] { return text_of(kith_defer_begin(c_)); });
            return;
        case op_defer_end:
            return same_status(
                s, [&] { cpp_.defer_end(); }, [&] { kith_defer_end(c_); });
        case op_defer_suspend:
            return same_status(
                s, [&] { cpp_.defer_suspend(); }, [&] { kith_defer_suspend(c_); });
        default:
            return same_status(
                s, [&] { cpp_.defer_resume(); }, [&] { kith_defer_resume(c_); });
    }
}

std::string weight_text(const void* value) {
    return value ? text_of(static_cast<const CapiWeight*>(value)->tons) : "none";
}
std::string place_text(const void* value) {
    const auto* place = static_cast<const CapiPlace*>(value);
    return place ? text_of(place->x, place->y) : "none";
}

void two_worlds::read(const step& s) {
    const entity_t e = entity_for(s.a);
    const entity_t first = element_for(s.b), second = element_for(s.c);
    const id_t id = id_for(s.b);
    switch (s.kind) {
        case op_get:
            same(
                s, [&] { return place_text(handle(e).get<CapiPlace>()); },
                [&] { return place_text(kith_get_id(c_, e, place_)); });
            return;
        case op_get_pair:
            same(
                s, [&] { return weight_text(handle(e).get<CapiWeight>(second)); },
                [&] { return weight_text(kith_get_pair(c_, e, weight_, second)); });
            return;
        case op_has:
            same(
                s, [&] { return text_of(handle(e).has(id)); },
                [&] { return text_of(kith_has_id(c_, e, id)); });
            return;
        case op_has_pair:
            same(
                s, [&] { return text_of(handle(e).has(first, second)); },
                [&] { return text_of(kith_has_pair(c_, e, first, second)); });
            return;
        case op_owns:
            same(
                s, [&] { return text_of(handle(e).owns(first, second)); },
                [&] { return text_of(kith_owns_pair(c_, e, first, second)); });
            return;
        case op_alive:
            same(
                s, [&] { return text_of(cpp_.is_alive(e), cpp_.exists(e)); },
                [&] { return text_of(kith_is_alive(c_, e), kith_exists(c_, e)); });
            return;
        case op_names:
            // C refuses dead entities here, C++ returns an empty text.
            if (!cpp_.is_alive(e)) {
                return;
            }
            same(
                s, [&] { return std::string(handle(e).path().c_str()); },
                [&] { return taken(kith_get_path(c_, e)); });
            return;
        default:
            return read_graph(s);
    }
}

void two_worlds::read_graph(const step& s) {
    const entity_t e = entity_for(s.a), relation = element_for(s.b);
    switch (s.kind) {
        case op_lookup: {
            const std::string name = name_for(s.b % 5);
            same(
                s, [&] { return text_of(cpp_.lookup(name.c_str()).id()); },
                [&] { return text_of(kith_lookup(c_, name.c_str())); });
            return;
        }
        case op_target:
            same(
                s, [&] { return text_of(handle(e).target(relation, s.c % 3).id()); },
                [&] { return text_of(kith_get_target(c_, e, relation, s.c % 3)); });
            return;
        case op_target_for:
            same(
                s, [&] { return text_of(handle(e).target_for(relation, place_).id()); },
                [&] { return text_of(kith_get_target_for_id(c_, e, relation, place_)); });
            return;
        case op_depth:
            same(
                s, [&] { return text_of(handle(e).depth(relation)); },
                [&] { return text_of(kith_get_depth(c_, e, relation)); });
            return;
        case op_count:
            same(
                s, [&] { return text_of(cpp_.count(id_for(s.b))); },
                [&] { return text_of(kith_count_id(c_, id_for(s.b))); });
            return;
        default:
            same(
                s, [&] { return found_in_cpp(text_for(s.b)); },
                [&] { return found_in_c(text_for(s.b)); });
            return;
    }
}

// The results of a query, field by field.
std::string two_worlds::found_in_cpp(const char* text) {
    std::string found;
    const kith::filter<> query = cpp_.query_builder().expr(text).build();
    auto run = query.iter();
    while (run.next()) {
        found += text_of(run->count());
        for (std::size_t i = 0; i < run->count(); ++i) {
            found += ' ' + text_of(entity_t{run->entity(i)});
        }
        for (std::int32_t field = 1; field <= run->field_count(); ++field) {
            found += text_of(" ", run->id(field).raw_id(), entity_t{run->src(field)},
                             run->is_set(field));
        }
        found += '\n';
    }
    return found;
}
std::string two_worlds::found_in_c(const char* text) {
    std::string found;
    kith_query_t* query = kith_query_new(c_, text);
    kith_iter_t it;
    if (query) {
        kith_query_iter(c_, query, &it);
        while (kith_iter_next(&it)) {
            found += text_of(it.count);
            for (std::int32_t i = 0; i < it.count; ++i) {
                found += ' ' + text_of(it.entities[i]);
            }
            for (std::int32_t field = 1; field <= it.field_count; ++field) {
                found += text_of(" ", kith_field_id(&it, field), kith_field_src(&it, field),
                                 kith_field_is_set(&it, field));
            }
            found += '\n';
        }
    }
    kith_query_fini(query);
    return found;
}

// What differs when a program runs, empty if nothing does.
std::string find_difference(const std::vector<step>& program) {
    try {
        two_worlds worlds;
        for (std::size_t i = 0; i < program.size(); ++i) {
            worlds.run(program[i]);
            if (i % 16 == 0) {
                worlds.compare();
            }
        }
        worlds.finish();
        return {};
    } catch (const difference& found) {
        return found.what();
    }
}

std::vector<step> random_program(std::uint64_t seed, std::size_t length) {
    std::mt19937_64 random(seed);
    std::vector<step> program(length);
    auto byte = [&] { return static_cast<std::uint8_t>(random()); };
    for (step& one : program) {
        // Entities are made as often as the other changes need them; deferred parts end soon.
        const std::uint64_t kind = random() % (op_kinds + 8);
        one.kind = kind < op_kinds       ? static_cast<op_kind>(kind)
                   : kind < op_kinds + 4 ? op_new
                   : kind < op_kinds + 6 ? op_defer_end
                                         : op_set;
        one.a = byte();
        one.b = byte();
        one.c = byte();
    }
    return program;
}

// Drops steps as long as the rest still differs.
std::vector<step> shorten(std::vector<step> program) {
    for (std::size_t size = program.size() / 2; size > 0; size /= 2) {
        for (std::size_t at = 0; at + size <= program.size();) {
            std::vector<step> rest = program;
            const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(at);
            rest.erase(begin, begin + static_cast<std::ptrdiff_t>(size));
            if (find_difference(rest).empty()) {
                at += size;
            } else {
                program = rest;
            }
        }
    }
    return program;
}

std::string report(std::uint64_t seed, const std::vector<step>& program) {
    const std::vector<step> shortest = shorten(program);
    std::string text = "seed " + std::to_string(seed) + ": ";
    for (const step& one : shortest) {
        text += text_of(op_names_of[one.kind], int{one.a}, int{one.b}, int{one.c}) + "; ";
    }
    return text + "\n" + find_difference(shortest);
}

}  // namespace

TEST_SUITE("model.c_api") {
    // spec 402, 406, 427
    TEST_CASE("a program does the same through C as through C++") {
        kith::set_log([](const char*, void*) {});
        for (std::uint64_t seed :
             random_programs::chosen_seeds(kith_test::is_sanitized ? 15 : 60)) {
            const std::vector<step> program = random_program(seed, 400);
            const std::string found = find_difference(program);
            if (!found.empty()) {
                FAIL_CHECK(report(seed, program));
                break;
            }
        }
        kith::set_log(nullptr);
    }
}
