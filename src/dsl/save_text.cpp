// save_text() (include/kith/world_text.hpp): writes a world as facts, in an order in which they can
// always be loaded again:
//
// 1. Entities; tags and relationships of other entities first, children in the blocks of their
//    parents and in their order. Each entity is written with the ids whose elements were written
//    before it, and with the properties that decide how pairs are stored.
// 2. The other tags and pairs.
// 3. Properties that forbid pairs: the pairs of the world agree with them, so they are accepted in
//    the end.
// 4. Prefabs: an entity that became an instance of a prefab would get copies of children that it
//    has already.
// 5. With: the implied ids exist by now.
//
// Targets of an entity are written by their ids. If nesting would change that, entities are written
// in the order of their ids, and blocks are opened several times. If ids contradict the order of
// children, the order of targets is given up.
//
// Covered by tests/dsl/world_text_save_test.cpp.
#include <kith/detail/value_text.hpp>

#include "diagnostics.hpp"
#include "entity_ids.hpp"
#include "identifier.hpp"
#include "implies.hpp"
#include "stable_partition.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace kith {

namespace dsl {

namespace {

constexpr id_t symbol_id = make_pair(detail::identifier_type_id, Symbol);

bool is_builtin(entity_t entity) noexcept {
    const std::uint32_t index = index_of(entity);
    return index < detail::first_type || (index >= first_builtin && index < detail::builtin_end);
}

// The index of the tag or relationship.
std::uint32_t element_of(id_t id) noexcept {
    return is_pair(id) ? pair_first(id) : index_of(id);
}

// Properties that the world refuses if existing pairs contradict them.
bool is_demand(id_t id) noexcept {
    switch (element_of(id)) {
        case Final:
        case Transitive:
        case Reflexive:
        case Acyclic:
        case Traversable:
        case Exclusive:
        case Symmetric:
        case With:
        case OneOf:
            return true;
        default:
            return false;
    }
}

bool is_with(id_t id) noexcept {
    return is_pair(id) && pair_first(id) == With;
}

// Properties that must exist before the pairs of their holder, because they decide how these are
// stored.
bool is_arrangement(id_t id) noexcept {
    switch (element_of(id)) {
        case Tag:
        case DontInherit:
        case Union:
        case Sparse:
        case Transient:
        case OnDelete:
        case OnDeleteTarget:
            return true;
        default:
            return false;
    }
}

void sort_by_index(std::vector<entity_t>& entities) {
    std::sort(entities.begin(), entities.end(),
              [](entity_t a, entity_t b) { return index_of(a) < index_of(b); });
}

// The entities that are written, their order, and the facts of each.
class contents {
public:
    explicit contents(const world& world) : world_(world) {
        find_named();
        find_order();
    }

    // The entities in the order of the text, without builtin ones.
    const std::vector<entity_t>& order() const noexcept { return order_; }
    // Builtin entities with ids that a new world does not give them.
    const std::vector<entity_t>& changed_builtins() const noexcept { return changed_builtins_; }
    // The ids that the text states about an entity.
    std::vector<id_t> facts_of(const entity& entity) const;
    // The position of an entity in the order, from 1; 0 for builtin entities, which exist before.
    std::size_t position(entity_t entity) const {
        const auto entry = positions_.find(index_of(entity));
        return entry == positions_.end() ? 0 : entry->second;
    }

private:
    bool is_written(entity_t entity) const { return written_.contains(index_of(entity)); }
    entity alive(std::uint32_t index) const { return world_.get_alive(index); }

    // Finding the entities to write: entities with names, and the elements of their ids.
    void find_named();
    void need(entity_t type);
    void need_elements(const entity& entity);
    // Choosing the order.
    void find_order();
    std::vector<entity_t> roots() const;
    std::vector<entity_t> written_children(entity_t parent) const;
    std::vector<entity_t> nested_order() const;
    std::vector<entity_t> id_order() const;
    bool keeps_targets() const;
    std::vector<id_t> facts_of_builtin(const entity& builtin) const;
    std::vector<id_t> without_transient(const std::vector<id_t>& facts) const;
    // Throws unless text can state all facts of the entity.
    void check_facts(const entity& entity) const;
    void check_fact(const entity& entity, id_t id) const;
    void check_written_value(const entity& entity, id_t id) const;
    void check_element(const entity& entity, id_t id, std::uint32_t element) const;
    void check_place(const entity& entity) const;

