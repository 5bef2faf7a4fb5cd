// save_text() (include/kith/world_text.hpp): writes a world as facts, in an order in which they can
// always be loaded again:
//
// 0. Types that have no entity, or that are named before their entity.
// 1. Entities; tags and relationships of other entities first, children in the blocks of their
//    parents and in their order. Each entity is written with the ids whose elements were written
//    before it, and with the properties that decide how pairs are stored. Other types are declared
//    in the places of their entities.
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
#include <kith/detail/type_text.hpp>

#include "diagnostics.hpp"
#include "identifier.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace kith {

namespace dsl {

namespace {

// Writes the text of a world.
class writer {
public:
    explicit writer(const world& world)
        : world_(world), contents_(world), types_(contents_.types()) {}

    std::string write() {
        types_.write(text_);
        for (const entity_t builtin : contents_.changed_builtins()) {
            write_list(builtin, [&](id_t id) { return is_arrangement(id); });
        }
        for (const entity_t entity : contents_.order()) {
            write_type(kith::entity(world_, entity));
            if (!is_stated(entity)) {
                write_entity(kith::entity(world_, entity));
            }
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
        std::vector<id_t> ids = contents_.facts_of(kith::entity(world_, entity)).ids;
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

    // True if the declaration of the entity's type says all that its line would say.
    bool is_stated(entity_t entity) {
        return types_.declares(entity) &&
               select(entity, [&](id_t id) { return is_early(entity, id); }).empty();
    }
    void write_type(const entity& component);
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
    world_contents contents_;
    written_types types_;
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

// Writes the declaration of a type in the place of its entity.
void writer::write_type(const entity& component) {
    if (const description* type = types_.declared_at(component)) {
        open_scope(component.parent());
        begin_line();
        types_.append(text_, *type, !blocks_.empty());
        text_ += '\n';
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
