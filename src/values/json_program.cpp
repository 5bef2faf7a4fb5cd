// Programs for values in JSON (json_program.hpp).
#include "json_program.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/thread_owned.hpp>

#include "json_text.hpp"
#include "life.hpp"
#include "numbers.hpp"
#include "type_library.hpp"

#include <algorithm>
#include <array>

namespace kith::values {

namespace {

bool is_number(kind what) noexcept {
    return what == kind::boolean || (what >= kind::i8 && what <= kind::f64);
}

// Invariants
// 1. Texts are added when the part behind them is known, so `before_` is the text since the last
//    step.
// 2. Types are those of the world.
class program_maker {
public:
    program_maker(const world_t* world, const json_style& style)
        : world_(world), style_(style), comma_(style.compact ? "," : ", ") {}

    json_program make(const description& described) {
        const description& type = detail::in_world(world_, described);
        add(type, 0, 1);
        add_step({}, 0, 0, nullptr);
        made_.texts.append(json_program::padding, '\0');
        made_.room = has_others_ ? 0 : made_.room;
        made_.whole = readable(type, 0);
        made_.is_readable = made_.whole.what != kind::none &&
                            std::none_of(made_.members.begin(), made_.members.end(),
                                         [](const auto& one) { return one.what == kind::none; });
        return std::move(made_);
    }

private:
    static constexpr std::uint32_t most_steps = 2048;   // longer values call further programs
    static constexpr std::uint32_t most_repeated = 64;  // elements of an array
    static constexpr std::uint32_t most_levels = 64;

    // -- writing

    void add(const description& type, std::size_t offset, std::uint32_t level) {
        made_.depth = std::max(made_.depth, level);
        const bool nested = type.what == kind::structure || type.what == kind::tuple ||
                            (type.what == kind::array && type.count <= most_repeated);
        if (is_number(type.what)) {
            add_step(type.what, offset, level, nullptr);
        } else if (nested && level < most_levels && made_.steps.size() < most_steps) {
            add_parts(type, offset, level);
        } else {
            has_others_ = true;
            add_step(kind::opaque, offset, level, &type);
        }
    }
    void add_parts(const description& type, std::size_t offset, std::uint32_t level) {
        const bool structure = type.what == kind::structure;
        before_ += structure ? '{' : '[';
        const char* between = "";
        for (std::uint32_t i = 0; i < type.count; ++i) {
            if (structure && type.members[i].hidden && style_.leaves_out_hidden) {
                continue;
            }
            before_ += between;
            between = comma_;
            if (structure) {
                append_json_string(before_, type.members[i].name, style_.html_safe);
                before_ += ':';
            }
            const description& part =
                type.what == kind::array ? *type.element : *type.members[i].type;
            const std::size_t place =
                type.what == kind::array ? i * part.life.size : type.members[i].offset;
            add(detail::in_world(world_, part), offset + place, level + 1);
        }
        before_ += structure ? '}' : ']';
    }
    void add_step(kind what, std::size_t offset, std::uint32_t level, const description* type) {
        // A name may be longer than a step can say.
        constexpr std::size_t longest = 0xFFFF;
        for (; before_.size() > longest; before_.erase(0, longest)) {
            push({kind::none, 0, longest, 0, 0, nullptr});
        }
        push({what, static_cast<std::uint8_t>(level), static_cast<std::uint16_t>(before_.size()), 0,
              static_cast<std::uint32_t>(offset), type});
        before_.clear();
    }
    void push(json_program::step step) {
        step.text = static_cast<std::uint32_t>(made_.texts.size());
        made_.texts.append(before_, 0, step.text_size);
        made_.room += static_cast<std::uint32_t>(json_program::room_of(step));
        made_.steps.push_back(step);
    }

    // -- reading