    // Types of kith itself exist in every program.
    static bool is_internal(const entity& entity) {
        return entity.owns(detail::component_type_id) && entity.parent() == Kith;
    }
    // Entities of C++ types exist when the program runs, so they are written only if they have
    // facts.
    static bool is_of_type(const entity& entity) {
        return entity.owns(detail::component_type_id) ||
               (entity.parent() && entity.parent().owns(EnumType));
    }

    world world_;
    kith::world fresh_;                          // a new world, to compare builtin entities with
    std::unordered_set<std::uint32_t> written_;  // indexes of the entities that are written
    std::unordered_set<std::uint32_t>
        kinds_;                     // indexes of tags and relationships of written entities
    std::vector<entity_t> needed_;  // entities whose elements have to be written as well
    std::vector<entity_t> changed_builtins_;
    std::vector<entity_t> order_;
    std::unordered_map<std::uint32_t, std::size_t> positions_;
};

std::string text_of(const entity& entity) {
    return std::string(entity.str());
}

[[noreturn]] void refuse(const std::string& subject) {
    raise(errc::invalid_text, subject + " cannot be written as text");
}

void contents::check_element(const entity& entity, id_t id, std::uint32_t element) const {
    const kith::entity named = alive(element);
    if (named.name().empty()) {
        refuse(text_of(entity) + " has " + std::string(kith::id(world_, id).str()) +
               ": an entity without a name");
    }
}

// Throws for values that text cannot state: without description, or with an entity that has no
// name.
void contents::check_written_value(const entity& entity, id_t id) const {
    const kith::entity component(world_, detail::type_component(world_, id));
    const description* type = detail::find_description(world_, component);
    if (!type || type->what == kind::none) {
        refuse("the value of " + std::string(kith::id(world_, id).str()) + " of " +
               text_of(entity) + ", whose type has no description,");
    }
    if (!detail::has_entities(world_, *type)) {
        return;
    }
    struct search {
        const contents& owner;
        const kith::entity& holder;
    } state{*this, entity};
    std::string ignored;
    detail::append_value_text(
        ignored, world_, *type, entity.get(id),
        [](void* context, entity_t named, std::string&) {
            const auto& [owner, holder] = *static_cast<search*>(context);
            const kith::entity inside(owner.world_, named);
            if (!inside.is_alive() || inside.name().empty()) {
                refuse("a value of " + text_of(holder) + " refers to #" +
                       std::to_string(index_of(named)) + ", which has no name: it");
            }
            return true;
        },
        &state);
}

// Throws for facts that text cannot state: aliases, overrides, disabled ids.
void contents::check_fact(const entity& entity, id_t id) const {
    const kith::id shown(world_, id);
    if (is_pair(id) && pair_first(id) == detail::identifier_type_id) {
        refuse("the alias of " + text_of(entity));
    }
    if ((id & Override) != 0) {
        refuse(text_of(entity) + " has " + std::string(shown.str()) + ": an override");
    }
    if (shown.type_id()) {
        check_written_value(entity, id);
    }
    if (!entity.enabled(id)) {
        refuse(std::string(shown.str()) + " of " + text_of(entity) + " is disabled, which");
    }
    if (is_pair(id)) {
        check_element(entity, id, pair_first(id));
        check_element(entity, id, pair_second(id));
    } else {
        check_element(entity, id, index_of(id));
    }
}

void contents::check_place(const entity& entity) const {
    const kith::entity parent = entity.parent();
    if (parent && parent.name().empty()) {
        refuse(text_of(entity) + " is a child of an entity without a name, which");
    }
    const std::string_view name = entity.name();
    if (name.find_first_of("\x1E\x1F") != std::string_view::npos) {
        refuse("the name of entity #" + std::to_string(index_of(entity)) +
               ", which has control characters,");
    }
}

// The ids that the program gave to a builtin entity. Throws if one of its original ids is missing.
std::vector<id_t> contents::facts_of_builtin(const entity& builtin) const {
    const std::vector<id_t> now = ids_of(builtin);
    const std::vector<id_t> before = ids_of(fresh_.entity(builtin));
    for (const id_t id : before) {
        const bool replaced = is_pair(id) && builtin.owns(alive(pair_first(id)), Wildcard);
        if (!std::binary_search(now.begin(), now.end(), id) && !replaced) {
            refuse(text_of(builtin) + " without " + std::string(kith::id(world_, id).str()));
        }
    }
    std::vector<id_t> facts;
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                        std::back_inserter(facts));
    return facts;
}

std::vector<id_t> contents::facts_of(const entity& entity) const {
    std::vector<id_t> facts = is_builtin(entity) ? facts_of_builtin(entity) : ids_of(entity);
    const bool is_type = is_of_type(entity);
    const bool has_data =
        is_type && detail::type_of(world_, entity) && detail::type_of(world_, entity)->size != 0;
    std::erase_if(facts, [&](id_t id) {
        const bool of_type = id == detail::component_type_id || id == symbol_id || id == EnumType ||
                             (id == Final && has_data) ||
                             (entity.parent() && id == strip_generation(entity.parent()));
        return id == detail::name_pair || (is_pair(id) && pair_first(id) == ChildOf) ||
               (is_type && of_type);
    });
    return without_transient(facts);
}

// Transient ids are left out, unless an id that is saved implies them.
std::vector<id_t> contents::without_transient(const std::vector<id_t>& facts) const {
    std::vector<id_t> saved;
    std::vector<id_t> transient;
    for (const id_t id : facts) {
        (alive(element_of(id)).owns(Transient) ? transient : saved).push_back(id);
    }
    for (std::size_t i = 0; i < saved.size() && !transient.empty(); ++i) {
        const id_t holder = saved[i];
        std::erase_if(transient, [&](id_t id) {
            const bool implied = implies(world_, holder, id);
            if (implied) {
                saved.push_back(id);
            }
            return implied;
        });
    }
    std::sort(saved.begin(), saved.end());
    return saved;
}

void contents::check_facts(const entity& entity) const {
    for (const id_t id : facts_of(entity)) {
        check_fact(entity, id);
    }
}

void contents::find_named() {
    std::vector<entity_t> types;
    detail::id_cursor cursor(world_, detail::name_pair, true);
    for (detail::batch batch; cursor.next(batch);) {
        for (std::uint32_t i = 0; i < batch.count; ++i) {
            const entity named(world_, batch.entities[i]);
            if (is_internal(named)) {
                continue;
            }
            if (!is_builtin(named)) {
                check_place(named);
            }
            const bool on_demand = is_builtin(named) || is_of_type(named);
            (on_demand ? types : needed_).push_back(named);
        }
    }
    sort_by_index(types);
    for (const entity_t type : types) {
        if (!facts_of(entity(world_, type)).empty()) {
            needed_.push_back(type);
            if (is_builtin(type)) {
                changed_builtins_.push_back(type);
            }
        }
    }
    for (const entity_t needed : needed_) {
        written_.insert(index_of(needed));
    }
    // The sorted order makes the error deterministic if several entities cannot be written.
    sort_by_index(needed_);
    for (const entity_t needed : needed_) {
        check_facts(entity(world_, needed));
    }
    while (!needed_.empty()) {
        const entity next(world_, needed_.back());
        needed_.pop_back();
        need_elements(next);
    }
}

// Adds an entity that a written id names.
void contents::need(entity_t element) {
    if (element && !is_builtin(element) && written_.insert(index_of(element)).second) {
        needed_.push_back(element);
    }
}

void contents::need_elements(const entity& entity) {
    need(entity.parent());
    for (const id_t id : facts_of(entity)) {
        kinds_.insert(element_of(id));
        need(alive(element_of(id)));
        if (is_pair(id)) {
            need(alive(pair_second(id)));
        }
    }
}

// Entities outside of all blocks: without a parent, or with a builtin one.
std::vector<entity_t> contents::roots() const {
    std::vector<entity_t> roots;
    std::vector<entity_t> builtins;
    for (const std::uint32_t index : written_) {
        const entity named = alive(index);
        const entity parent = named.parent();
        if (is_builtin(named)) {
            continue;
        }
        if (!parent) {
            roots.push_back(named);
        } else if (is_builtin(parent)) {
            builtins.push_back(parent);
        }
    }
    sort_by_index(roots);
    sort_by_index(builtins);
    builtins.erase(std::unique(builtins.begin(), builtins.end()), builtins.end());
    for (const entity_t builtin : builtins) {
        const std::vector<entity_t> children = written_children(builtin);
        roots.insert(roots.end(), children.begin(), children.end());
    }
    return roots;
}

std::vector<entity_t> contents::written_children(entity_t parent) const {
    std::vector<entity_t> children;
    entity(world_, parent).children([&](entity child) {
        if (is_written(child) && !is_builtin(child)) {
            children.push_back(child);
        }
    });
    return children;
}

// Depth first, tags and relationships before other roots.
std::vector<entity_t> contents::nested_order() const {
    std::vector<entity_t> open =
        stable_partitioned(roots(), [&](entity_t root) { return kinds_.contains(index_of(root)); });
    std::reverse(open.begin(), open.end());
    std::vector<entity_t> order;
    while (!open.empty()) {
        order.push_back(open.back());
        open.pop_back();
        const std::vector<entity_t> children = written_children(order.back());
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    return order;
}

// By ids, as far as parents come before children and siblings keep their order.
std::vector<entity_t> contents::id_order() const {
    const auto is_later = [](entity_t a, entity_t b) { return index_of(a) > index_of(b); };
    std::priority_queue<entity_t, std::vector<entity_t>, decltype(is_later)> next(is_later,
                                                                                  roots());
    std::unordered_map<entity_t, entity_t> following;  // siblings
    std::vector<entity_t> order;
    while (!next.empty()) {
        const entity_t entity = next.top();
        next.pop();
        order.push_back(entity);
        const std::vector<entity_t> children = written_children(entity);
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i == 0) {
                next.push(children[i]);
            } else {
                following[children[i - 1]] = children[i];
            }
        }
        if (const auto sibling = following.find(entity); sibling != following.end()) {
            next.push(sibling->second);
        }
    }
    return order;
}

