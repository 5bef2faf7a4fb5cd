#include "support/model/operations.hpp"

#include "support/model/chooser.hpp"
#include "support/model/runner.hpp"

#include <algorithm>
#include <utility>

namespace model {

// What several entries have in common. A friend of the runner, as the table is.
struct operation_parts : operation_table {
    // -- makes_sense

    static bool always(const runner&, const op&) { return true; }
    static bool has_self(const runner& on, const op& step) { return on.slots_[step.slot] != 0; }
    static bool has_other(const runner& on, const op& step) {
        return step.first < slot_count && on.slots_[step.first] != 0;
    }
    static bool has_self_and_other(const runner& on, const op& step) {
        return has_self(on, step) && has_other(on, step);
    }
    static bool has_scope(const runner& on, const op& step) {
        return step.first == no_element || on.slots_[step.first % slot_count] != 0;
    }
    static bool has_self_and_id(const runner& on, const op& step) {
        return has_self(on, step) && on.are_elements(step);
    }
    // (IsA, base) is an operation of its own.
    static bool has_id_to_add(const runner& on, const op& step) {
        return has_self_and_id(on, step) && step.first != element_is_a;
    }
    static bool has_id_to_mark(const runner& on, const op& step) {
        return has_self_and_id(on, step) && step.first < element_child_of &&
               step.second != element_wildcard;
    }
    static bool has_value(const runner& on, const op& step) {
        return has_self_and_id(on, step) && step.first != element_wildcard &&
               step.second != element_wildcard && on.value_type(step) &&
               on.value_type(step)->id != on.components_[color].id;
    }
    static bool has_source_of_clone(const runner& on, const op& step) {
        return has_other(on, step) &&
               !(on.is_deferred() && on.deletion_queued_ && on.may_copy_instance(step));
    }
    static bool has_pattern(const runner& on, const op& step) {
        return on.are_elements(step) &&
               !(on.has_others_ && step.first == element_wildcard && step.second >= slot_count);
    }
    static bool has_property(const runner& on, const op& step) {
        return on.is_meaningful_property(step);
    }
    static bool is_in_queue(const runner& on, const op&) { return on.depth_ != 0; }

    // -- choose

    static void choose_other(chooser& random, const runner& on, op& step) {
        step.first = random.live_slot(on);
    }
    static void choose_scope(chooser& random, const runner& on, op& step) {
        step.first = random.chance(2) ? no_element : random.live_slot(on);
    }
    static void choose_component(chooser& random, const runner&, op& step) {
        step.first = first_component + static_cast<std::uint8_t>(random.below(component_count));
    }
    static void choose_pair(chooser& random, const runner& on, op& step) {
        random.choose_id(on, step, true);
    }
    static void choose_held(chooser& random, const runner& on, op& step) {
        random.choose_held(on, step, random.chance(2));
    }
    static void choose_valued(chooser& random, const runner& on, op& step) {
        random.choose_valued(on, step, random.chance(3));
    }
    static void choose_matching(chooser& random, const runner& on, op& step) {
        if (random.chance(3)) {
            random.choose_pattern(on, step);
        } else {
            choose_held(random, on, step);
        }
    }
    static void choose_property(chooser& random, const runner& on, op& step) {
        random.choose_property(on, step);
    }

    // -- tries

    static std::optional<call> try_clone(const runner& on, const op& step) {
        const call_kind kind =
            step.kind == op_kind::clone_types ? call_kind::clone_types : call_kind::clone;
        const entity_t into =
            step.kind == op_kind::clone_into ? on.slots_[step.slot] : runner::nobody;
        return call{kind, into, on.slots_[step.first]};
    }

    // -- check

    static std::set<errc> check_elements(const runner& on, const op& step, const call&) {
        return on.check_elements(step);
    }
    static std::set<errc> check_target(const runner& on, const op& step, const call&) {
        return on.model_.is_element(on.element(step.first)) ? std::set<errc>{}
                                                            : std::set<errc>{errc::invalid_id};
    }

    // -- model

