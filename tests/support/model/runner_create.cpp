// Operations that make entities.
#include "support/model/runner.hpp"

namespace model {

void runner::expect_new(entity_t entity) {
    if (!model_.may_be_next(entity)) {
        fail("a new entity has the unexpected id " + text(entity));
    }
}
// What the model says to a new entity that does not come to be.
std::set<errc> runner::try_new(const id_list& ids, const std::set<id_t>& given) const {
    world_model tried = model_;
    return tried.create_with(nobody, ids, given).errors;
}

// Makes one entity with ids on the way; `given` are those with values. Errors that the call itself
// has to raise, at once or not, are expected; others come with the ids.
template <class Make>
void runner::create_by(const op& one, const id_list& ids, const std::set<id_t>& given,
                       std::set<errc> expected, Make&& make) {
    kith::entity made;
    std::set<errc> actual = attempt([&] { made = make(); });
    if (is_deferred() || !expected.empty()) {
        expect_error(actual, expected);
        if (!expected.empty()) {
            return;
        }
        expect_new(made);
        model_.create(made);
        for (const auto& [id, number] : ids) {
            enqueue({given.count(id) ? call_kind::set : call_kind::add, made, id, number}, nullptr);
            copies_queued_ |= kith::pair_first(id) == kith::IsA;
        }
    } else if (!actual.empty()) {
        expect_error(actual, try_new(ids, given));
        return;
    } else {
        expect_new(made);
        expect_error(actual, model_.create_with(made, ids, given).errors);
        compare_events();
    }
    slots_[one.slot] = made;
    count_effect(one.kind);
}

void runner::create(const op& one) {
    id_list ids;
    std::set<errc> expected;
    bool child = one.kind == op_kind::create_child ||
                 (one.kind == op_kind::create_prefab && one.first != no_element);
    entity_t parent = child ? slots_[one.first % slot_count] : 0;
    if (child) {
        ids.push_back({kith::make_pair(kith::ChildOf, parent), 0});
        if (!model_.is_alive(parent)) {
            expected = {errc::invalid_entity};
        }
    }
    if (one.kind == op_kind::create_with) {
        ids.push_back({make_id(one), 0});
        expected = check_elements(one);
        if (std::optional<errc> bad = model_.check_id(make_id(one)); expected.empty() && bad) {
            expected = {*bad};
        }
    } else if (one.kind == op_kind::create_prefab) {
        ids.push_back({kith::Prefab, 0});
    }
    create_by(one, ids, {}, expected, [&] {
        kith::entity made;
        auto make = [&] {
            made = world_.entity();
            if (one.kind == op_kind::create_prefab) {
                made.add(kith::Prefab);
            }
        };
        if (child) {
            world_.scope(parent, make);
        } else if (one.kind == op_kind::create_with && one.second == no_element) {
            world_.with(element(one.first), make);
        } else if (one.kind == op_kind::create_with) {
            world_.with(element(one.first), element(one.second), make);
        } else {
            make();
        }
        return made;
    });
}

void runner::create_named(const op& one) {
    entity_t parent = one.first == no_element ? 0 : slots_[one.first % slot_count];
    std::string name = name_text(one.number);
    kith::entity made;
    std::set<errc> actual =
        attempt([&] { world_.scope(parent, [&] { made = world_.entity(name.c_str()); }); });
    bool valid = parent == 0 || model_.is_alive(parent);
    expect_error(actual, valid ? std::set<errc>{} : std::set<errc>{errc::invalid_entity});
    if (!valid) {
        return;
    }
    entity_t found = model_.find_named(parent, name);
    if (found == 0 && model_.is_alive(made) && is_name_pending(made, name)) {
        found = made;
    }
    slots_[one.slot] = made;
    if (found != 0) {
        if (found != made) {
            fail("entity(\"" + name + "\") is " + text(made) + ", not " + text(found));
        }
        return;
    }
    expect_new(made);
    model_.create(made);
    count_effect(one.kind);
    std::vector<call> calls;
    if (parent != 0) {
        calls.push_back({call_kind::add, made, kith::make_pair(kith::ChildOf, parent)});
    }
    calls.push_back({call_kind::set_name, made, name_id, 0, name});
    for (call& step : calls) {
        if (is_deferred()) {
            enqueue(std::move(step), nullptr);
        } else {
            model_.run(step);
        }
    }
}
bool runner::is_name_pending(entity_t entity, const std::string& name) const {
    return std::any_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
        return queued.kind == call_kind::set_name && queued.name == name &&
               (entity == 0 || queued.entity == entity);
    });
}