// True if targets of an entity are written in the order of their ids.
bool contents::keeps_targets() const {
    return std::all_of(order_.begin(), order_.end(), [&](entity_t written) {
        const std::vector<id_t> facts = facts_of(entity(world_, written));
        for (std::size_t i = 1; i < facts.size(); ++i) {
            if (is_pair(facts[i]) && is_pair(facts[i - 1]) &&
                pair_first(facts[i]) == pair_first(facts[i - 1]) &&
                position(pair_second(facts[i])) < position(pair_second(facts[i - 1]))) {
                return false;
            }
        }
        return true;
    });
}

// Takes the nested order unless it changes the order of targets and the order by ids does not.
void contents::find_order() {
    const auto take = [&](std::vector<entity_t> order) {
        order_ = std::move(order);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            positions_[index_of(order_[i])] = i + 1;
        }
        return keeps_targets();
    };
    if (!take(nested_order()) && !take(id_order())) {
        take(nested_order());
    }
}

// Writes the text of a world.
class writer {
public:
    explicit writer(const world& world) : world_(world), contents_(world) {}

    std::string write() {
        for (const entity_t builtin : contents_.changed_builtins()) {
            write_list(builtin, [&](id_t id) { return is_arrangement(id); });
        }
        for (const entity_t entity : contents_.order()) {
            write_entity(kith::entity(world_, entity));
        }
        write_all([&](entity_t entity, id_t id) {
            return id != Prefab && !is_demand(id) && !is_early(entity, id) && !is_ordered(id) &&
                   !(is_builtin(entity) && is_arrangement(id));
        });
        write_ordered();
        write_all([&](entity_t, id_t id) { return is_demand(id) && !is_with(id); });
        write_all([&](entity_t, id_t id) { return id == Prefab; });
        write_all([&](entity_t, id_t id) { return is_with(id) && pair_second(id) != With; });
        write_all([&](entity_t, id_t id) { return is_with(id) && pair_second(id) == With; });
        return std::move(text_);
    }

private:
    // When a sparse pair is written, so that the sources of its target keep their order: with its
    // entity, after all entities, or in a list of its own.
    enum class moment : std::uint8_t { early, late, ordered };