    json_program::member readable(const description& type, std::uint32_t level) {
        json_program::member made;
        if (type.validate || level >= most_levels || made_.members.size() >= most_steps) {
            return made;
        }
        if (is_number(type.what)) {
            made.what = type.what;
        } else if (type.what == kind::text && type.ops->assign_text && !type.life.trivial_copy) {
            made.what = kind::text;
            made.type = &type;
        } else if (type.what == kind::structure && type.count <= 64) {
            made.what = kind::structure;
            made.structure = add_structure(type, level);
        }
        return made;
    }
    std::uint32_t add_structure(const description& type, std::uint32_t level) {
        const auto first = static_cast<std::uint32_t>(made_.members.size());
        const auto place = static_cast<std::uint32_t>(made_.structures.size());
        made_.structures.push_back({first, type.count});
        made_.members.resize(first + type.count);
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const member_info& member = type.members[i];
            const bool is_ruled = member.attributes && member.attributes->range.is_set;
            json_program::member made;
            if (!is_ruled && !needs_escapes(member.name)) {
                made = readable(detail::in_world(world_, *member.type), level + 1);
            }
            made.name = member.name;
            made.offset = member.offset;
            made_.members[first + i] = made;
        }
        return place;
    }
    static bool needs_escapes(std::string_view name) {
        std::string text;
        append_json_string(text, name);
        return text.size() != name.size() + 2;
    }

    const world_t* world_;
    const json_style& style_;
    const char* comma_;
    json_program made_;
    std::string before_;
    bool has_others_ = false;
};

}  // namespace

// The programs that one thread has used. Users may nest: programs that another one has replaced
// stay until the last user has ended.
struct program_cache {
    struct entry {
        const description* type = nullptr;
        std::uint64_t types = 0;
        json_style style;
        std::unique_ptr<const json_program> program;
    };
    static constexpr std::size_t size = 64;

    std::unique_ptr<std::array<entry, size>> entries;  // null before the first user
    std::vector<std::unique_ptr<const json_program>> replaced;
    std::size_t users = 0;
};

namespace {

KITH_THREAD_OWNED(program_cache, cache_of_thread);

}  // namespace

std::size_t json_program::room_of(const step& one) noexcept {
    return one.text_size + std::max(padding, most_number_text + 2);
}

json_programs::json_programs(const world_t* world)
    : world_(world), library_(world ? find_library(world) : nullptr), cache_(cache_of_thread()) {
    if (!cache_.entries) {
        cache_.entries = std::make_unique<std::array<program_cache::entry, program_cache::size>>();
    }
    ++cache_.users;
}

json_programs::~json_programs() {
    if (--cache_.users == 0) {
        cache_.replaced.clear();
    }
}

// Only descriptions of the process live as long as a cache. Those of a world are told from later
// ones, which may lie in the same memory, by their version.
const json_program& json_programs::find(const description& type, const json_style& style) {
    const std::uint64_t types = library_ ? library_->version() : 0;
    const std::size_t hash = reinterpret_cast<std::uintptr_t>(&type) / alignof(description_node) *
                                 std::size_t{0x9E3779B97F4A7C15} +
                             style.compact + 2 * style.html_safe + 4 * style.leaves_out_hidden;
    program_cache::entry& entry = (*cache_.entries)[(hash ^ hash >> 32) % program_cache::size];
    if (entry.type == &type && entry.types == types && entry.style == style) {
        KITH_ASSERT(*entry.program == program_maker(world_, style).make(type),
                    "a program follows each change of its descriptions");
        return *entry.program;
    }
    auto made = std::make_unique<const json_program>(program_maker(world_, style).make(type));
    const bool may_stay = types != 0 || type.type_id;
    cache_.replaced.push_back(nullptr);
    if (may_stay) {
        entry.type = &type;
        entry.types = types;
        entry.style = style;
        made.swap(entry.program);
        cache_.replaced.back() = std::move(made);
        return *entry.program;
    }
    cache_.replaced.back() = std::move(made);
    return *cache_.replaced.back();
}

}  // namespace kith::values
