// Validation of query descriptions, declared in validate.hpp. The class validator first checks each
// term by itself (check_term), then the structure that terms have together: scopes, Or chains,
// fields and variables.
#include "query/validate/validate.hpp"

#include <kith/syntax/text.hpp>

#include "base/assert.hpp"
#include "base/raise.hpp"
#include "ids/builtin.hpp"
#include "query/model/clauses.hpp"
#include "query/validate/describe.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace kith::queries {

namespace {

// True for `this` in any letter case.
bool is_this(std::string_view name) noexcept {
    auto lower = [](char letter) { return static_cast<char>(letter | 0x20); };
    return name.size() == 4 && lower(name[0]) == 't' && lower(name[1]) == 'h' &&
           lower(name[2]) == 'i' && lower(name[3]) == 's';
}

// Writes the terms of one model in order. `number_` is the term that errors are about.
class validator {
public:
    validator(const storage::store& data, const resolver& names, const query_desc& desc,
              const model_buffers& room, query_model& model) noexcept
        : data_(data),
          names_(names),
          desc_(desc),
          terms_(room.terms),
          variables_(room.variables),
          text_(room.text),
          model_(model) {}

    void run() {
        KITH_ASSERT(model_.variable_count == 1 && model_.cascade < 0, "the model is a new one");
        if (desc_.count > max_terms) {
            base::text message;
            message << "a query has at most " << max_terms << " terms; this one has "
                    << desc_.count;
            base::raise(errc::limit, message);
        }
        variables_[0] = "this";
        for (number_ = 0; number_ < desc_.count; ++number_) {
            check_term(desc_.terms[number_], terms_[number_]);
        }
        match_scopes();
        join_chains();
        find_wildcard_chains();
        number_fields();
        summarize();
        if (model_.graph) {
            check_variables();
        }
    }

private:
    // -- errors

    // Begins a message about the current term with its number and id. The error of a term that was
    // read from text shows the place in the text instead.
    void describe(base::text& message) const {
        const term_desc& desc = desc_.terms[number_];
        if (desc.text) {
            return;
        }
        message << "term " << (number_ + 1);
        const term& term = terms_[number_];
        if (term.id != 0) {
            message << " (";
            // The model keeps `!=` as the negation of `==`; the message names what was written.
            const bool differs =
                desc.first.id == PredNeq || (is_pair(desc.id) && pair_first(desc.id) == PredNeq);
            names_.describe(names_.world, differs ? id_t{PredNeq} : term.id, message);
            message << ")";
        } else if (desc.first.name) {
            message << " (" << desc.first.name << ")";
        }
        message << ": ";
    }
    // Names a term in a message: by its text if it was parsed, else by its number.
    void name_other(std::uint32_t number, base::text& message) const {
        const term_desc& other = desc_.terms[number];
        if (other.text) {
            message << "`"
                    << std::string_view{other.text + other.text_begin,
                                        other.text_end - other.text_begin}
                    << "`";
        } else {
            message << "term " << number + 1;
        }
    }
    // Raises an error about the current term. For a term that was read from text, the message shows
    // the line and marks the term in it.
    [[noreturn]] void raise(errc code, const base::text& message) const {
        const term_desc& desc = desc_.terms[number_];
        if (!desc.text) {
            base::raise(code, message);
        }
        const std::string whole =
            syntax::locate_in_text(desc.text, desc.text_begin, desc.text_end, message.view());
        base::raise(code, whole.c_str());
    }
    [[noreturn]] void refuse(errc code, std::string_view reason) const {
        base::text message;
        describe(message);
        message << reason;
        raise(code, message);
    }
    [[noreturn]] void refuse_entity(errc code, std::string_view before, id_t id,
                                    std::string_view after) const {
        base::text message;
        describe(message);
        message << before;
        names_.describe(names_.world, id, message);
        message << after;
        raise(code, message);
    }

    // -- elements and variables