    entity alive(std::uint32_t index) const { return world_.get_alive(index); }
    std::size_t position(std::uint32_t index) const { return contents_.position(index); }

    bool is_sparse(const entity& relation) const {
        return relation.owns(Sparse) || relation.owns(Union);
    }
    moment find_moment(id_t pair);
    // True if the id is written together with its entity: its elements were written before.
    bool is_early(entity_t entity, id_t id);
    bool is_ordered(id_t id) {
        return is_pair(id) && is_sparse(alive(pair_first(id))) &&
               find_moment(id) == moment::ordered;
    }

    // -- text
    void begin_line() {
        // The limit keeps spaces from becoming most of a deeply nested text.
        constexpr std::size_t deepest = 16;
        text_.append(4 * std::min(blocks_.size(), deepest), ' ');
    }
    void append_reference(const entity& scope, const entity& entity);
    void append_path(const entity& from, const entity& entity);
    void append_id(const entity& scope, id_t id);
    // ` = value`, if the id has one.
    void append_value(const entity& holder, const entity& scope, id_t id);
    // `: Tag, (Relationship, Target)`
    void append_list(const entity& holder, const entity& scope, const std::vector<id_t>& ids);
    // The facts of an entity for which filter(id) is true, sorted.
    template <class Filter>
    std::vector<id_t> select(entity_t entity, Filter&& filter) const {
        std::vector<id_t> ids = contents_.facts_of(kith::entity(world_, entity));
        std::erase_if(ids, [&](id_t id) { return !filter(id); });
        sort_by_text(ids);
        return ids;
    }
    // Tags before pairs, both in the order in which their elements were written. The order depends
    // on the text, not on ids, so equal worlds give equal texts.
    void sort_by_text(std::vector<id_t>& ids) const {
        const auto kind = [](id_t id) {
            // (OneOf, X) takes precedence over the tag OneOf, so it is written first.
            return is_pair(id) ? (pair_first(id) == OneOf ? 0 : 2) : 1;
        };
        const auto place = [&](std::uint32_t index) {
            return std::pair(contents_.position(index), index);
        };
        const auto key = [&](id_t id) {
            return std::tuple(kind(id), place(element_of(id)), place(pair_second(id)));
        };
        std::sort(ids.begin(), ids.end(), [&](id_t a, id_t b) { return key(a) < key(b); });
    }