template <class... Ts>
void runner::create_of(const op& one) {
    const id_t given[] = {static_cast<id_t>(kith::type_id<Ts>())...};
    id_list ids;
    for (id_t id : given) {
        ids.push_back({id, one.number});
    }
    create_by(one, ids, {std::begin(given), std::end(given)}, {},
              [&] { return world_.entity(Ts(one.number)...); });
}
void runner::create_values(const op& one) {
    switch (static_cast<unsigned>(one.number) % 5) {
        case 0:
            return create_of<Trivial>(one);
        case 1:
            return create_of<Trivial, Text>(one);
        case 2:
            return create_of<NoDefault, MoveOnly>(one);
        case 3:
            return create_of<Aligned, SparseText>(one);
        default:
            return create_of<DataRelation, Text>(one);
    }
}

// Three entities with columns of numbers that count up from the operation's own.
struct runner::bulk_request {
    static constexpr std::uint32_t count = 3;

    explicit bulk_request(std::int64_t number) : first_number(number) {
        for (std::uint32_t i = 0; i < count; ++i) {
            trivials.emplace_back(number + i);
            texts.emplace_back(number + i);
            sparse_texts.emplace_back(number + i);
            relations.emplace_back(number + i);
            movables.emplace_back(number + i);
            colors[i] = static_cast<Color>((number / 9 + i) % 3);
        }
    }
    void add(id_t id, const void* values = nullptr) {
        ids.push_back(id);
        arrays.push_back(values);
        if (values) {
            given.insert(id);
        }
    }
    // The ids of one of the entities, with its numbers.
    id_list ids_of(std::uint32_t index) const {
        id_list with;
        for (id_t id : ids) {
            with.push_back({id, given.count(id) ? first_number + index : 0});
        }
        return with;
    }

    std::int64_t first_number;
    std::vector<Trivial> trivials;
    std::vector<Text> texts;
    std::vector<SparseText> sparse_texts;
    std::vector<DataRelation> relations;
    std::vector<MoveOnly> movables;
    Color colors[count]{};