    // The entity with a name; `*` and `_` are the wildcards. Raises an error if there is none.
    entity_t look_up(const char* name) const {
        std::string_view text{name};
        if (text == "*") {
            return Wildcard;
        }
        if (text == "_") {
            return Any;
        }
        if (entity_t entity = names_.find(names_.world, name)) {
            return entity;
        }
        base::text message;
        describe(message);
        message << "there is no entity \"" << text
                << "\"; a C++ type has its name after its first use: world.component<T>()";
        raise(errc::invalid_query, message);
    }
    // True for `$name` and for names with the flag IsVariable; false for quoted names.
    static bool is_variable(const term_part_desc& part) noexcept {
        return part.name && (part.flags & IsVariable || (part.name[0] == '$' && part.name[1])) &&
               !(part.flags & IsName);
    }
    // Copies a text into the buffer of the model, with a terminating 0. Requires: buffer_sizes()
    // has counted the text.
    const char* keep_text(std::string_view text) noexcept {
        char* copy = text_;
        text_ = std::copy(text.begin(), text.end(), text_);
        *text_++ = 0;
        return copy;
    }
    // The number of the variable that the part names. A new name gets the next number.
    std::uint8_t variable(const term_part_desc& part) {
        KITH_ASSERT(part.name, "a variable has a name");
        std::string_view name{part.name};
        name.remove_prefix(name[0] == '$');
        if (name.empty()) {
            refuse(errc::invalid_query, "a variable needs a name");
        }
        if (is_this(name)) {
            return 0;
        }
        for (std::uint32_t i = 1; i < model_.variable_count; ++i) {
            if (name == variables_[i]) {
                return static_cast<std::uint8_t>(i);
            }
        }
        if (model_.variable_count == max_variables) {
            refuse(errc::limit, "a query has at most 64 variables, $this being one of them");
        }
        variables_[model_.variable_count] = keep_text(name);
        return static_cast<std::uint8_t>(model_.variable_count++);
    }
    // The entity that a part stands for. For a variable, writes its number and returns the wildcard
    // that holds its place in the id.
    entity_t element(const term_part_desc& part, std::uint8_t& number) {
        if (is_variable(part) || (!part.name && part.id == This)) {
            number = part.name ? variable(part) : 0;
            return Wildcard;
        }
        return element(part);
    }
    entity_t element(const term_part_desc& part) const {
        if (part.name) {
            return look_up(part.name);
        }
        if (part.id != 0 && !is_wildcard(part.id) && part.id != This &&
            (part.id & id_flags_mask || !data_.entities.find(part.id))) {
            refuse(errc::invalid_entity, "an element of it is not alive");
        }
        return part.id;
    }

    // -- single terms

    // Writes one term. Its operator may still change in match_scopes() and join_chains().
    void check_term(const term_desc& desc, term& term) {
        term = {};
        term.type = desc.type;
        term.access = desc.inout;
        term.is_filter = desc.is_filter;
        term.is_argument = desc.is_argument;
        term.oper = desc.oper;
        entity_t first = desc.id != 0 && is_pair(desc.id) ? pair_first(desc.id)
                         : desc.id != 0                   ? desc.id
                                                          : desc.first.id;
        if (first == ScopeOpen || first == ScopeClose) {
            check_scope_term(first, term);
            return;
        }
        if (first == PredEq || first == PredNeq || first == PredMatch) {
            check_comparison(desc, first, term);
            return;
        }
        find_id(desc, term);
        find_source(desc, term);
        find_traversal(desc, term);
        find_substitution(desc.first, term.first_variable, term.first, term.first_by);
        find_substitution(desc.second, term.second_variable, term.second, term.second_by);
        if (is_pair(term.id) && pair_first(term.id) == IsA && is_written_out(term.second_by)) {
            term.second_by = {};
        }
        check_operator(desc, term);
        check_type(term);
        if (desc.value) {
            check_value(desc, term);
        }
    }

    // -- comparisons of values