    template <call_kind kind>
    static void with_id(const runner& on, const op& step, call& request) {
        request.kind = kind;
        request.id = on.make_id(step);
    }
    template <call_kind kind>
    static void of_all(const runner& on, const op& step, call& request) {
        with_id<kind>(on, step, request);
        request.entity = 0;
    }
    template <call_kind kind, id_t id>
    static void with_builtin(const runner&, const op&, call& request) {
        request.kind = kind;
        request.id = id;
    }
    static void with_property(const runner& on, const op& step, call& request) {
        on.make_property_call(step, request);
    }

    // -- perform

    static kith::entity self(runner& on, const op& step) {
        return kith::entity(on.world_, on.slots_[step.slot]);
    }
    static void add_id(runner& on, const op& step, const call&) {
        const entity_t first = on.element(step.first);
        step.second == no_element ? self(on, step).add(first)
                                  : self(on, step).add(first, on.element(step.second));
    }
    static void remove_id(runner& on, const op& step, const call&) {
        const entity_t first = on.element(step.first);
        step.second == no_element ? self(on, step).remove(first)
                                  : self(on, step).remove(first, on.element(step.second));
    }
    static void write_value(runner& on, const op& step, const call& request) {
        on.write_value(self(on, step), step, request);
    }
    static void change_property(runner& on, const op& step, const call&) {
        kith::entity relation(on.world_, on.element(step.first));
        const property& what = property_of(step.number);
        const entity_t target =
            what.has_target && step.second != no_element ? on.element(step.second) : what.second;
        if (step.kind == op_kind::add_property) {
            target ? relation.add(what.first, target) : relation.add(what.first);
        } else {
            target ? relation.remove(what.first, target) : relation.remove(what.first);
        }
    }

    // -- text