    std::vector<id_t> ids;
    std::vector<const void*> arrays;  // by id, null for those without values
    std::set<id_t> given;             // ids with values
    bool colored = false;
    std::set<errc> expected;
    bool disagree = false;  // each of the entities could be made, but not all
};
void runner::choose_columns(const op& one, bulk_request& bulk) const {
    const entity_t target = slots_[one.first];
    auto of = [&](component_number number) { return components_[number].id; };
    switch (static_cast<unsigned>(one.number) % 9) {
        case 8:
            bulk.colored = true;
            [[fallthrough]];
        case 0:
            bulk.add(of(trivial), bulk.trivials.data());
            break;
        case 1:
            bulk.add(of(trivial), bulk.trivials.data());
            bulk.add(of(text_number), bulk.texts.data());
            break;
        case 2:
            bulk.add(of(plain_tag));
            bulk.add(of(trivial), bulk.trivials.data());
            break;
        case 3:
            bulk.add(of(sparse_text), bulk.sparse_texts.data());
            bulk.add(of(text_number), bulk.texts.data());
            break;
        case 4:
            bulk.add(of(no_default));
            bulk.expected = {errc::not_constructible};
            break;
        case 5:
            bulk.add(of(move_only), bulk.movables.data());
            bulk.expected = {errc::not_copyable};
            break;
        case 6: {
            const id_t pair = kith::make_pair(of(data_relation), target);
            bulk.add(pair, model_.value_type(pair) ? bulk.relations.data() : nullptr);
            bulk.add(kith::make_pair(of(exclusive_tag), target));
            break;
        }
        default:
            bulk.add(kith::make_pair(of(exclusive_tag), target));
            bulk.add(kith::make_pair(of(exclusive_tag), of(plain_tag)));
            if (model_.is_exclusive(static_cast<std::uint32_t>(of(exclusive_tag)))) {
                bulk.expected = {errc::constraint};
            }
            break;
    }
    for (id_t id : bulk.ids) {
        if (model_.check_id(id)) {
            bulk.expected = {errc::invalid_id};
        }
    }
}
void runner::try_bulk(bulk_request& bulk) const {
    world_model tried = model_;
    for (std::uint32_t i = 0; i < bulk.count; ++i) {
        const entity_t made = kith::make_entity_id(kith::max_relation_index - i, 0);
        const std::set<errc> refused = tried.create_with(made, bulk.ids_of(i), bulk.given).errors;
        bulk.disagree |= i != 0 && bulk.expected.empty() && !refused.empty() &&
                         !is_refused_number(bulk.first_number + i);
        bulk.expected.insert(refused.begin(), refused.end());
    }
}
void runner::expect_bulk(const bulk_request& bulk, std::uint32_t index, entity_t made) {
    id_list ids = bulk.ids_of(index);
    if (bulk.colored) {
        ids.push_back({color_id(bulk.colors[index]), 0});
    }
    expect_new(made);
    if (!is_deferred()) {
        model_.create_with(made, ids, bulk.given);
        return;
    }
    model_.create(made);
    for (const auto& [id, number] : ids) {
        enqueue({bulk.given.count(id) ? call_kind::set : call_kind::add, made, id, number},
                nullptr);
    }
}
void runner::bulk(const op& one) {
    bulk_request bulk(one.number);
    choose_columns(one, bulk);
    if (bulk.expected.empty() && !is_deferred()) {
        try_bulk(bulk);
    }
    std::vector<entity_t> made;
    const std::set<errc> actual = attempt([&] {
        const Trivial* trivials = bulk.trivials.data();
        kith::entity_span span = bulk.colored ? world_.bulk(bulk.count, trivials, bulk.colors)
                                              : world_.bulk(bulk.count, bulk.ids.data(),
                                                            bulk.ids.size(), bulk.arrays.data());
        made.assign(span.begin(), span.end());
    });
    expect_error(actual, bulk.expected);
    if (!actual.empty()) {
        if (bulk.disagree) {
            throw out_of_scope();  // some were there for a moment
        }
        return;
    }
    count_effect(one.kind);
    for (std::uint32_t i = 0; i < bulk.count; ++i) {
        slots_[(one.slot + i) % slot_count] = made[i];
        expect_bulk(bulk, i, made[i]);
    }
    if (!is_deferred()) {
        // Inside, it is a queue: hooks need not hear of a pair that one entity takes from another.
        drop_passing(model_.events);
        drop_passing(heard_);
        compare_events();
    }
}

void runner::make_alive(const op& one) {
    std::optional<errc> bad = model_.check_make_alive(slots_[one.slot]);
    std::set<errc> actual = attempt([&] { world_.make_alive(slots_[one.slot]); });
    expect_error(actual, bad ? std::set<errc>{*bad} : std::set<errc>{});
    if (!bad && !model_.is_alive(slots_[one.slot])) {
        model_.make_alive(slots_[one.slot]);
        count_effect(one.kind);
    }
}

void runner::clone(const op& one) {
    entity_t source = slots_[one.first];
    bool copy_values = one.kind == op_kind::clone;
    call_kind kind = copy_values ? call_kind::clone : call_kind::clone_types;
    kith::entity made;
    std::set<errc> actual =
        attempt([&] { made = kith::entity(world_, source).clone(copy_values); });
    if (!model_.is_alive(source)) {
        expect_error(actual, {errc::invalid_entity});
        return;
    }
    if (is_deferred()) {
        expect_error(actual, {});
        expect_new(made);
        model_.create(made);
        copies_queued_ |= may_copy_instance(one);
        slots_[one.slot] = made;
        enqueue({kind, made, source}, &one);
        return;
    }
    if (!actual.empty()) {
        // See what the model says by trying, and forget it.
        world_model tried = model_;
        tried.create(nobody);
        expect_error(actual, tried.run({kind, nobody, source}).errors);
        return;
    }
    expect_new(made);
    model_.create(made);
    slots_[one.slot] = made;
    result outcome = model_.run({kind, made, source});
    expect_error(actual, outcome.errors);
    compare_events();
    count_effect(one.kind);
}

}  // namespace model
