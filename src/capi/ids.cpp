// The chapter "ids" of kith.h.
#include "ids.hpp"

#include <kith/query_builder.hpp>

#include "components.hpp"

#include <string>

using namespace kith::capi;
namespace detail = kith::detail;

// The numbers of the header are those of C++.
static_assert(KITH_PAIR == kith::Pair && KITH_OVERRIDE == kith::Override &&
              KITH_TOGGLE == kith::Toggle && KITH_HI_COMPONENT_ID == kith::low_id_limit);
static_assert(KithComponent == detail::component_type_id &&
              KithIdentifier == detail::identifier_type_id);
static_assert(KithKith == kith::Kith && KithWildcard == kith::Wildcard && KithAny == kith::Any &&
              KithThis == kith::This && KithVariable == kith::Variable);
static_assert(KithName == kith::Name && KithSymbol == kith::Symbol && KithAlias == kith::Alias);
static_assert(KithPrefab == kith::Prefab && KithDisabled == kith::Disabled &&
              KithModule == kith::Module && KithQuery == kith::Query &&
              KithObserver == kith::Observer && KithEnumType == kith::EnumType);
static_assert(KithChildOf == kith::ChildOf && KithIsA == kith::IsA &&
              KithDependsOn == kith::DependsOn && KithSlotOf == kith::SlotOf);
static_assert(KithTag == kith::Tag && KithFinal == kith::Final &&
              KithDontInherit == kith::DontInherit && KithTransitive == kith::Transitive &&
              KithReflexive == kith::Reflexive && KithAcyclic == kith::Acyclic &&
              KithTraversable == kith::Traversable && KithExclusive == kith::Exclusive &&
              KithUnion == kith::Union && KithSparse == kith::Sparse &&
              KithSymmetric == kith::Symmetric && KithWith == kith::With &&
              KithOneOf == kith::OneOf && KithTransient == kith::Transient);
static_assert(KithOnDelete == kith::OnDelete && KithOnDeleteTarget == kith::OnDeleteTarget &&
              KithRemove == kith::Remove && KithDelete == kith::Delete && KithPanic == kith::Panic);
static_assert(KithOnAdd == kith::OnAdd && KithOnRemove == kith::OnRemove &&
              KithOnSet == kith::OnSet && KithUnSet == kith::UnSet &&
              KithMonitor == kith::Monitor && KithOnTableCreate == kith::OnTableCreate &&
              KithOnTableDelete == kith::OnTableDelete);
static_assert(KithPredEq == kith::PredEq && KithPredNeq == kith::PredNeq &&
              KithPredMatch == kith::PredMatch && KithAllOf == kith::AllOf &&
              KithAnyOf == kith::AnyOf && KithScopeOpen == kith::ScopeOpen &&
              KithScopeClose == kith::ScopeClose && KithRelationship == kith::Relationship);
static_assert(KithSystem == kith::System && KithPhase == kith::Phase &&
              KithPipeline == kith::Pipeline && KithOnStart == kith::OnStart &&
              KithPreFrame == kith::PreFrame && KithOnLoad == kith::OnLoad &&
              KithPostLoad == kith::PostLoad && KithPreUpdate == kith::PreUpdate &&
              KithOnUpdate == kith::OnUpdate && KithOnValidate == kith::OnValidate &&
              KithPostUpdate == kith::PostUpdate && KithPreStore == kith::PreStore &&
              KithOnStore == kith::OnStore && KithPostFrame == kith::PostFrame &&
              KithBefore == kith::Before && KithAfter == kith::After && KithInSet == kith::InSet &&
              KithAmbiguousWith == kith::AmbiguousWith);
static_assert(kith_pair(KithChildOf, 5000) == kith::make_pair(kith::ChildOf, 5000));