    void write_entity(const entity& entity);
    void open_scope(const entity& parent);
    void end_entity();
    void close_blocks(std::size_t count);
    bool is_deep(entity entity) const;
    template <class Filter>
    void write_list(entity_t entity, Filter&& filter);
    template <class Filter>
    void write_all(Filter&& filter);
    void write_ordered();

    world world_;
    contents contents_;
    std::string text_;
    std::vector<entity> blocks_;
    std::unordered_map<std::uint32_t, std::size_t> open_;  // entities of blocks_, and their depth
    entity unfinished_;                         // written without a line end: its block may follow
    bool said_ = false;                         // the unfinished entity has ids behind its name
    std::unordered_map<id_t, moment> moments_;  // of sparse pairs
    std::vector<id_t> ordered_;                 // pairs of moment::ordered
};

writer::moment writer::find_moment(id_t pair) {
    const auto [entry, is_new] = moments_.try_emplace(pair, moment::early);
    if (!is_new) {
        return entry->second;
    }
    const std::size_t from = std::max(position(pair_first(pair)), position(pair_second(pair)));
    std::size_t last = 0;
    moment when = moment::early;
    alive(pair_second(pair)).each_source(alive(pair_first(pair)), [&](entity source) {
        const std::size_t index = position(index_of(source));
        if (source.name().empty()) {
            return;
        }
        if (index < last) {
            when = moment::ordered;
        } else if (index < from && when == moment::early) {
            when = moment::late;
        }
        last = index;
    });
    entry->second = when;
    if (when == moment::ordered) {
        ordered_.push_back(pair);
    }
    return when;
}