    static std::string slot_text(std::uint8_t slot) { return "e" + std::to_string(slot); }
    static std::string self_text(const op& step) { return slot_text(step.slot); }
    static std::string other_text(const op& step) { return slot_text(step.first); }
    // `e1.name();`
    static std::string plain_text(const op& step) {
        return self_text(step) + "." + name_of(step.kind) + "();";
    }
    // `world.name();`
    static std::string world_text(const op& step) {
        return std::string("world.") + name_of(step.kind) + "();";
    }
    // `e1.name(id);`
    static std::string id_call_text(const op& step) {
        return self_text(step) + "." + name_of(step.kind) + "(" + id_text(step) + ");";
    }
    // `world.name(id);`
    static std::string pattern_text(const op& step) {
        return std::string("world.") + name_of(step.kind) + "(" + id_text(step) + ");";
    }
    // `e1.name(id, 7);`
    static std::string value_text(const op& step) {
        return self_text(step) + "." + name_of(step.kind) + "(" + id_text(step) + ", " +
               std::to_string(step.number) + ");";
    }
    static std::string add_text(const op& step) {
        return self_text(step) + ".add(" + id_text(step) + ");";
    }
    static std::string remove_text(const op& step) {
        return self_text(step) + ".remove(" + id_text(step) + ");";
    }
    static std::string set_text(const op& step) {
        return self_text(step) + ".set(" + id_text(step) + ", " + std::to_string(step.number) +
               ");";
    }
    static std::string property_text(const op& step) {
        const property& what = property_of(step.number);
        return element_text(step.first) +
               (step.kind == op_kind::add_property ? ".add(" : ".remove(") + "kith::" + what.name +
               (what.has_target ? ", " + element_text(step.second) : "") + ");";
    }
    static std::string scope_text(const op& step, const std::string& made) {
        return "world.scope(" + (step.first == no_element ? "0" : other_text(step)) + ", [&] { " +
               self_text(step) + " = " + made + "; });";
    }
    static std::string clone_text(const op& step) {
        return self_text(step) + " = " + other_text(step) + ".clone(" +
               (step.kind == op_kind::clone ? "true" : "false") + ");";
    }
};

using parts = operation_parts;

const operation operation_table::entries[op_kinds] = {
    // -- entities
    {.kind = op_kind::create,
     .name = "create",
     .weight = 20,
     .traits = makes_entity,
     .makes_sense = parts::always,
     .run = [](runner& on, const op& step) { on.create(step); },
     .text = [](const op& step) { return parts::self_text(step) + " = world.entity();"; }},
    {.kind = op_kind::create_named,
     .name = "create_named",
     .weight = 16,
     .traits = makes_entity,
     .choose = parts::choose_scope,
     .makes_sense = parts::has_scope,
     .run = [](runner& on, const op& step) { on.create_named(step); },
     .text =
         [](const op& step) {
             return parts::scope_text(step, "world.entity(\"" + name_text(step.number) + "\")");
         }},
    {.kind = op_kind::create_child,
     .name = "create_child",
     .weight = 12,
     .traits = makes_entity,
     .choose = parts::choose_other,
     .makes_sense = parts::has_other,
     .run = [](runner& on, const op& step) { on.create(step); },
     .text = [](const op& step) { return parts::scope_text(step, "world.entity()"); }},
    {.kind = op_kind::create_with,
     .name = "create_with",
     .weight = 12,
     .traits = makes_entity,
     .choose = [](chooser& random, const runner& on,
                  op& step) { random.choose_id(on, step, random.chance(2)); },
     .makes_sense =
         [](const runner& on, const op& step) {
             return on.are_elements(step) && step.first != element_wildcard &&
                    step.second != element_wildcard && !(on.is_deferred() && on.deletion_queued_);
         },
     .tries = [](const runner& on, const op& step) -> std::optional<call> {
         if (step.first != element_is_a) {
             return std::nullopt;
         }
         return call{call_kind::add, runner::nobody, on.make_id(step)};
     },
     .run = [](runner& on, const op& step) { on.create(step); },
     .text =
         [](const op& step) {
             return "world.with(" + id_text(step) + ", [&] { " + parts::self_text(step) +
                    " = world.entity(); });";
         }},
    {.kind = op_kind::create_values,
     .name = "create_values",
     .weight = 14,
     .traits = makes_entity,
     .makes_sense = parts::always,
     .run = [](runner& on, const op& step) { on.create_values(step); },
     .text =
         [](const op& step) {
             return parts::self_text(step) + " = world.entity(" + created_values_text(step) +
                    " of " + std::to_string(step.number) + ");";
         }},
    {.kind = op_kind::bulk,
     .name = "bulk",
     .weight = 12,
     .traits = makes_entity,
     .choose = parts::choose_other,
     .makes_sense = parts::has_other,
     .run = [](runner& on, const op& step) { on.bulk(step); },
     .text =
         [](const op& step) {
             return parts::self_text(step) + "... = world.bulk(3, " + bulk_columns_text(step) +
                    ");  // x: " + parts::other_text(step) +
                    ", first value: " + std::to_string(step.number);
         }},
    {.kind = op_kind::make_alive,
     .name = "make_alive",
     .weight = 24,
     .choose = [](chooser& random, const runner&,
                  op& step) { step.slot = static_cast<std::uint8_t>(random.below(slot_count)); },
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_self(on, step) && !on.freed_while_queued_;
         },
     .run = [](runner& on, const op& step) { on.make_alive(step); },
     .text = [](const op& step) { return "world.make_alive(" + parts::self_text(step) + ");"; }},
    {.kind = op_kind::clone,
     .name = "clone",
     .weight = 16,
     .traits = makes_entity,
     .choose = parts::choose_other,
     .makes_sense = parts::has_source_of_clone,
     .tries = parts::try_clone,
     .run = [](runner& on, const op& step) { on.clone(step); },
     .text = parts::clone_text},
    {.kind = op_kind::clone_types,
     .name = "clone_types",
     .weight = 16,
     .traits = makes_entity,
     .choose = parts::choose_other,
     .makes_sense = parts::has_source_of_clone,
     .tries = parts::try_clone,
     .run = [](runner& on, const op& step) { on.clone(step); },
     .text = parts::clone_text},
    {.kind = op_kind::create_prefab,
     .name = "create_prefab",
     .weight = 14,
     .traits = makes_entity,
     .choose = parts::choose_scope,
     .makes_sense = parts::has_scope,
     .run = [](runner& on, const op& step) { on.create(step); },
     .text = [](const op& step) { return parts::scope_text(step, "world.prefab()"); }},
    {.kind = op_kind::clone_into,
     .name = "clone_into",
     .weight = 24,
     .choose =
         [](chooser& random, const runner& on, op& step) {
             step.first = random.live_slot(on);
             if (random.chance(2)) {
                 step.slot = random.bare_slot(on);
             }
         },
     .makes_sense =
         [](const runner& on, const op& step) {
             return !(on.deletion_queued_ && on.may_copy_instance(step)) &&
                    parts::has_self_and_other(on, step);
         },
     .tries = parts::try_clone,
     .model =
         [](const runner& on, const op& step, call& request) {
             request.kind = call_kind::clone;
             request.id = on.slots_[step.first];
         },
     .perform =
         [](runner& on, const op& step, const call&) {
             kith::entity(on.world_, on.slots_[step.first]).clone(true, on.slots_[step.slot]);
         },
     .text =
         [](const op& step) {
             return parts::other_text(step) + ".clone(true, " + parts::self_text(step) + ");";
         }},
    {.kind = op_kind::destruct,
     .name = "destruct",
     .weight = 16,
     .traits = deletes,
     .makes_sense = [](const runner& on,
                       const op& step) { return parts::has_self(on, step) && !on.copies_queued_; },
     .model = [](const runner&, const op&, call& request) { request.kind = call_kind::destruct; },
     .perform = [](runner& on, const op& step, const call&) { parts::self(on, step).destruct(); },
     .text = parts::plain_text},
    {.kind = op_kind::clear,
     .name = "clear",
     .weight = 10,
     .makes_sense = parts::has_self,
     .model = [](const runner&, const op&, call& request) { request.kind = call_kind::clear; },
     .perform = [](runner& on, const op& step, const call&) { parts::self(on, step).clear(); },
     .text = parts::plain_text},