    // Raises an error about a comparison, with the place of the side that is wrong.
    [[noreturn]] void raise_refused(const value_desc& desc, const detail::value_refusal& refusal) {
        const term_desc& whole = desc_.terms[number_];
        base::text message;
        describe(message);
        message << std::string_view(refusal.message);
        const std::size_t at = refusal.is_right ? desc.right_at : desc.path_at + refusal.offset;
        if (!whole.text || at <= whole.text_begin || at >= whole.text_end) {
            raise(errc::invalid_query, message);
        }
        const std::string located = syntax::locate_in_text(
            whole.text, static_cast<std::uint32_t>(at),
            refusal.is_right ? whole.text_end : static_cast<std::uint32_t>(at + 1), message.view());
        base::raise(errc::invalid_query, located.c_str());
    }
    // The component of the values of an id. Raises an error if it has none.
    entity_t component_of(id_t id) const {
        const types::component_type* type =
            is_open(id) ? nullptr : traits::describe_id(data_, id).value_type;
        if (!type) {
            refuse_entity(errc::invalid_query, "", id, " has no values that could be compared");
        }
        return data_.entities.alive_at(index_of(type->component));
    }
    // Writes the comparison of a value term.
    void check_value(const term_desc& desc, term& term) {
        if (term.is_from_list() || term.from == source_kind::none || term.at_most_one ||
            term.first_variable != no_variable) {
            refuse(errc::invalid_query,
                   "a comparison needs one component and a source that has its values");
        }
        const value_desc& wanted = *desc.value;
        model_.conditions.push_back(std::make_unique<value_condition>());
        value_condition& condition = *model_.conditions.back();
        detail::value_request request{names_.world, component_of(term.id), 0, &wanted};
        if (wanted.other) {
            request.other = check_operand(wanted, condition, term);
        }
        if (wanted.made) {
            wanted.made->owners.increment();
            condition.test = wanted.made;
        } else {
            detail::value_refusal refusal;
            condition.test = detail::make_value_test(request, refusal);
            if (!condition.test) {
                raise_refused(wanted, refusal);
            }
        }
        term.value = &condition;
        term.access = term.oper == Not || desc.by_with ? InOutNone : In;
        condition.desc.made = condition.test;
        condition.desc.how = wanted.how;
        condition.desc.is_handle = wanted.is_handle;
        condition.desc.number = wanted.number;
        condition.desc.offset = wanted.offset;
        condition.desc.other = wanted.other ? &condition.other : nullptr;
    }
    // Writes the value on the right side of a comparison, and the variable that is its source.
    // Returns its component; 0 for an entity that is compared itself.
    entity_t check_operand(const value_desc& wanted, value_condition& condition, term& term) {
        const term_desc& desc = *wanted.other;
        queries::term& operand = condition.operand;
        condition.has_operand = true;
        condition.is_handle = wanted.is_handle;
        find_source(desc, operand);
        if (!wanted.is_handle) {
            find_id(desc, operand);
            find_traversal(desc, operand);
            if (operand.has_element_variables() || is_wildcard(operand.id) ||
                operand.flags & (TraverseAll | Cascade)) {
                refuse(errc::invalid_query, "the right side of a comparison is one value");
            }
        }
        const bool same_row = operand.from == source_kind::self && term.from == source_kind::self;
        if (operand.from != source_kind::fixed && (!same_row || wanted.is_handle)) {
            term.value_variable = operand.source_variable;
        }
        condition.binds =
            wanted.is_handle && wanted.how == equal && operand.from != source_kind::fixed;
        condition.other = desc;
        condition.other.text = nullptr;
        condition.other.value = nullptr;
        if (operand.from != source_kind::fixed) {
            condition.other.src.id = 0;
            condition.other.src.name = variables_[operand.source_variable];
            condition.other.src.flags |= IsVariable;
        } else {
            condition.other.src.id = operand.source;
            condition.other.src.name = nullptr;
        }
        condition.other.id = 0;
        condition.other.first.id = operand.first;
        condition.other.first.name = nullptr;
        condition.other.second.id = operand.second;
        condition.other.second.name = nullptr;
        return wanted.is_handle ? 0 : component_of(operand.id);
    }

    // Writes `{` or `}`.
    void check_scope_term(entity_t bracket, term& term) const {
        term.id = bracket;
        term.kind = bracket == ScopeOpen ? term_kind::scope_open : term_kind::scope_close;
        term.from = source_kind::none;
        term.access = InOutNone;
        if (term.is_from_list() ||
            (bracket == ScopeClose && (term.oper == Not || term.oper == Optional))) {
            refuse(errc::invalid_query,
                   "a scope is And, Or, Not or Optional, which is said where it is opened");
        }
    }