bool writer::is_early(entity_t entity, id_t id) {
    if (id == Prefab || is_demand(id) || is_builtin(entity)) {
        return false;
    }
    // A value may name entities that are written later.
    const entity_t component = detail::type_component(world_, id);
    if (component && detail::has_entities(world_, *detail::find_description(world_, component))) {
        return false;
    }
    if (is_pair(id) && is_sparse(alive(pair_first(id)))) {
        return find_moment(id) == moment::early;
    }
    const std::size_t index = position(index_of(entity));
    return position(element_of(id)) <= index &&
           (!is_pair(id) || position(pair_second(id)) <= index);
}

// Writes the shortest name that means the entity in this scope. A name that is found in the whole
// world is also found in the part that is loaded by then.
void writer::append_reference(const entity& scope, const entity& entity) {
    // A name from further above would be searched level by level when it is loaded.
    constexpr int highest = 8;
    const std::string_view name = entity.name();
    kith::entity ancestor = scope;
    for (int level = 0; level < highest; ++level, ancestor = ancestor.parent()) {
        const kith::entity match(world_,
                                 detail::lookup_path(world_, ancestor, name, {}, {}, false));
        if (match && match != entity) {
            break;
        }
        if (match || (!ancestor && is_builtin(entity) && entity != Kith)) {
            append_name(name, text_);
            return;
        }
        if (!ancestor) {
            break;
        }
    }
    text_ += scope || is_builtin(entity) ? "::" : "";
    append_path({}, entity);
}

void writer::append_path(const entity& from, const entity& entity) {
    std::vector<std::string_view> elements;
    for (kith::entity ancestor = entity; ancestor && ancestor != from;
         ancestor = ancestor.parent()) {
        elements.push_back(ancestor.name());
    }
    for (std::size_t i = elements.size(); i-- > 0;) {
        append_name(elements[i], text_);
        text_ += i > 0 ? "." : "";
    }
}

void writer::append_id(const entity& scope, id_t id) {
    if (!is_pair(id)) {
        append_reference(scope, alive(index_of(id)));
        return;
    }
    text_ += '(';
    append_reference(scope, alive(pair_first(id)));
    text_ += ", ";
    append_reference(scope, alive(pair_second(id)));
    text_ += ')';
}

void writer::append_value(const entity& holder, const entity& scope, id_t id) {
    const entity_t component = detail::type_component(world_, id);
    if (!component) {
        return;
    }
    struct reference {
        writer& owner;
        const entity& scope;
    } state{*this, scope};
    std::string value;
    detail::append_value_text(
        value, world_, *detail::find_description(world_, component), holder.get(id),
        [](void* context, entity_t named, std::string& out) {
            auto& [owner, from] = *static_cast<reference*>(context);
            std::swap(owner.text_, out);
            owner.append_reference(from, entity(owner.world_, named));
            std::swap(owner.text_, out);
            return true;
        },
        &state);
    text_ += " = " + value;
}

void writer::append_list(const entity& holder, const entity& scope, const std::vector<id_t>& ids) {
    const char* before = ": ";
    for (const id_t id : ids) {
        text_ += before;
        append_id(scope, id);
        append_value(holder, scope, id);
        before = ", ";
    }
}