namespace kith::capi {

void check_world(const kith_world_t* world) {
    if (!detail::is_world(at(world))) [[unlikely]] {
        detail::get_scope(at(world));  // raises what every operation raises
    }
}

// Elements of pairs have no generation: an index is valid if an entity with it is alive. Types of
// the process are valid before the world knows them, because their first use makes the component.
bool is_valid_id(const kith_world_t* world, id_t id) {
    const auto is_element = [&](entity_t element) {
        return detail::get_alive(at(world), element) != 0 ||
               (element < first_entity && detail::find_type(static_cast<std::uint32_t>(element)));
    };
    id &= ~(Override | Toggle);
    if (id == 0 || is_wildcard(id)) {
        return false;
    }
    if (is_pair(id)) {
        return is_element(pair_first(id)) && is_element(pair_second(id));
    }
    return detail::is_alive(at(world), id) ||
           (id < first_entity && detail::find_type(static_cast<std::uint32_t>(id)));
}

// The parser of queries reads the text; terms that say more than an id are refused.
std::vector<id_t> parse_ids(kith_world_t* world, const char* text, const char* function) {
    check_world(world);
    detail::term_list terms;
    detail::parse_terms(at(world), text_view(text), terms);
    std::vector<id_t> ids;
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
        const term_desc& term = terms.data()[i];
        const bool plain = term.oper == And && term.inout == InOutDefault && term.src.id == 0 &&
                           !term.src.name && term.src.flags == 0 &&
                           !((term.first.flags | term.second.flags) & (IsVariable | IsName)) &&
                           !term.no_source && (term.id != 0 || term.first.id != 0);
        if (!plain) {
            raise_argument(function, "the text is no list of ids, such as \"A, (B, C)\"");
        }
        ids.push_back(term.id != 0      ? term.id
                      : term.has_second ? make_pair(term.first.id, term.second.id)
                                        : term.first.id);
    }
    return ids;
}

// The path begins with the root, so that the scope of the world cannot change its meaning. The
// lookup at the end shows whether a name contains separators.
std::string path_of_entity(world_t* world, entity_t entity, const char* function) {
    detail::shape_of(world, entity, function);  // must be alive
    std::string path = detail::path_of(world, 0, entity, "::", "::").c_str();
    if (path.substr(0, 2) != "::") {
        path = "::" + path;
    }
    if (detail::lookup_path(world, 0, text_view(path), "::", "::", false) != entity) {
        raise_argument(function, "the entity has a name that is no path");
    }
    return path;
}

}  // namespace kith::capi

extern "C" {

bool kith_id_match(kith_id_t id, kith_id_t pattern) {
    return kith::matches_id(pattern, id);
}
kith_id_t kith_make_pair(const kith_world_t* world, kith_entity_t relation, kith_entity_t target) {
    return guard_value<kith_id_t>(
        0, [&] { return detail::checked_pair(at(world), relation, target, "kith_make_pair"); });
}
kith_entity_t kith_pair_first(const kith_world_t* world, kith_id_t pair) {
    return guard_value<kith_entity_t>(0, [&] {
        check_world(world);
        return kith::is_pair(pair) ? detail::get_alive(at(world), kith::pair_first(pair)) : 0;
    });
}
kith_entity_t kith_pair_second(const kith_world_t* world, kith_id_t pair) {
    return guard_value<kith_entity_t>(0, [&] {
        check_world(world);
        return kith::is_pair(pair) ? detail::get_alive(at(world), kith::pair_second(pair)) : 0;
    });
}
bool kith_id_is_valid(const kith_world_t* world, kith_id_t id) {
    return guard_value(false, [&] {
        check_world(world);
        return is_valid_id(world, id);
    });
}
bool kith_id_is_tag(const kith_world_t* world, kith_id_t id) {
    return guard_value(false, [&] { return detail::type_of(at(world), id) == nullptr; });
}
bool kith_id_in_use(const kith_world_t* world, kith_id_t id) {
    return guard_value(false, [&] { return detail::count_id(at(world), id) != 0; });
}
kith_entity_t kith_get_typeid(const kith_world_t* world, kith_id_t id) {
    return guard_value<kith_entity_t>(0, [&] { return detail::type_component(at(world), id); });
}
bool kith_get_type_info(const kith_world_t* world, kith_id_t id, kith_type_info_t* info) {
    return guard_value(false, [&] {
        check_pointer(info, "kith_get_type_info", "info is NULL");
        const kith::type_info* type = detail::type_of(at(world), id);
        if (!type) {
            *info = {};
            return false;
        }
        *info = describe_type(*type, detail::type_component(at(world), id));
        return true;
    });
}
char* kith_id_str(const kith_world_t* world, kith_id_t id) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        return give(detail::id_text(at(world), id));
    });
}
char* kith_entity_str(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<char*>(nullptr, [&] {
        const kith::entity_view view(at(world), entity);
        const kith::type type = view.type();
        return give(view.path() + " [" + type.str() + "]");
    });
}
char* kith_type_str(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<char*>(
        nullptr, [&] { return give(kith::entity_view(at(world), entity).type().str()); });
}
kith_id_t kith_id_from_str(kith_world_t* world, const char* text) {
    return guard_value<kith_id_t>(0, [&] {
        check_pointer(text, "kith_id_from_str", "the text is NULL");
        const std::vector<kith::id_t> ids = parse_ids(world, text, "kith_id_from_str");
        if (ids.size() != 1) {
            raise_argument("kith_id_from_str", "the text is not one id");
        }
        return ids[0];
    });
}
}