    // Writes a comparison: `$x == Foo`, `$x != "Foo"`, `$x ~= "Fo"`. `!=` becomes a negated `==`.
    void check_comparison(const term_desc& desc, entity_t predicate, term& term) {
        term.id = predicate;
        term.kind = predicate == PredMatch            ? term_kind::name_match
                    : desc.first.flags & is_unordered ? term_kind::apart
                                                      : term_kind::equal;
        term.access = InOutNone;
        if (predicate == PredNeq && term.kind != term_kind::apart) {
            if (term.oper != And && term.oper != Not) {
                refuse(errc::invalid_query, "`!=` can only be And or Not");
            }
            term.oper = term.oper == And ? Not : And;
            term.id = PredEq;
        }
        if (term.oper != And && term.oper != Not && term.oper != Or) {
            refuse(errc::invalid_query, "a comparison is And, Or or Not");
        }
        if (desc.inout != InOutDefault && desc.inout != InOutNone) {
            refuse(errc::invalid_query, "a comparison gives no data: it has no access");
        }
        if ((desc.src.flags | desc.first.flags | desc.second.flags) & search_flags) {
            refuse(errc::invalid_query, "a comparison does not search");
        }
        find_source(desc, term);
        if (term.from == source_kind::fixed) {
            refuse(errc::invalid_query,
                   "the left side of a comparison is a variable: an entity is compared with "
                   "`$this == Entity`, or with `$x == Entity`");
        }
        term_part_desc second = desc.second;
        if (desc.id != 0 && is_pair(desc.id)) {
            second.id = alive(pair_second(desc.id));
        }
        if (predicate == PredMatch || second.flags & IsName) {
            if (!second.name) {
                refuse(errc::invalid_query, "it compares with a name, and has none");
            }
            term.kind = predicate == PredMatch ? term_kind::name_match : term_kind::name_equal;
            term.text = keep_text(second.name);
            return;
        }
        term.second = element(second, term.second_variable);
        if (term.second_variable == no_variable && (term.second == 0 || is_wildcard(term.second))) {
            refuse(errc::invalid_query, "it compares with nothing: name an entity or a variable");
        }
    }

    // Writes the substitution of an element: search flags on the first or second part of a term.
    void find_substitution(const term_part_desc& part, std::uint8_t variable, entity_t element,
                           substitution& substitution) {
        std::uint32_t flags = part.flags & search_flags;
        if (flags == 0) {
            return;
        }
        if (element == 0 && variable == no_variable) {
            refuse(errc::invalid_query, "only a named element, or a variable, can be substituted");
        }
        if (flags & (Cascade | Desc)) {
            refuse(errc::invalid_query, "`cascade` is about sources");
        }
        substitution = find_search(part);
        if (!(substitution.flags & (Up | Down)) && substitution.trav != 0) {
            refuse_direction();
        }
        substitution.trav = substitution.trav == 0 ? IsA : substitution.trav;
    }

    // True for `[self|all|down(IsA)]`, the meaning that the target of an IsA pair has by default.
    static bool is_written_out(const substitution& substitution) noexcept {
        return substitution.flags == (Self | Down | TraverseAll) && substitution.trav == IsA &&
               substitution.min_depth == 1 && substitution.max_depth == 0xFFFFFFFF;
    }