// Writes the name and the early ids of an entity; its line stays open for a block.
void writer::write_entity(const entity& entity) {
    const kith::entity parent = entity.parent();
    open_scope(parent);
    begin_line();
    // At the root, the name of a builtin entity would mean that entity.
    const std::string_view name = entity.name();
    if (!parent && detail::lookup_path(world_, Kith, name, {}, {}, false)) {
        text_ += "::";
    }
    append_name(name, text_);
    const std::vector<id_t> early = select(entity, [&](id_t id) { return is_early(entity, id); });
    append_list(entity, parent, early);
    said_ = !early.empty();
    unfinished_ = entity;
}

// Ends the line of an entity without a block.
void writer::end_entity() {
    if (unfinished_) {
        text_ += said_ ? "\n" : " {}\n";
        unfinished_ = {};
    }
}

// Closes blocks until `count` are open.
void writer::close_blocks(std::size_t count) {
    end_entity();
    while (blocks_.size() > count) {
        open_.erase(index_of(blocks_.back()));
        blocks_.pop_back();
        begin_line();
        text_ += "}\n";
    }
}

// Makes the block of an entity the innermost one.
void writer::open_scope(const entity& parent) {
    if (unfinished_ && unfinished_ == parent) {
        unfinished_ = {};
    } else {
        entity above = parent;
        while (above && !open_.contains(index_of(above))) {
            above = above.parent();
        }
        close_blocks(above ? open_[index_of(above)] : 0);
        if (above == parent) {
            return;
        }
        begin_line();
        append_path(above, parent);
    }
    text_ += " {\n";
    blocks_.push_back(parent);
    open_[index_of(parent)] = blocks_.size();
}

// True if the path of the entity would be long: its list is written inside of the parent's block.
bool writer::is_deep(entity entity) const {
    constexpr int longest = 8;
    for (int length = 0; length < longest; ++length, entity = entity.parent()) {
        if (!entity) {
            return false;
        }
    }
    return true;
}

// Writes the wanted ids of an entity as one line.
template <class Filter>
void writer::write_list(entity_t entity, Filter&& filter) {
    const std::vector<id_t> ids = select(entity, filter);
    if (ids.empty()) {
        return;
    }
    const kith::entity subject(world_, entity);
    const kith::entity scope = is_deep(subject) ? subject.parent() : kith::entity();
    open_scope(scope);
    begin_line();
    append_reference(scope, subject);
    append_list(subject, scope, ids);
    text_ += '\n';
}

// Writes the wanted ids of all entities as a paragraph.
template <class Filter>
void writer::write_all(Filter&& filter) {
    close_blocks(0);
    const std::size_t before = text_.size();
    text_ += before > 0 ? "\n" : "";
    const std::size_t begin = text_.size();
    for (const std::vector<entity_t>* list : {&contents_.changed_builtins(), &contents_.order()}) {
        for (const entity_t entity : *list) {
            write_list(entity, [&](id_t id) { return filter(entity, id); });
        }
    }
    close_blocks(0);
    if (text_.size() == begin) {
        text_.resize(before);
    }
}

// Writes sparse pairs in the order of each target's sources.
void writer::write_ordered() {
    text_ += ordered_.empty() ? "" : "\n";
    sort_by_text(ordered_);
    for (const id_t pair : ordered_) {
        const entity relation = alive(pair_first(pair));
        const entity target = alive(pair_second(pair));
        target.each_source(relation, [&](entity source) {
            if (source.name().empty()) {
                return;
            }
            append_reference({}, relation);
            text_ += '(';
            append_reference({}, source);
            text_ += ", ";
            append_reference({}, target);
            text_ += ')';
            append_value(source, {}, pair);
            text_ += '\n';
        });
    }
}

}  // namespace

}  // namespace dsl

std::string save_text(const world& world) {
    if (world.is_deferred()) {
        dsl::raise(errc::invalid_operation, "a world cannot be saved as text while it is deferred");
    }
    return dsl::writer(world).write();
}

}  // namespace kith
