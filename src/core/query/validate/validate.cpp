#include "query/validate/validate.hpp"

#include <kith/syntax/text.hpp>

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

// Checks one term after the other.
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
    // Begins a message about the term. One that was read from text needs no name: its place is
    // shown.
    void describe(base::text& message) const {
        const term_desc& asked = desc_.terms[number_];
        if (asked.text) {
            return;
        }
        message << "term " << (number_ + 1);
        const term& made = terms_[number_];
        if (made.id != 0) {
            message << " (";
            // As it was said: != is kept as the negation of ==.
            const bool differs =
                asked.first.id == PredNeq || (is_pair(asked.id) && pair_first(asked.id) == PredNeq);
            names_.describe(names_.world, differs ? id_t{PredNeq} : made.id, message);
            message << ")";
        } else if (asked.first.name) {
            message << " (" << asked.first.name << ")";
        }
        message << ": ";
    }
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
    [[noreturn]] void raise(errc code, const base::text& message) const {
        const term_desc& asked = desc_.terms[number_];
        if (!asked.text) {
            base::raise(code, message);
        }
        const std::string whole =
            syntax::locate_in_text(asked.text, asked.text_begin, asked.text_end, message.view());
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

    entity_t look_up(const char* name) const {
        std::string_view text{name};
        if (text == "*") {
            return Wildcard;
        }
        if (text == "_") {
            return Any;
        }
        if (entity_t found = names_.find(names_.world, name)) {
            return found;
        }
        base::text message;
        describe(message);
        message << "there is no entity \"" << text
                << "\"; a C++ type has its name after its first use: world.component<T>()";
        raise(errc::invalid_query, message);
    }
    static bool is_variable(const term_part_desc& part) noexcept {
        return part.name && (part.flags & IsVariable || (part.name[0] == '$' && part.name[1])) &&
               !(part.flags & IsName);
    }
    static bool is_this(std::string_view name) noexcept {
        auto lower = [](char letter) { return static_cast<char>(letter | 0x20); };
        return name.size() == 4 && lower(name[0]) == 't' && lower(name[1]) == 'h' &&
               lower(name[2]) == 'i' && lower(name[3]) == 's';
    }
    const char* keep_text(std::string_view text) noexcept {
        char* kept = text_;
        text_ = std::copy(text.begin(), text.end(), text_);
        *text_++ = 0;
        return kept;
    }
    // The number of a variable; a new one if its name is new.
    std::uint8_t variable(const term_part_desc& part) {
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
    // The entity that a part stands for. A variable has a wildcard in its place.
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

    void check_term(const term_desc& asked, term& made) {
        made = {};
        made.type = asked.type;
        made.access = asked.inout;
        made.is_filter = asked.is_filter;
        made.is_argument = asked.is_argument;
        made.oper = asked.oper;
        entity_t first = asked.id != 0 && is_pair(asked.id) ? pair_first(asked.id)
                         : asked.id != 0                    ? asked.id
                                                            : asked.first.id;
        if (first == ScopeOpen || first == ScopeClose) {
            check_scope_term(first, made);
            return;
        }
        if (first == PredEq || first == PredNeq || first == PredMatch) {
            check_comparison(asked, first, made);
            return;
        }
        find_id(asked, made);
        find_source(asked, made);
        find_traversal(asked, made);
        find_substitution(asked.first, made.first_variable, made.first, made.first_by);
        find_substitution(asked.second, made.second_variable, made.second, made.second_by);
        if (is_pair(made.id) && pair_first(made.id) == IsA && is_written_out(made.second_by)) {
            made.second_by = {};
        }
        check_operator(asked, made);
        check_type(made);
    }

    void check_scope_term(entity_t which, term& made) const {
        made.id = which;
        made.kind = which == ScopeOpen ? term_kind::scope_open : term_kind::scope_close;
        made.from = source_kind::none;
        made.access = InOutNone;
        if (made.is_from_list() ||
            (which == ScopeClose && (made.oper == Not || made.oper == Optional))) {
            refuse(errc::invalid_query,
                   "a scope is And, Or, Not or Optional, which is said where it is opened");
        }
    }

    // `$x == Foo`, `$x != "Foo"`, `$x ~= "Fo"`.
    void check_comparison(const term_desc& asked, entity_t which, term& made) {
        made.id = which;
        made.kind = which == PredMatch                 ? term_kind::name_match
                    : asked.first.flags & is_unordered ? term_kind::apart
                                                       : term_kind::equal;
        made.access = InOutNone;
        if (which == PredNeq && made.kind != term_kind::apart) {
            if (made.oper != And && made.oper != Not) {
                refuse(errc::invalid_query, "`!=` can only be And or Not");
            }
            made.oper = made.oper == And ? Not : And;
            made.id = PredEq;
        }
        if (made.oper != And && made.oper != Not && made.oper != Or) {
            refuse(errc::invalid_query, "a comparison is And, Or or Not");
        }
        if (asked.inout != InOutDefault && asked.inout != InOutNone) {
            refuse(errc::invalid_query, "a comparison gives no data: it has no access");
        }
        if ((asked.src.flags | asked.first.flags | asked.second.flags) & search_flags) {
            refuse(errc::invalid_query, "a comparison does not search");
        }
        find_source(asked, made);
        if (made.from == source_kind::fixed) {
            refuse(errc::invalid_query,
                   "the left side of a comparison is a variable: an entity is compared with "
                   "`$this == Entity`, or with `$x == Entity`");
        }
        term_part_desc second = asked.second;
        if (asked.id != 0 && is_pair(asked.id)) {
            second.id = alive(pair_second(asked.id));
        }
        if (which == PredMatch || second.flags & IsName) {
            if (!second.name) {
                refuse(errc::invalid_query, "it compares with a name, and has none");
            }
            made.kind = which == PredMatch ? term_kind::name_match : term_kind::name_equal;
            made.text = keep_text(second.name);
            return;
        }
        made.second = element(second, made.second_variable);
        if (made.second_variable == no_variable && (made.second == 0 || is_wildcard(made.second))) {
            refuse(errc::invalid_query, "it compares with nothing: name an entity or a variable");
        }
    }

    // Flags on the first and second element.
    void find_substitution(const term_part_desc& part, std::uint8_t variable, entity_t element,
                           substitution& made) {
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
        made = find_search(part);
        if (!(made.flags & (Up | Down)) && made.trav != 0) {
            refuse_direction();
        }
        made.trav = made.trav == 0 ? IsA : made.trav;
    }

    // `[self|all|down(IsA)]`, which a pair of IsA says of its target anyway.
    static bool is_written_out(const substitution& by) noexcept {
        return by.flags == (Self | Down | TraverseAll) && by.trav == IsA && by.min_depth == 1 &&
               by.max_depth == 0xFFFFFFFF;
    }

    // What a part of a term says about the relationship to follow.
    substitution find_search(const term_part_desc& part) const {
        substitution made;
        made.flags = part.flags & search_flags;
        made.trav = index_of(part.trav);
        if (made.flags & Parent) {
            if (made.trav != 0 && made.trav != ChildOf) {
                refuse(errc::invalid_query,
                       "`parent` is about ChildOf, not about another relationship");
            }
            made.trav = ChildOf;
            made.flags = (made.flags & ~Parent) | Up;
        }
        if (made.flags & Cascade) {
            made.flags |= Up;
        }
        if (made.flags & Up && made.flags & Down) {
            refuse(errc::invalid_query, "`up` and `down` exclude each other");
        }
        if (made.flags & (Up | Down)) {
            made.trav = made.trav == 0 ? IsA : made.trav;
        } else if (part.min_depth != 0 || part.max_depth != 0) {
            refuse(errc::invalid_query, "depth limits need `up` or `down`");
        }
        made.min_depth = part.min_depth == 0 ? 1 : part.min_depth;
        made.max_depth = part.max_depth == 0 ? 0xFFFFFFFF : part.max_depth;
        if (made.min_depth > made.max_depth) {
            refuse(errc::invalid_query, "its least depth is greater than its greatest");
        }
        if (made.trav != 0 && made.trav != IsA) {
            made.relation = part.trav != 0 ? part.trav : made.trav;
            check_traversable(made.relation);
        }
        return made;
    }
    [[noreturn]] void refuse_direction() const {
        refuse(errc::invalid_query, "it names a relationship to follow, but no direction");
    }

    void find_id(const term_desc& asked, term& made) {
        entity_t first = element(asked.first, made.first_variable);
        entity_t second = element(asked.second, made.second_variable);
        bool has_second = asked.has_second || asked.second.name || second != 0;
        if (asked.id != 0) {
            first = asked.id;
            if (is_pair(asked.id)) {
                first = alive(pair_first(asked.id));
                second = alive(pair_second(asked.id));
                has_second = true;
                if (first == 0) {
                    made.id = asked.id;
                    refuse(errc::invalid_id, "its relationship is not alive");
                }
            }
        }
        if (first == 0) {
            refuse(errc::invalid_query, "it says nothing that could be matched: it has no id");
        }
        if (first & id_flags_mask || (!is_wildcard(first) && !data_.entities.find(first))) {
            made.id = first;
            refuse(errc::invalid_id, "it is not alive, or no id that can be matched");
        }
        made.id = first;
        if (has_second && second == 0) {
            // Without any target.
            made.id = make_pair(first, Wildcard);
            if (asked.id != 0 && pair_second(asked.id) != 0) {
                made.id = asked.id;
                refuse(errc::invalid_id, "its target is not alive");
            }
            if (made.oper != And && made.oper != Not) {
                refuse(errc::invalid_query, "without a target it can only be And or Not");
            }
            made.oper = made.oper == And ? Not : And;
        } else if (has_second) {
            if (second & id_flags_mask || (!is_wildcard(second) && !data_.entities.find(second))) {
                refuse(errc::invalid_id, "its target is not alive");
            }
            made.id = make_pair(first, second);
            made.second = is_wildcard(second) ? 0 : second;
        } else if (asked.oper < AndFrom && traits::is_relationship(data_, first)) {
            made.id = make_pair(first, Wildcard);
        }
        made.first = is_wildcard(first) ? 0 : first;
        made.at_most_one = is_pair(made.id)
                               ? pair_first(made.id) == Any || pair_second(made.id) == Any
                               : made.id == Any;
    }
    entity_t alive(std::uint32_t index) const noexcept {
        return is_wildcard_element(index) ? index : data_.entities.alive_at(index);
    }

    void find_source(const term_desc& asked, term& made) {
        if (asked.no_source && made.oper != Not) {
            made.from = source_kind::none;
            return;
        }
        const term_part_desc& part = asked.src;
        std::uint8_t number = no_variable;
        entity_t source = element(part, number);
        if (number != no_variable) {
            made.from = number == 0 ? source_kind::self : source_kind::variable;
            made.source_variable = number;
            return;
        }
        if (source == 0) {
            return;
        }
        if (is_wildcard(source)) {
            refuse(errc::invalid_query, "a source is a variable or one entity, not a wildcard");
        }
        made.from = source_kind::fixed;
        made.source = source;
    }

    void find_traversal(const term_desc& asked, term& made) {
        const substitution search = find_search(asked.src);
        made.trav = search.trav;
        made.relation = search.relation;
        made.min_depth = search.min_depth;
        made.max_depth = search.max_depth;
        made.flags = search.flags;
        if (made.flags & Desc && !(made.flags & Cascade)) {
            refuse(errc::invalid_query, "`desc` says how `cascade` orders; it needs one");
        }
        if (!(made.flags & (Self | Up | Down))) {
            if (made.trav != 0) {
                refuse_direction();
            }
            made.flags |= Self | Up;
            made.trav = IsA;
        }
        if (made.flags & Cascade) {
            if (made.from != source_kind::self) {
                refuse(errc::invalid_query, "`cascade` orders $this; its source is another entity");
            }
            if (model_.cascade >= 0) {
                refuse(errc::invalid_query, "only one term of a query can be `cascade`");
            }
            model_.cascade = static_cast<std::int32_t>(number_);
        }
    }
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

    void check_operator(const term_desc& asked, term& made) const {
        if (made.is_from_list()) {
            if (is_pair(made.id) || is_wildcard(made.id)) {
                refuse(errc::invalid_query, "a list of ids is an entity, not a pair or a wildcard");
            }
            if (made.access != InOutDefault && made.access != InOutNone) {
                refuse(errc::invalid_query, "a list of ids gives no data: it has no access");
            }
            if (made.first_by.flags != 0) {
                refuse(errc::invalid_query, "a list of ids is named, not searched for");
            }
        }
        if (made.access == InOutDefault &&
            (asked.by_with || made.is_from_list() || made.oper == Not ||
             (!is_wildcard(made.id) && !traits::describe_id(data_, made.id).value_type))) {
            made.access = InOutNone;
        }
    }

    void check_type(const term& made) const {
        if (made.type == 0) {
            return;
        }
        const types::component_type* type = traits::describe_id(data_, made.id).value_type;
        if (!type || type->component != made.type) {
            refuse_entity(errc::wrong_type, "callbacks would get it as ", made.type,
                          ", which is not the type of its values");
        }
    }

    // Each scope ends where it should. Or may be said at either end of a scope.
    void match_scopes() {
        std::uint32_t open[max_scopes];
        std::uint32_t depth = 0;
        for (number_ = 0; number_ < desc_.count; ++number_) {
            term& one = terms_[number_];
            if (one.kind == term_kind::scope_open) {
                if (depth == max_scopes) {
                    refuse(errc::limit, "scopes can be at most 16 inside of each other");
                }
                open[depth++] = number_;
            } else if (one.kind == term_kind::scope_close) {
                if (depth == 0) {
                    refuse(errc::invalid_query, "a scope is closed that was not opened");
                }
                term& start = terms_[open[--depth]];
                start.scope_end = static_cast<std::uint8_t>(number_);
                if (start.oper == Or) {
                    start.oper = And;
                    one.oper = Or;
                }
            }
        }
        if (depth != 0) {
            number_ = open[depth - 1];
            refuse(errc::invalid_query, "a scope is opened and not closed");
        }
    }

    void join_chains() {
        for (std::uint32_t i = 0; i < desc_.count; ++i) {
            if (terms_[i].oper != Or) {
                continue;
            }
            number_ = i;
            if (i + 1 == desc_.count || terms_[i + 1].kind == term_kind::scope_close) {
                terms_[i].oper = And;  // marked like the others: the end of its chain
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

    void find_wildcard_chains() {
        auto is_open = [](const term& one) {
            return one.kind == term_kind::ids && is_wildcard(one.id) && !one.at_most_one &&
                   !one.has_element_variables();
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

    void number_fields() {
        std::uint8_t field = 0;
        for (std::uint32_t i = 0; i < desc_.count; ++i) {
            terms_[i].field = field;
            bool last = terms_[i].oper != Or || terms_[i + 1].kind == term_kind::scope_open;
            field = static_cast<std::uint8_t>(field + (last && has_field(terms_[i])));
        }
        model_.field_count = field;
    }

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
        for (const term& one : model_) {
            fixed |= one.from == source_kind::fixed || one.from == source_kind::variable;
            model_.graph |= one.is_graph();
            model_.has_this |= one.first_variable == 0 || one.second_variable == 0;
            if (one.from != source_kind::self) {
                continue;
            }
            model_.has_this = true;
            if (one.kind != term_kind::ids) {
                continue;
            }
            model_.shows_prefabs |= one.id == Prefab;
            model_.shows_disabled |= one.id == Disabled;
            model_.shows_builtins |= names_builtins(one.id);
        }
        model_.has_this |= !fixed;
        model_.without_builtins = find_without_builtins();
    }
    // Variables that are only sources, of terms that name no builtin entities. A term with a
    // variable as an element binds it to the entities found there. Negated terms count for
    // variables that no other term has.
    std::uint64_t find_without_builtins() const noexcept {
        variable_set used = 0;
        variable_set used_elsewhere = 0;  // outside of negation
        variable_set shown = 0;
        variable_set shown_elsewhere = 0;
        std::uint32_t negated_until = 0;
        for (std::uint32_t i = 0; i < model_.count; ++i) {
            const term& one = terms_[i];
            if (one.kind == term_kind::scope_open && one.oper == Not) {
                negated_until = std::max<std::uint32_t>(negated_until, one.scope_end);
            }
            const bool negated = one.oper == Not || i < negated_until;
            const variable_set names = source_of(one) | elements_of(one);
            const bool ids = one.kind == term_kind::ids;
            const bool source =
                ids ? names_builtins(one.id)
                    : one.kind == term_kind::name_equal ||
                          (one.kind == term_kind::equal && one.second_variable == no_variable &&
                           ids::is_builtin(index_of(one.second)));
            const variable_set shows = (ids ? elements_of(one) : 0) | (source ? source_of(one) : 0);
            used |= names;
            shown |= shows;
            used_elsewhere |= negated ? 0 : names;
            shown_elsewhere |= negated ? 0 : shows;
        }
        shown = shown_elsewhere | (shown & ~used_elsewhere);
        // A variable that equals such a variable is one of them.
        for (variable_set before = 0; before != shown;) {
            before = shown;
            for (std::uint32_t i = 0; i < model_.count; ++i) {
                const term& one = terms_[i];
                const variable_set both = source_of(one) | elements_of(one);
                const bool equal = one.kind == term_kind::equal && one.oper != Not;
                shown |= equal && both & shown ? both : 0;
            }
        }
        return used & ~this_variable & ~shown;
    }
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
    static bool has_field(const term& one) noexcept {
        return one.kind != term_kind::scope_open && one.kind != term_kind::scope_close &&
               one.kind != term_kind::apart;
    }
    // Terms about what only builtins, or builtins too, are known to have on purpose.
    static bool names_builtins(id_t id) noexcept {
        if (is_wildcard(id)) {
            return false;
        }
        if (!is_pair(id)) {
            return ids::is_builtin(index_of(id)) && id != Prefab && id != Disabled;
        }
        return ids::is_builtin(pair_second(id)) && pair_first(id) != detail::identifier_type_id;
    }

    const storage::store& data_;
    const resolver& names_;
    static constexpr std::uint32_t search_flags =
        Self | Up | Down | Parent | Cascade | Desc | TraverseAll;

    const query_desc& desc_;
    term* terms_;
    const char** variables_;
    char* text_;
    query_model& model_;
    std::uint32_t number_ = 0;
};

}  // namespace

room_size buffer_sizes(const query_desc& desc) noexcept {
    room_size size;
    for (std::uint32_t i = 0; i < desc.count; ++i) {
        const term_desc& one = desc.terms[i];
        for (const term_part_desc* part : {&one.src, &one.first, &one.second}) {
            if (part->name) {
                ++size.variables;
                size.text += std::strlen(part->name) + 1;
            }
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