    // The search that the flags of a part ask for. `parent` becomes up(ChildOf), `cascade` implies
    // `up`, and a direction without a relationship follows IsA.
    substitution find_search(const term_part_desc& part) const {
        substitution substitution;
        substitution.flags = part.flags & search_flags;
        substitution.trav = index_of(part.trav);
        if (substitution.flags & Parent) {
            if (substitution.trav != 0 && substitution.trav != ChildOf) {
                refuse(errc::invalid_query,
                       "`parent` is about ChildOf, not about another relationship");
            }
            substitution.trav = ChildOf;
            substitution.flags = (substitution.flags & ~Parent) | Up;
        }
        if (substitution.flags & Cascade) {
            substitution.flags |= Up;
        }
        if (substitution.flags & Up && substitution.flags & Down) {
            refuse(errc::invalid_query, "`up` and `down` exclude each other");
        }
        if (substitution.flags & (Up | Down)) {
            substitution.trav = substitution.trav == 0 ? IsA : substitution.trav;
        } else if (part.min_depth != 0 || part.max_depth != 0) {
            refuse(errc::invalid_query, "depth limits need `up` or `down`");
        }
        substitution.min_depth = part.min_depth == 0 ? 1 : part.min_depth;
        substitution.max_depth = part.max_depth == 0 ? 0xFFFFFFFF : part.max_depth;
        if (substitution.min_depth > substitution.max_depth) {
            refuse(errc::invalid_query, "its least depth is greater than its greatest");
        }
        if (substitution.trav != 0 && substitution.trav != IsA) {
            substitution.relation = part.trav != 0 ? part.trav : substitution.trav;
            check_traversable(substitution.relation);
        }
        return substitution;
    }
    [[noreturn]] void refuse_direction() const {
        refuse(errc::invalid_query, "it names a relationship to follow, but no direction");
    }

    // Writes the id of a term and its elements. A relationship without a target stands for its
    // pairs with any target; a pair whose target is 0 asks for sources without any target.
    void find_id(const term_desc& desc, term& term) {
        entity_t first = element(desc.first, term.first_variable);
        entity_t second = element(desc.second, term.second_variable);
        bool has_second = desc.has_second || desc.second.name || second != 0;
        if (desc.id != 0) {
            first = desc.id;
            if (is_pair(desc.id)) {
                first = alive(pair_first(desc.id));
                second = alive(pair_second(desc.id));
                has_second = true;
                if (first == 0) {
                    term.id = desc.id;
                    refuse(errc::invalid_id, "its relationship is not alive");
                }
            }
        }
        if (first == 0) {
            refuse(errc::invalid_query, "it says nothing that could be matched: it has no id");
        }
        if (first & id_flags_mask || (!is_wildcard(first) && !data_.entities.find(first))) {
            term.id = first;
            refuse(errc::invalid_id, "it is not alive, or no id that can be matched");
        }
        term.id = first;
        if (has_second && second == 0) {
            // "No target" is the negation of "any target".
            term.id = make_pair(first, Wildcard);
            if (desc.id != 0 && pair_second(desc.id) != 0) {
                term.id = desc.id;
                refuse(errc::invalid_id, "its target is not alive");
            }
            if (term.oper != And && term.oper != Not) {
                refuse(errc::invalid_query, "without a target it can only be And or Not");
            }
            term.oper = term.oper == And ? Not : And;
        } else if (has_second) {
            if (second & id_flags_mask || (!is_wildcard(second) && !data_.entities.find(second))) {
                refuse(errc::invalid_id, "its target is not alive");
            }
            term.id = make_pair(first, second);
            term.second = is_wildcard(second) ? 0 : second;
        } else if (desc.oper < AndFrom && traits::is_relationship(data_, first)) {
            term.id = make_pair(first, Wildcard);
        }
        term.first = is_wildcard(first) ? 0 : first;
        term.at_most_one = is_pair(term.id)
                               ? pair_first(term.id) == Any || pair_second(term.id) == Any
                               : term.id == Any;
    }
    // The living entity at an index, 0 if there is none; wildcards are returned as they are.
    entity_t alive(std::uint32_t index) const noexcept {
        return is_wildcard_element(index) ? index : data_.entities.alive_at(index);
    }

    // Writes the source: $this unless the description names an entity or a variable. A negated term
    // without a source is about $this.
    void find_source(const term_desc& desc, term& term) {
        if (desc.no_source && term.oper != Not) {
            term.from = source_kind::none;
            return;
        }
        const term_part_desc& part = desc.src;
        std::uint8_t number = no_variable;
        entity_t source = element(part, number);
        if (number != no_variable) {
            term.from = number == 0 ? source_kind::self : source_kind::variable;
            term.source_variable = number;
            return;
        }
        if (source == 0) {
            return;
        }
        if (is_wildcard(source)) {
            refuse(errc::invalid_query, "a source is a variable or one entity, not a wildcard");
        }
        term.from = source_kind::fixed;
        term.source = source;
    }

