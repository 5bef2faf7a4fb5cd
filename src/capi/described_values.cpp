// The chapter "described values" of kith.h: members by name, values as text and JSON, snapshots. A
// library of the core alone (without KITH_WITH_TEXT) has the functions, too: they refuse.
#include <kith/detail/assert.hpp>
#include <kith/json.hpp>
#include <kith/json_desc.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>

#include "ids.hpp"
#include "iterators.hpp"

#include <array>
#include <bit>
#include <string>

using namespace kith::capi;
namespace detail = kith::detail;

struct kith_snapshot_t {
    kith::snapshot taken;
};

namespace {

#if defined(KITH_WITH_TEXT)

// Numbers of kinds are those of the first kinds of C++, except for the last.
static_assert(KITH_KIND_BOOL == static_cast<int>(kith::kind::boolean) &&
              KITH_KIND_F64 == static_cast<int>(kith::kind::f64) &&
              KITH_KIND_ENTITY == static_cast<int>(kith::kind::entity));

// The id of the type that a kind stands for.
kith::entity_t type_of_kind(std::int32_t kind) {
    using detail::member_type_id;
    static constexpr std::uint32_t (*ids[])() = {
        member_type_id<bool>,          member_type_id<char>,          member_type_id<std::int8_t>,
        member_type_id<std::int16_t>,  member_type_id<std::int32_t>,  member_type_id<std::int64_t>,
        member_type_id<std::uint8_t>,  member_type_id<std::uint16_t>, member_type_id<std::uint32_t>,
        member_type_id<std::uint64_t>, member_type_id<float>,         member_type_id<double>,
        member_type_id<kith::handle>,  member_type_id<const char*>};
    if (kind < KITH_KIND_BOOL || kind > KITH_KIND_TEXT) {
        raise_argument("kith_describe", "a member has no type, and a kind that there is not");
    }
    return ids[kind - KITH_KIND_BOOL]();
}

// Throws an argument error for members that no component can have.
void check_member(const kith_member_t& member) {
    check_pointer(member.name, "kith_describe", "a member has no name");
    if (member.count < 0) {
        raise_argument("kith_describe", "a count is negative");
    }
    if (member.reserved[0] != 0 || member.reserved[1] != 0) {
        raise_argument("kith_describe", "a member is of a newer version of kith.h");
    }
    if (member.type == 0) {
        type_of_kind(member.kind);
    }
}

void describe(kith_world_t* world, kith_entity_t component, const kith_member_t& member) {
    check_member(member);
    detail::add_member(at(world), component,
                       {member.type ? member.type : type_of_kind(member.kind), member.name,
                        member.count, member.offset, true});
}

char* give_json(kith::text_view text, size_t* length) {
    char* given = give(text);
    if (length) {
        *length = text.size;
    }
    return given;
}

// Bools of C may have any byte, so they are read one by one.
kith::iter_to_json_desc_t parts_of(const kith_iter_to_json_desc_t& given) noexcept {
    using bytes = std::array<unsigned char, sizeof given>;
    static_assert(sizeof(kith::iter_to_json_desc_t) == sizeof given);
    auto parts = std::bit_cast<bytes>(given);
    for (unsigned char& part : parts) {
        part = part != 0;
    }
    return std::bit_cast<kith::iter_to_json_desc_t>(parts);
}

kith::entity_view view(const kith_world_t* world, kith_entity_t entity) {
    return kith::entity_view(at(world), entity);
}

#else

[[noreturn]] void refuse_values() {
    detail::raise_error(kith::errc::invalid_text,
                        "this library has the core of kith alone, which knows no members");
}

#endif

}  // namespace

