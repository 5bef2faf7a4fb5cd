// Facts that differ between worlds (world_diff.hpp).
#include "world_diff.hpp"

#include <kith/diff.hpp>
#include <kith/json.hpp>
#include <kith/value.hpp>

#include "answer.hpp"
#include "display_width.hpp"
#include "formats.hpp"

#include <map>
#include <vector>

namespace kith_app {

namespace {

// A fact of a world that other worlds may have as well.
struct world_fact {
    std::string entity;
    std::string id;    // `Cargo`, `(Likes,Alice)`; empty: that the entity exists
    std::string text;  // `Cargo(Bob)`, `Likes(Bob, Alice)`, `Bob`
    kith::value_view value;
    bool enabled = true;
};

class fact_list {
public:
    fact_list(const kith::snapshot& empty, const kith::world& world)
        : world_(world), states_(empty, world) {
        states_.each([&](const kith::fact_view& fact) { add(fact); });
        for (std::size_t i = 0; i < facts_.size(); ++i) {
            numbers_.emplace(facts_[i].text, i);
        }
    }

    const std::vector<world_fact>& facts() const noexcept { return facts_; }
    // Null if there is no such fact.
    const world_fact* find(const std::string& text) const {
        const auto found = numbers_.find(text);
        return found == numbers_.end() ? nullptr : &facts_[found->second];
    }

private:
    void add(const kith::fact_view& from) {
        const kith::entity entity = world_.entity(from.entity);
        const kith::id id = world_.id(from.id);
        if (from.kind == kith::fact_kind::entity_made) {
            const std::string path = path_of(entity);
            facts_.push_back({path, "", path, {}, true});
        } else if (from.kind == kith::fact_kind::id_added &&
                   !(id.is_pair() && id.first() == kith::type_id<kith::Identifier>())) {
            const std::string owner = path_of(entity);
            const std::string first = path_of(id.is_pair() ? id.first() : id.entity());
            const std::string second = id.is_pair() ? path_of(id.second()) : "";
            facts_.push_back({owner, id.is_pair() ? "(" + first + "," + second + ")" : first,
                              first + "(" + owner + (second.empty() ? "" : ", " + second) + ")",
                              value_of(from), entity.enabled(id)});
        }
    }
    // Empty for ids without a value, and for values without a description.
    kith::value_view value_of(const kith::fact_view& from) const {
        const kith::entity_t component =
            from.after ? kith::detail::type_component(world_, from.id) : 0;
        const kith::description* type =
            component ? kith::detail::find_description(world_, component) : nullptr;
        return type && type->what != kith::kind::none
                   ? kith::value_view(world_.c_ptr(), *type, from.after)
                   : kith::value_view();
    }

    kith::world world_;
    kith::diff states_;  // owns the values
    std::vector<world_fact> facts_;
    std::map<std::string, std::size_t> numbers_;
};

bool have_equal_members(const kith::value_view& left, const kith::value_view& right) {
    if (left.kind() != kith::kind::structure || right.kind() != kith::kind::structure ||
        left.size() != right.size()) {
        return false;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (std::string_view(left.type().members[i].name) != right.type().members[i].name) {
            return false;
        }
    }
    return true;
}

// Calls visit(path, left, right) for the parts that differ: members of structs, other values as a
// whole. Types of two worlds are compared by their members, handles by the paths of the entities.
template <class Visit>
void each_difference(const std::string& path, const kith::value_view& left,
                     const kith::value_view& right, const Visit& visit) {
    if (left.str() == right.str()) {
        return;
    }
    if (left && right && have_equal_members(left, right)) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            const char* name = left.type().members[i].name;
            each_difference(path.empty() ? name : path + "." + name, left[i], right[i], visit);
        }
        return;
    }
    visit(path, left, right);
}

// Writes the facts that differ, as lines and as JSON.
class listing {
public:
    listing(std::string& text, std::string& objects) : text_(text), objects_(objects) {}

    void remove(const world_fact& fact, const kith::world& world) {
        list("- ", fact.id.empty() ? "delete" : "remove", fact, world);
    }
    void add(const world_fact& fact, const kith::world& world) {
        list("+ ", fact.id.empty() ? "make" : "add", fact, world);
    }
    void change(const world_fact& fact, const std::string& path, const kith::value_view& before,
                const kith::world& world_before, const kith::value_view& after,
                const kith::world& world_after) {
        line("~ " + fact.text + (path.empty() ? "" : "." + path) + ": " + shown(before) + " -> " +
             shown(after));
        begin("set", fact);
        if (!path.empty()) {
            member("path", quoted(path));
        }
        member("old", json_of(before, world_before));
        member("new", json_of(after, world_after));
        objects_ += "}";
    }
    void turn(const world_fact& fact) {
        line("~ " + fact.text + (fact.enabled ? ": on" : ": off"));
        begin(fact.enabled ? "enable" : "disable", fact);
        objects_ += "}";
    }

private:
    static std::string shown(const kith::value_view& value) { return value ? value.str() : "?"; }
    static std::string quoted(const std::string& text) {
        std::string json;
        append_json(text, json);
        return json;
    }
    static std::string json_of(const kith::value_view& value, const kith::world& world) {
        std::string json;
        if (value) {
            kith::detail::append_json(json, world, value.type(), value.ptr(), {});
        }
        return value ? json : "null";
    }
    void list(const char* sign, const char* change, const world_fact& fact,
              const kith::world& world) {
        line(sign + fact.text + (fact.value ? " = " + fact.value.str() : std::string()) +
             (fact.enabled ? "" : "  (disabled)"));
        begin(change, fact);
        if (fact.value) {
            member("value", json_of(fact.value, world));
        }
        if (!fact.enabled) {
            member("disabled", "true");
        }
        objects_ += "}";
    }
    void line(const std::string& text) { text_ += printable(text) + "\n"; }
    void begin(const char* change, const world_fact& fact) {
        objects_ += objects_.empty() ? "" : ",\n";
        objects_ += R"({"change":)" + quoted(change);
        member("entity", quoted(fact.entity));
        if (!fact.id.empty()) {
            member("id", quoted(fact.id));
        }
    }
    void member(const char* name, const std::string& json) {
        objects_ += std::string(", \"") + name + "\":" + json;
    }

    std::string& text_;
    std::string& objects_;
};

}  // namespace

world_diff::world_diff(const kith::snapshot& empty_before, const kith::world& before,
                       const kith::snapshot& empty_after, const kith::world& after) {
    const fact_list old_facts(empty_before, before);
    const fact_list new_facts(empty_after, after);
    listing found(text_, objects_);
    // In reverse: an entity goes after its ids.
    for (std::size_t i = old_facts.facts().size(); i-- > 0;) {
        if (!new_facts.find(old_facts.facts()[i].text)) {
            found.remove(old_facts.facts()[i], before);
        }
    }
    for (const world_fact& fact : new_facts.facts()) {
        if (!old_facts.find(fact.text)) {
            found.add(fact, after);
        }
    }
    for (const world_fact& fact : new_facts.facts()) {
        const world_fact* known = old_facts.find(fact.text);
        if (!known) {
            continue;
        }
        each_difference("", known->value, fact.value,
                        [&](const std::string& path, const kith::value_view& old_part,
                            const kith::value_view& new_part) {
                            found.change(fact, path, old_part, before, new_part, after);
                        });
        if (known->enabled != fact.enabled) {
            found.turn(fact);
        }
    }
}

}  // namespace kith_app