    // Writes how the term searches from its source. The default is self|up(IsA): inherited ids
    // count.
    void find_traversal(const term_desc& desc, term& term) {
        const substitution search = find_search(desc.src);
        term.trav = search.trav;
        term.relation = search.relation;
        term.min_depth = search.min_depth;
        term.max_depth = search.max_depth;
        term.flags = search.flags;
        if (term.flags & Desc && !(term.flags & Cascade)) {
            refuse(errc::invalid_query, "`desc` says how `cascade` orders; it needs one");
        }
        if (!(term.flags & (Self | Up | Down))) {
            if (term.trav != 0) {
                refuse_direction();
            }
            term.flags |= Self | Up;
            term.trav = IsA;
        }
        if (term.flags & Cascade) {
            if (term.from != source_kind::self) {
                refuse(errc::invalid_query, "`cascade` orders $this; its source is another entity");
            }
            if (model_.cascade >= 0) {
                refuse(errc::invalid_query, "only one term of a query can be `cascade`");
            }
            model_.cascade = static_cast<std::int32_t>(number_);
        }
    }
    // Refuses relationships that may have cycles: a search along them might not end.
    void check_traversable(entity_t relation) const {
        if (!data_.entities.find(relation)) {
            refuse(errc::invalid_entity, "the relationship to follow is not alive");
        }
        const storage::id_record* record = data_.ids.find(relation);
        if (!record || !(record->traits & traits::trait_no_cycles)) {
            refuse_entity(errc::invalid_query, "", relation,
                          " cannot be followed: it may have cycles; add Traversable to it");
        }
    }

    // Checks what the operator allows, and replaces the default access where a term gives no value.
    void check_operator(const term_desc& desc, term& term) const {
        if (term.is_from_list()) {
            if (is_pair(term.id) || is_wildcard(term.id)) {
                refuse(errc::invalid_query, "a list of ids is an entity, not a pair or a wildcard");
            }
            if (term.access != InOutDefault && term.access != InOutNone) {
                refuse(errc::invalid_query, "a list of ids gives no data: it has no access");
            }
            if (term.first_by.flags != 0) {
                refuse(errc::invalid_query, "a list of ids is named, not searched for");
            }
        }
        if (term.access == InOutDefault &&
            (desc.by_with || term.is_from_list() || term.oper == Not ||
             (!is_wildcard(term.id) && !traits::describe_id(data_, term.id).value_type))) {
            term.access = InOutNone;
        }
    }

    // Refuses terms whose values have another type than the callback of the query expects.
    void check_type(const term& term) const {
        if (term.type == 0) {
            return;
        }
        const types::component_type* type = traits::describe_id(data_, term.id).value_type;
        if (!type || type->component != term.type) {
            refuse_entity(errc::wrong_type, "callbacks would get it as ", term.type,
                          ", which is not the type of its values");
        }
    }

    // -- structure of the whole query

    // Pairs the brackets of scopes. An Or that was written at the opening bracket moves to the
    // closing one, where clause_at() looks for it.
    void match_scopes() {
        std::uint32_t open[max_scopes];
        std::uint32_t depth = 0;
        for (number_ = 0; number_ < desc_.count; ++number_) {
            term& bracket = terms_[number_];
            if (bracket.kind == term_kind::scope_open) {
                if (depth == max_scopes) {
                    refuse(errc::limit, "scopes can be at most 16 inside of each other");
                }
                open[depth++] = number_;
            } else if (bracket.kind == term_kind::scope_close) {
                if (depth == 0) {
                    refuse(errc::invalid_query, "a scope is closed that was not opened");
                }
                term& start = terms_[open[--depth]];
                start.scope_end = static_cast<std::uint8_t>(number_);
                if (start.oper == Or) {
                    start.oper = And;
                    bracket.oper = Or;
                }
            }
        }
        if (depth != 0) {
            number_ = open[depth - 1];
            refuse(errc::invalid_query, "a scope is opened and not closed");
        }
    }