    // -- ids
    {.kind = op_kind::add,
     .name = "add",
     .weight = 50,
     .traits = repeats_id,
     .choose = [](chooser& random, const runner& on,
                  op& step) { random.choose_id(on, step, false); },
     .makes_sense = parts::has_id_to_add,
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::add>,
     .perform = parts::add_id,
     .text = parts::add_text},
    {.kind = op_kind::add_pair,
     .name = "add_pair",
     .weight = 120,
     .traits = repeats_id | replaces,
     .choose = parts::choose_pair,
     .makes_sense = parts::has_id_to_add,
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::add>,
     .perform = parts::add_id,
     .text = parts::add_text},
    {.kind = op_kind::child_of,
     .name = "child_of",
     .weight = 40,
     .choose = parts::choose_other,
     .makes_sense = parts::has_self_and_other,
     .check = parts::check_target,
     .model =
         [](const runner& on, const op& step, call& request) {
             request.id = kith::make_pair(kith::ChildOf, on.slots_[step.first]);
         },
     .perform = [](runner& on, const op& step,
                   const call&) { parts::self(on, step).child_of(on.slots_[step.first]); },
     .text =
         [](const op& step) {
             return parts::self_text(step) + ".child_of(" + parts::other_text(step) + ");";
         }},
    {.kind = op_kind::add_color,
     .name = "add_color",
     .weight = 24,
     .traits = replaces,
     .makes_sense = parts::has_self,
     .model = [](const runner& on, const op& step,
                 call& request) { request.id = on.color_id(color_of(step)); },
     .perform = [](runner& on, const op& step,
                   const call&) { runner::write_color(parts::self(on, step), step); },
     .text = [](const op& step) { return parts::self_text(step) + color_text(step); }},
    {.kind = op_kind::remove_color,
     .name = "remove_color",
     .weight = 8,
     .makes_sense = parts::has_self,
     .model =
         [](const runner& on, const op&, call& request) {
             request.kind = call_kind::remove;
             request.id = kith::make_pair(on.components_[color].id, kith::Wildcard);
         },
     .perform = [](runner& on, const op& step,
                   const call&) { parts::self(on, step).remove<Color>(); },
     .text = [](const op& step) { return parts::self_text(step) + ".remove<Color>();"; }},

