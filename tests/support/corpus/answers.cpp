#include "support/corpus/answers.hpp"

#include <kith/syntax/text.hpp>

#include <algorithm>
#include <utility>

namespace corpus {

namespace {

// -- rows as text

void append_path(const kith::entity& one, std::string& out) {
    const kith::entity parent = one.parent();
    if (parent && parent != kith::Kith) {
        append_path(parent, out);
        out += ".";
    }
    if (one.name().empty()) {
        out += "#" + std::to_string(one.id());
    } else {
        kith::syntax::append_name(std::string_view{one.name()}, out);
    }
}
std::string path_of(const kith::world& world, kith::entity_t one) {
    std::string path = one ? "" : "-";
    if (one) {
        append_path(world.entity(one), path);
    }
    return path;
}
std::string id_text(const kith::world& world, kith::id_t id) {
    if (!kith::is_pair(id)) {
        return path_of(world, id);
    }
    return "(" + path_of(world, world.get_alive(kith::pair_first(id))) + "," +
           path_of(world, world.get_alive(kith::pair_second(id))) + ")";
}

// `Bob x=Alice 2=(Likes,Alice)`
template <class ValueOf, class IdOf>
std::string row_text(const kith::world& world, const std::vector<std::string>& variables,
                     const std::vector<wildcard_field>& wildcards, kith::entity_t self,
                     const ValueOf& value_of, const IdOf& id_of) {
    std::string row = self ? path_of(world, self) : "()";
    for (const std::string& name : variables) {
        row += " " + name + "=" + path_of(world, value_of(name));
    }
    for (const wildcard_field& one : wildcards) {
        const kith::id_t id = id_of(one);
        row += " " + std::to_string(one.number) + "=" + (id ? id_text(world, id) : "-");
    }
    return row;
}
line_list in_order(line_list rows) {
    std::sort(rows.begin(), rows.end());
    return rows.empty() ? line_list{"none"} : rows;
}

}  // namespace

std::vector<std::string> variables_of(const kith::iterable<>& query) {
    std::vector<std::string> names;
    for (std::int32_t i = 1; i < query.var_count(); ++i) {
        names.emplace_back(query.var_name(i));
    }
    return names;
}
line_list rows_of(const kith::world& world, const kith::iterable<>& query,
                  const std::vector<wildcard_field>& wildcards) {
    const std::vector<std::string> variables = variables_of(query);
    line_list rows;
    query.iter([&](kith::iter& it) {
        const auto add = [&](kith::entity_t self) {
            rows.push_back(row_text(
                world, variables, wildcards, self,
                [&](const std::string& name) { return it.get_var(name.c_str()).id(); },
                [&](const wildcard_field& one) {
                    return it.is_set(one.number) ? it.id(one.number).raw_id() : 0;
                }));
        };
        if (it.count() == 0) {
            add(0);
        }
        for (auto row : it) {
            add(it.entity(row));
        }
    });
    return in_order(std::move(rows));
}
line_list rows_of(const kith::world& world, const oracle_query& query,
                  const std::vector<std::string>& variables) {
    const oracle::answer found = oracle::evaluate(oracle::reader(world), query.terms);
    line_list rows;
    for (const oracle::result& one : found.results) {
        rows.push_back(row_text(
            world, variables, query.wildcards, one.entity(),
            [&](const std::string& name) {
                const auto& known = query.variables;
                const auto at = std::find(known.begin() + 1, known.end(), name);
                const auto number = static_cast<std::size_t>(at - known.begin());
                return number < one.variables.size() ? one.variables[number] : 0;
            },
            [&](const wildcard_field& field) {
                const oracle::field& what = one.fields[field.in_oracle];
                return what.set ? what.id : 0;
            }));
    }
    return in_order(std::move(rows));
}

// -- changing a world

void forgetting::run(std::size_t share) {
    const oracle::reader now(world_);
    for (kith::entity_t one : now.all()) {
        const bool mine = kith::index_of(one) % 2 == share;
        if (mine && !oracle::is_builtin(kith::index_of(one)) && !is_copied(one)) {
            forget(one, now.own(one));
        }
    }
}
bool forgetting::is_copied(kith::entity_t one) const {
    for (kith::entity at = world_.entity(one).parent(); at; at = at.parent()) {
        if (at.owns(kith::IsA, kith::Wildcard)) {
            return true;
        }
    }
    return false;
}
bool forgetting::is_kept(kith::id_t id) const {
    if (!kith::is_pair(id)) {
        return id == kith::Prefab || kith::index_of(id) < kith::detail::first_type;
    }
    const kith::entity first = world_.get_alive(kith::pair_first(id));
    const kith::entity second = world_.get_alive(kith::pair_second(id));
    return first == kith::ChildOf || first == kith::detail::identifier_type_id ||
           (first == kith::IsA && second.owns(kith::Prefab));
}
void forgetting::forget(kith::entity_t one, const std::vector<kith::id_t>& ids) {
    for (kith::id_t id : ids) {
        if (!is_kept(id)) {
            try {
                world_.entity(one).remove(id);
            } catch (const kith::error&) {
                // Others need it: it stays.
            }
        }
    }
}

}  // namespace corpus