    // Marks the members of Or chains, and checks that nothing else is said of them.
    void join_chains() {
        for (std::uint32_t i = 0; i < desc_.count; ++i) {
            if (terms_[i].oper != Or) {
                continue;
            }
            number_ = i;
            if (i + 1 == desc_.count || terms_[i + 1].kind == term_kind::scope_close) {
                terms_[i].oper = And;  // a trailing Or ends its chain
                terms_[i].in_chain |= i != 0 && terms_[i - 1].oper == Or;
                continue;
            }
            terms_[i].in_chain = terms_[i + 1].in_chain = true;
            oper_kind_t next = terms_[i + 1].oper;
            if (next != Or && next != And) {
                number_ = i + 1;
                refuse(errc::invalid_query, "it is joined by Or, and has another operator too");
            }
            if (terms_[i].kind == term_kind::scope_close ||
                terms_[i + 1].kind == term_kind::scope_open) {
                continue;
            }
            if (terms_[i].from == source_kind::none || terms_[i + 1].from == source_kind::none) {
                refuse(errc::invalid_query, "what is joined by Or needs a source");
            }
        }
    }

    // Sets `every_of_chain` on the members of chains in which each member is a wildcard.
    void find_wildcard_chains() {
        auto is_open = [](const term& term) {
            return term.kind == term_kind::ids && is_wildcard(term.id) && !term.at_most_one &&
                   !term.has_element_variables();
        };
        for (std::uint32_t i = 0; i < desc_.count;) {
            std::uint32_t last = i + 1;
            bool every = terms_[i].in_chain && is_open(terms_[i]);
            for (; terms_[last - 1].oper == Or; ++last) {
                every &= is_open(terms_[last]);
            }
            for (; i < last; ++i) {
                terms_[i].every_of_chain = every;
            }
        }
    }

    // Gives each term its field. The members of a chain share one, up to the next scope.
    void number_fields() {
        std::uint8_t field = 0;
        for (std::uint32_t i = 0; i < desc_.count; ++i) {
            terms_[i].field = field;
            bool last = terms_[i].oper != Or || terms_[i + 1].kind == term_kind::scope_open;
            field = static_cast<std::uint8_t>(field + (last && has_field(terms_[i])));
        }
        model_.field_count = field;
    }