    // -- properties
    {.kind = op_kind::add_property,
     .name = "add_property",
     .weight = 80,
     .choose = parts::choose_property,
     .makes_sense = parts::has_property,
     .check = [](const runner& on, const op& step, const call&) -> std::set<errc> {
         const bool named = property_of(step.number).has_target;
         if (named && !on.model_.is_element(on.element(step.second))) {
             return {errc::invalid_id};
         }
         return {};
     },
     .model = parts::with_property,
     .perform = parts::change_property,
     .text = parts::property_text},
    {.kind = op_kind::remove_property,
     .name = "remove_property",
     .weight = 30,
     .traits = takes_handles,
     .choose = parts::choose_property,
     .makes_sense = parts::has_property,
     .model = parts::with_property,
     .perform = parts::change_property,
     .text = parts::property_text},
    {.kind = op_kind::declare,
     .name = "declare",
     .weight = 12,
     .choose = parts::choose_property,
     .makes_sense = parts::has_property,
     .check = [](const runner& on, const op& step,
                 const call& request) { return on.check_declaration(step, request); },
     .model = parts::with_property,
     .perform =
         [](runner& on, const op& step, const call&) {
             on.world_.relation(kith::entity(on.world_, on.element(step.first)),
                                on.declaration(step));
         },
     .text =
         [](const op& step) {
             return "world.relation(" + element_text(step.first) + ", {" + declared_text(step) +
                    "});";
         }},