extern "C" {

#if defined(KITH_WITH_TEXT)

kith_status_t kith_describe(kith_world_t* world, kith_entity_t component,
                            const kith_member_t* members, int32_t count) {
    return guard([&] {
        check_world(world);
        check_count(count, members, "kith_describe");
        for (std::int32_t i = 0; i < count; ++i) {
            describe(world, component, members[i]);
        }
    });
}
char* kith_value_str(const kith_world_t* world, kith_id_t id, const void* value) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        check_pointer(value, "kith_value_str", "the value is NULL");
        const auto& type = detail::require_description(at(world), id);
        return give(kith::text_view(detail::text_of_value(at(world), type, value)));
    });
}
kith_status_t kith_value_parse(kith_world_t* world, kith_id_t id, void* value, const char* text) {
    return guard([&] {
        check_world(world);
        check_pointer(value, "kith_value_parse", "the value is NULL");
        check_pointer(text, "kith_value_parse", "the text is NULL");
        detail::read_value(at(world), detail::require_description(at(world), id), value, text);
    });
}
char* kith_get_member_str(const kith_world_t* world, kith_entity_t entity, kith_id_t id,
                          const char* path) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        check_pointer(path, "kith_get_member_str", "the path is NULL");
        const kith::value_view whole = kith::value_of(view(world, entity), id);
        if (!whole) {
            return static_cast<char*>(nullptr);
        }
        return give(kith::text_view((*path ? whole.at(path) : whole).str()));
    });
}
kith_status_t kith_set_member_str(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                  const char* path, const char* text) {
    return guard([&] {
        check_world(world);
        check_pointer(path, "kith_set_member_str", "the path is NULL");
        check_pointer(text, "kith_set_member_str", "the text is NULL");
        kith::edit(view(world, entity), id).parse(path, text);
    });
}
char* kith_entity_to_json(const kith_world_t* world, kith_entity_t entity, size_t* length) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        return give_json(kith::to_json(view(world, entity)), length);
    });
}
char* kith_query_to_json(const kith_query_t* query, size_t* length) {
    return guard_value<char*>(nullptr, [&] {
        check_pointer(query, "kith_query_to_json", "the query is NULL");
        auto* shared = const_cast<kith_query_t*>(query);
        shared->owners.increment();
        return give_json(kith::to_json(kith::filter<>(shared)), length);
    });
}
char* kith_iter_to_json_w_size(kith_iter_t* it, const kith_iter_to_json_desc_t* desc, size_t size,
                               size_t* length) {
    struct ending {
        kith_iter_t* it;
        ~ending() { kith_iter_fini(it); }
    };
    return guard_value<char*>(nullptr, [&] {
        auto& run = whole_run(it, "kith_iter_to_json");
        const ending ended{it};
        if (!desc) {
            return give_json(run.to_json(), length);
        }
        const read_desc<kith_iter_to_json_desc_t> given("kith_iter_to_json", desc, size);
        const kith::iter_to_json_desc_t parts = parts_of(*given);
        return give_json(run.to_json(&parts), length);
    });
}
char* kith_world_to_json(const kith_world_t* world, size_t* length) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        return give_json(kith::to_json(world_at(world)), length);
    });
}
kith_status_t kith_world_from_json(kith_world_t* world, const char* text, size_t length) {
    return guard([&] {
        check_world(world);
        check_pointer(text, "kith_world_from_json", "the text is NULL");
        kith::world of = world_at(world);
        kith::from_json(of, {text, length});
    });
}

#else

kith_status_t kith_describe(kith_world_t*, kith_entity_t, const kith_member_t*, int32_t) {
    return guard([] { refuse_values(); });
}
char* kith_value_str(const kith_world_t*, kith_id_t, const void*) {
    return guard_value<char*>(nullptr, []() -> char* { refuse_values(); });
}
kith_status_t kith_value_parse(kith_world_t*, kith_id_t, void*, const char*) {
    return guard([] { refuse_values(); });
}
char* kith_get_member_str(const kith_world_t*, kith_entity_t, kith_id_t, const char*) {
    return guard_value<char*>(nullptr, []() -> char* { refuse_values(); });
}
kith_status_t kith_set_member_str(kith_world_t*, kith_entity_t, kith_id_t, const char*,
                                  const char*) {
    return guard([] { refuse_values(); });
}
char* kith_entity_to_json(const kith_world_t*, kith_entity_t, size_t*) {
    return guard_value<char*>(nullptr, []() -> char* { refuse_values(); });
}
char* kith_query_to_json(const kith_query_t*, size_t*) {
    return guard_value<char*>(nullptr, []() -> char* { refuse_values(); });
}
char* kith_iter_to_json_w_size(kith_iter_t*, const kith_iter_to_json_desc_t*, size_t, size_t*) {
    return guard_value<char*>(nullptr, []() -> char* { refuse_values(); });
}
char* kith_world_to_json(const kith_world_t*, size_t*) {
    return guard_value<char*>(nullptr, []() -> char* { refuse_values(); });
}
kith_status_t kith_world_from_json(kith_world_t*, const char*, size_t) {
    return guard([] { refuse_values(); });
}

#endif

kith_snapshot_t* kith_snapshot_take(kith_world_t* world) {
    return guard_value<kith_snapshot_t*>(nullptr, [&] {
        check_world(world);
        return new kith_snapshot_t{kith::snapshot(world_at(world)).take()};
    });
}
kith_status_t kith_snapshot_restore(kith_snapshot_t* snapshot) {
    return guard([&] {
        check_pointer(snapshot, "kith_snapshot_restore", "the snapshot is NULL");
        snapshot->taken.restore();
    });
}
void kith_snapshot_fini(kith_snapshot_t* snapshot) {
    delete snapshot;
}
}