    // Fills in the properties of the model that follow from its options and its terms.
    void summarize() {
        model_.terms = terms_;
        model_.count = desc_.count;
        model_.instanced = desc_.instanced || desc_.flags & FilterIsInstanced;
        model_.shows_prefabs = desc_.flags & FilterMatchPrefab;
        model_.shows_disabled = desc_.flags & FilterMatchDisabled;
        model_.tracks_rows = desc_.track_rows;
        model_.grouped = desc_.is_grouped();
        model_.variables = variables_;
        bool fixed = false;
        for (const term& term : model_) {
            fixed |= term.from == source_kind::fixed || term.from == source_kind::variable;
            model_.graph |= term.is_graph();
            model_.has_this |=
                term.first_variable == 0 || term.second_variable == 0 || term.value_variable == 0;
            if (term.from != source_kind::self) {
                continue;
            }
            model_.has_this = true;
            if (term.kind != term_kind::ids) {
                continue;
            }
            model_.shows_prefabs |= term.id == Prefab;
            model_.shows_disabled |= term.id == Disabled;
            model_.shows_builtins |= names_builtins(term.id);
        }
        model_.has_this |= !fixed;
        model_.without_builtins = find_without_builtins();
    }
    // The variables whose values are no builtin entities: variables that are sources only, of terms
    // that name no builtins. A variable in an id takes any entity that occurs there. Negated terms
    // count only for variables that no other term mentions.
    std::uint64_t find_without_builtins() const noexcept {
        if (model_.variable_count == 1) {
            return 0;
        }
        variable_set used = 0;
        variable_set used_elsewhere = 0;   // by terms that are not negated
        variable_set shown = 0;            // variables that may be builtins
        variable_set shown_elsewhere = 0;  // because of terms that are not negated
        std::uint32_t negated_until = 0;
        for (std::uint32_t i = 0; i < model_.count; ++i) {
            const term& term = terms_[i];
            if (term.kind == term_kind::scope_open && term.oper == Not) {
                negated_until = std::max<std::uint32_t>(negated_until, term.scope_end);
            }
            const bool negated = term.oper == Not || i < negated_until;
            const variable_set names = source_of(term) | elements_of(term);
            const bool ids = term.kind == term_kind::ids;
            const bool source =
                ids ? names_builtins(term.id)
                    : term.kind == term_kind::name_equal ||
                          (term.kind == term_kind::equal && term.second_variable == no_variable &&
                           ids::is_builtin(index_of(term.second)));
            const variable_set shows =
                (ids ? only(term.first_variable) | only(term.second_variable) | bound_by_value(term)
                     : 0) |
                (source ? source_of(term) : 0);
            used |= names;
            shown |= shows;
            used_elsewhere |= negated ? 0 : names;
            shown_elsewhere |= negated ? 0 : shows;
        }
        shown = shown_elsewhere | (shown & ~used_elsewhere);
        // A variable that is compared with one that may be a builtin may be a builtin itself.
        for (variable_set before = 0; before != shown;) {
            before = shown;
            for (std::uint32_t i = 0; i < model_.count; ++i) {
                const term& term = terms_[i];
                const variable_set both = source_of(term) | elements_of(term);
                const bool equal = term.kind == term_kind::equal && term.oper != Not;
                shown |= equal && both & shown ? both : 0;
            }
        }
        return used & ~this_variable & ~shown;
    }
    // Refuses queries whose variables cannot all get values (model/clauses.hpp).
    void check_variables() {
        const variable_fault fault = find_variable_fault(model_, 0, model_.count);
        if (fault.which == 0) {
            return;
        }
        number_ = fault.term;
        base::text message;
        describe(message);
        message << "the variable $" << variables_[std::countr_zero(fault.which)];
        switch (fault.kind) {
            case fault_kind::missing:
                message << " has no value: no term gives it one";
                break;
            case fault_kind::shared:
                message << " is only used under negation, and in several places: it has no value "
                           "that they could share";
                break;
            case fault_kind::circular:
                message << " has its value from ";
                name_other(fault.other, message);
                message << ", which needs what this term finds";
                break;
        }
        raise(errc::invalid_query, message);
    }
    // Brackets and `apart` have no place in a result.
    static bool has_field(const term& term) noexcept {
        return term.kind != term_kind::scope_open && term.kind != term_kind::scope_close &&
               term.kind != term_kind::apart;
    }
    // True for ids that a program uses in order to find builtin entities as well: builtin
    // components and tags, and pairs with a builtin target. Prefab and Disabled have options of
    // their own, and every named entity has a pair of the identifier component.
    static bool names_builtins(id_t id) noexcept {
        if (is_wildcard(id)) {
            return false;
        }
        if (!is_pair(id)) {
            return ids::is_builtin(index_of(id)) && id != Prefab && id != Disabled;
        }
        return ids::is_builtin(pair_second(id)) && pair_first(id) != detail::identifier_type_id;
    }

    // The flags of a part that say how it searches; other flags say what the part is.
    static constexpr std::uint32_t search_flags =
        Self | Up | Down | Parent | Cascade | Desc | TraverseAll;

    const storage::store& data_;
    const resolver& names_;
    const query_desc& desc_;
    term* terms_;
    const char** variables_;
    char* text_;  // the free part of the text buffer
    query_model& model_;
    std::uint32_t number_ = 0;  // of the term that is checked
};

}  // namespace

namespace {

void add_size(const term_part_desc& part, room_size& size) noexcept {
    if (part.name) {
        ++size.variables;
        size.text += std::strlen(part.name) + 1;
    }
}

}  // namespace

room_size buffer_sizes(const query_desc& desc) noexcept {
    room_size size;
    for (std::uint32_t i = 0; i < desc.count; ++i) {
        const term_desc& term = desc.terms[i];
        for (const term_part_desc* part : {&term.src, &term.first, &term.second}) {
            add_size(*part, size);
        }
        if (term.value && term.value->other) {
            add_size(term.value->other->src, size);
        }
    }
    size.variables = std::min(size.variables, max_variables);
    return size;
}

void validate(const storage::store& data, const resolver& names, const query_desc& desc,
              const model_buffers& room, query_model& model) {
    validator(data, names, desc, room, model).run();
}

}  // namespace kith::queries