    // -- prefabs
    {.kind = op_kind::is_a,
     .name = "is_a",
     .weight = 50,
     .choose = [](chooser& random, const runner& on,
                  op& step) { step.first = random.choose_base(on, step.slot); },
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_self_and_id(on, step) && step.second == no_element &&
                    step.first != element_wildcard && !on.deletion_queued_;
         },
     .tries = [](const runner& on, const op& step) -> std::optional<call> {
         return call{call_kind::add, on.slots_[step.slot],
                     kith::make_pair(kith::IsA, on.element(step.first))};
     },
     .check = parts::check_target,
     .model =
         [](const runner& on, const op& step, call& request) {
             request.id = kith::make_pair(kith::IsA, on.element(step.first));
         },
     .perform = [](runner& on, const op& step,
                   const call&) { parts::self(on, step).is_a(on.element(step.first)); },
     .text =
         [](const op& step) {
             return parts::self_text(step) + ".is_a(" + element_text(step.first) + ");";
         }},
    {.kind = op_kind::make_prefab,
     .name = "make_prefab",
     .weight = 6,
     .makes_sense = parts::has_self,
     .model = parts::with_builtin<call_kind::add, kith::Prefab>,
     .perform = [](runner& on, const op& step,
                   const call&) { parts::self(on, step).add(kith::Prefab); },
     .text = [](const op& step) { return parts::self_text(step) + ".add(kith::Prefab);"; }},
    {.kind = op_kind::mark,
     .name = "mark",
     .weight = 24,
     .choose =
         [](chooser& random, const runner& on, op& step) {
             if (random.chance(2)) {
                 random.choose_held(on, step, random.chance(3));
             } else {
                 random.choose_id(on, step, random.chance(3));
             }
         },
     .makes_sense = parts::has_id_to_mark,
     .check = parts::check_elements,
     .model = [](const runner& on, const op& step,
                 call& request) { request.id = kith::Override | on.make_id(step); },
     .perform =
         [](runner& on, const op& step, const call&) {
             const entity_t first = on.element(step.first);
             step.second == no_element
                 ? parts::self(on, step).override(first)
                 : parts::self(on, step).override(first, on.element(step.second));
         },
     .text =
         [](const op& step) {
             return parts::self_text(step) + ".override(" + id_text(step) + ");";
         }},
    {.kind = op_kind::unmark,
     .name = "unmark",
     .weight = 8,
     .choose = [](chooser& random, const runner& on, op& step) { random.choose_mark(on, step); },
     .makes_sense = parts::has_id_to_mark,
     .model =
         [](const runner& on, const op& step, call& request) {
             request.kind = call_kind::remove;
             request.id = kith::Override | on.make_id(step);
         },
     .perform = [](runner& on, const op& step,
                   const call& request) { parts::self(on, step).remove(request.id); },
     .text =
         [](const op& step) {
             return parts::self_text(step) + ".remove(kith::Override | id(" + id_text(step) + "));";
         }},
    {.kind = op_kind::set_override,
     .name = "set_override",
     .weight = 16,
     .choose = parts::choose_valued,
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_value(on, step) &&
                    (step.second == no_element ||
                     on.value_type(step)->id == on.element(step.first));
         },
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::set_override>,
     .perform = parts::write_value,
     .text = parts::value_text},
    {.kind = op_kind::emplace_override,
     .name = "emplace_override",
     .weight = 12,
     .choose = [](chooser& random, const runner& on,
                  op& step) { random.choose_valued(on, step, false); },
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_value(on, step) && step.second == no_element;
         },
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::emplace_override>,
     .perform = parts::write_value,
     .text = parts::value_text},
    {.kind = op_kind::slot,
     .name = "slot",
     .weight = 10,
     .choose =
         [](chooser& random, const runner& on, op& step) {
             step.slot = random.find_slot([&](std::uint8_t at) {
                 return chooser::has_parent(on, at) && chooser::has(on, at, kith::Prefab);
             });
         },
     // Nothing in the queue may change the parent.
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_self(on, step) &&
                    std::none_of(
                        on.model_.queue.begin(), on.model_.queue.end(),
                        [&](const call& queued) { return queued.entity == on.slots_[step.slot]; });
         },
     .check = [](const runner& on, const op& step, const call& request) -> std::set<errc> {
         if (on.is_slot_alive(step.slot) && kith::pair_second(request.id) == 0) {
             return {errc::invalid_operation};
         }
         return {};
     },
     .model =
         [](const runner& on, const op& step, call& request) {
             if (on.is_slot_alive(step.slot)) {
                 const entity_state& state = on.model_.at(on.slots_[step.slot]);
                 request.id = kith::make_pair(kith::SlotOf, on.model_.parent_of(state));
             }
         },
     .perform = [](runner& on, const op& step, const call&) { parts::self(on, step).slot(); },
     .text = parts::plain_text},

    // -- ids that an entity has
    {.kind = op_kind::remove,
     .name = "remove",
     .weight = 30,
     .traits = repeats_id | takes_handles,
     .choose = [](chooser& random, const runner& on,
                  op& step) { random.choose_held(on, step, false); },
     .makes_sense = parts::has_self_and_id,
     .model = parts::with_id<call_kind::remove>,
     .perform = parts::remove_id,
     .text = parts::remove_text},
    {.kind = op_kind::remove_pair,
     .name = "remove_pair",
     .weight = 30,
     .traits = repeats_id | takes_handles,
     .choose = [](chooser& random, const runner& on,
                  op& step) { random.choose_held(on, step, true); },
     .makes_sense = parts::has_self_and_id,
     .model = parts::with_id<call_kind::remove>,
     .perform = parts::remove_id,
     .text = parts::remove_text},
    {.kind = op_kind::remove_matching,
     .name = "remove_matching",
     .weight = 14,
     .traits = takes_handles,
     .choose = [](chooser& random, const runner& on, op& step) { random.choose_pattern(on, step); },
     .makes_sense = parts::has_self_and_id,
     .model = parts::with_id<call_kind::remove>,
     .perform = parts::remove_id,
     .text = parts::remove_text},

    // -- values
    {.kind = op_kind::set,
     .name = "set",
     .weight = 50,
     .traits = repeats_id,
     .choose =
         [](chooser& random, const runner& on, op& step) {
             random.choose_valued(on, step, false);
             random.choose_known_number(on, step);
         },
     .makes_sense = parts::has_value,
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::set>,
     .perform = parts::write_value,
     .text = parts::set_text},
    {.kind = op_kind::set_pair,
     .name = "set_pair",
     .weight = 40,
     .traits = repeats_id,
     .choose = [](chooser& random, const runner& on,
                  op& step) { random.choose_valued(on, step, true); },
     .makes_sense = parts::has_value,
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::set>,
     .perform = parts::write_value,
     .text = parts::set_text},
    {.kind = op_kind::emplace,
     .name = "emplace",
     .weight = 24,
     .traits = repeats_id,
     .choose = parts::choose_valued,
     .makes_sense = parts::has_value,
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::emplace>,
     .perform = parts::write_value,
     .text = parts::value_text},
    {.kind = op_kind::ensure,
     .name = "ensure",
     .weight = 24,
     .traits = repeats_id,
     .choose = parts::choose_valued,
     // A command that fails loses the value, which is not validated. A value that is written to
     // one side of a symmetric pair is not known to the other before modified().
     .makes_sense =
         [](const runner& on, const op& step) {
             return !on.may_lose_value(step) && !is_refused_number(step.number) &&
                    parts::has_value(on, step) &&
                    !(step.second != no_element && on.may_be_symmetric(on.element(step.first)));
         },
     .check = parts::check_elements,
     .model = parts::with_id<call_kind::ensure>,
     .perform = parts::write_value,
     .text =
         [](const op& step) {
             return "*" + parts::self_text(step) + ".get_mut(" + id_text(step) +
                    ") = " + std::to_string(step.number) + ";";
         }},
    {.kind = op_kind::modified,
     .name = "modified",
     .weight = 16,
     .traits = repeats_id,
     .choose = parts::choose_held,
     .makes_sense = parts::has_value,
     .model = parts::with_id<call_kind::modified>,
     .perform = [](runner& on, const op& step,
                   const call& request) { parts::self(on, step).modified(request.id); },
     .text = parts::id_call_text},

    // -- names
    {.kind = op_kind::set_name,
     .name = "set_name",
     .weight = 30,
     .makes_sense = parts::has_self,
     .model =
         [](const runner&, const op& step, call& request) {
             request.kind = call_kind::set_name;
             request.id = name_id;
             request.name = name_text(step.number);
         },
     .perform = [](runner& on, const op& step,
                   const call& request) { parts::self(on, step).set_name(request.name.c_str()); },
     .text =
         [](const op& step) {
             return parts::self_text(step) + ".set_name(\"" + name_text(step.number) + "\");";
         }},
    {.kind = op_kind::unname,
     .name = "unname",
     .weight = 30,
     .makes_sense = parts::has_self,
     .model = parts::with_builtin<call_kind::remove, name_id>,
     .perform = [](runner& on, const op& step,
                   const call&) { parts::self(on, step).set_name(nullptr); },
     .text = [](const op& step) { return parts::self_text(step) + ".set_name(nullptr);"; }},

    // -- toggling
    {.kind = op_kind::enable,
     .name = "enable",
     .weight = 30,
     .traits = repeats_id,
     .choose =
         [](chooser& random, const runner& on, op& step) {
             step.slot = random.find_slot([&](std::uint8_t at) {
                 return on.is_slot_alive(at) && !on.model_.at(on.slots_[at]).disabled.empty();
             });
             random.choose_held(on, step, random.chance(2), true);
         },
     .makes_sense = parts::has_self_and_id,
     .model = parts::with_id<call_kind::enable>,
     .perform = [](runner& on, const op& step,
                   const call& request) { parts::self(on, step).enable(request.id); },
     .text = parts::id_call_text},
    {.kind = op_kind::disable,
     .name = "disable",
     .weight = 20,
     .traits = repeats_id,
     .choose = parts::choose_held,
     .makes_sense = parts::has_self_and_id,
     .model = parts::with_id<call_kind::disable>,
     .perform = [](runner& on, const op& step,
                   const call& request) { parts::self(on, step).disable(request.id); },
     .text = parts::id_call_text},
    {.kind = op_kind::enable_entity,
     .name = "enable_entity",
     .weight = 16,
     .choose =
         [](chooser& random, const runner& on, op& step) {
             step.slot = random.find_slot(
                 [&](std::uint8_t at) { return chooser::has(on, at, kith::Disabled); });
         },
     .makes_sense = parts::has_self,
     .model = parts::with_builtin<call_kind::remove, kith::Disabled>,
     .perform = [](runner& on, const op& step, const call&) { parts::self(on, step).enable(); },
     .text = [](const op& step) { return parts::self_text(step) + ".enable();"; }},
    {.kind = op_kind::disable_entity,
     .name = "disable_entity",
     .weight = 8,
     .makes_sense = parts::has_self,
     .model = parts::with_builtin<call_kind::add, kith::Disabled>,
     .perform = [](runner& on, const op& step, const call&) { parts::self(on, step).disable(); },
     .text = [](const op& step) { return parts::self_text(step) + ".disable();"; }},

    // -- all that have an id
    {.kind = op_kind::delete_with,
     .name = "delete_with",
     .weight = 12,
     .traits = deletes,
     .choose = parts::choose_matching,
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_pattern(on, step) && !on.copies_queued_;
         },
     .model = parts::of_all<call_kind::delete_with>,
     .perform = [](runner& on, const op&,
                   const call& request) { on.world_.delete_with(request.id); },
     .text = parts::pattern_text},
    {.kind = op_kind::remove_all,
     .name = "remove_all",
     .weight = 12,
     .choose = parts::choose_matching,
     .makes_sense = parts::has_pattern,
     .model = parts::of_all<call_kind::remove_all>,
     .perform = [](runner& on, const op&,
                   const call& request) { on.world_.remove_all(request.id); },
     .text = parts::pattern_text},
    {.kind = op_kind::delete_component,
     .name = "delete_component",
     .weight = 20,
     .choose = parts::choose_component,
     .makes_sense =
         [](const runner& on, const op& step) {
             return step.first >= first_component && on.value_type({step.kind, 0, step.first}) &&
                    step.first != first_component + color;
         },
     .run = [](runner& on, const op& step) { on.delete_component(step); },
     .text = [](const op& step) { return element_text(step.first) + ".destruct();"; }},

    // -- others
    {.kind = op_kind::take_ref,
     .name = "take_ref",
     .weight = 8,
     .choose = parts::choose_component,
     .makes_sense =
         [](const runner& on, const op& step) {
             return parts::has_self(on, step) && step.first >= first_component;
         },
     .run = [](runner& on, const op& step) { on.take_ref(step); },
     .text =
         [](const op& step) {
             return "ref" + std::to_string(static_cast<unsigned>(step.number) % ref_count) + " = " +
                    parts::self_text(step) + ".get_ref<" + element_text(step.first) + ">();";
         }},
    {.kind = op_kind::defer_begin,
     .name = "defer_begin",
     .makes_sense = [](const runner& on, const op&) { return on.suspended_ == 0 && on.depth_ < 4; },
     .run =
         [](runner& on, const op& step) {
             on.world_.defer_begin();
             ++on.depth_;
             on.count_effect(step.kind);
         },
     .text = parts::world_text},
    {.kind = op_kind::defer_end,
     .name = "defer_end",
     .makes_sense = parts::is_in_queue,
     .run = [](runner& on, const op&) { on.defer_end(); },
     .text = parts::world_text},
    {.kind = op_kind::defer_suspend,
     .name = "defer_suspend",
     .makes_sense = parts::is_in_queue,
     .run =
         [](runner& on, const op& step) {
             on.world_.defer_suspend();
             on.suspended_ = std::exchange(on.depth_, 0);
             on.was_suspended_ = true;
             on.count_effect(step.kind);
         },
     .text = parts::world_text},
    {.kind = op_kind::defer_resume,
     .name = "defer_resume",
     .makes_sense = [](const runner& on, const op&) { return on.suspended_ != 0; },
     .run =
         [](runner& on, const op& step) {
             on.world_.defer_resume();
             on.depth_ = std::exchange(on.suspended_, 0);
             on.count_effect(step.kind);
         },
     .text = parts::world_text},
    {.kind = op_kind::shrink,
     .name = "shrink",
     .weight = 4,
     .makes_sense = parts::always,
     .run =
         [](runner& on, const op& step) {
             on.world_.shrink();
             on.count_effect(step.kind);
         },
     .text = parts::world_text},
    {.kind = op_kind::adopt,
     .name = "adopt",
     .choose = [](chooser& random, const runner& on,
                  op& step) { step.slot = random.free_slot(on); },
     .makes_sense = [](const runner& on, const op&) { return !on.model_.alive.empty(); },
     .run =
         [](runner& on, const op& step) {
             on.slots_[step.slot] = on.find_alive_from(runner::adopted_index(step));
             on.count_effect(step.kind);
         },
     .text =
         [](const op& step) {
             return parts::self_text(step) + " = the entity alive from index " +
                    std::to_string(runner::adopted_index(step)) + " on;";
         }},
};

std::string to_text(const op& step) {
    return operation_of(step.kind).text(step);
}
std::string to_text(const std::vector<op>& program) {
    std::string text;
    for (const op& step : program) {
        text += "    " + to_text(step) + "\n";
    }
    return text;
}

}  // namespace model
