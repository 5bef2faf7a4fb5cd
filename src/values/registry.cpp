// The process-wide descriptions of C++ types, and the description_writer that fills them in
// (include/kith/description.hpp).
#include "registry.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/mutex.hpp>
#include <kith/detail/type_name.hpp>
#include <kith/detail/type_text.hpp>
#include <kith/reflect.hpp>
#include <kith/timer.hpp>

#include "forgotten_nodes.hpp"
#include "function_members.hpp"
#include "raise.hpp"
#include "runtime_life.hpp"
#include "value_digest.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>

namespace kith {

const char* to_string(kind what) noexcept {
    static constexpr const char* names[] = {
        "undescribed", "bool", "char", "i8",  "i16",      "i32",     "i64",   "u8",    "u16",
        "u32",         "u64",  "f32",  "f64", "entity",   "enum",    "flags", "text",  "struct",
        "array",       "list", "set",  "map", "optional", "variant", "tuple", "opaque"};
    return names[static_cast<std::size_t>(what)];
}

namespace values {

namespace {

// Invariants
// 1. A slot is written when its description and all that it leads to are complete.
// 2. Descriptions live as long as the process.
// 3. The lock is recursive: describing a type asks for the types of its members.
class registry {
public:
    const description* ensure(const description** slot, const detail::type_source& source) {
        const detail::lock_guard lock(mutex_);
        if (const description* known = __atomic_load_n(slot, __ATOMIC_RELAXED)) {
            return known;
        }
        // A type that contains itself finds its own description, which is not complete yet.
        if (const auto begun = unfinished_.find(slot); begun != unfinished_.end()) {
            return begun->second.get();
        }
        struct guard {
            registry& owner;
            bool is_outermost;
            bool done = false;
            ~guard() {
                if (is_outermost && !done) {
                    owner.unfinished_.clear();
                }
            }
        } scope{*this, unfinished_.empty()};
        description_node& node = *(unfinished_[slot] = std::make_unique<description_node>());
        node.life = source.life;
        node.type_id = source.type_id;
        node.set_name(detail::readable_type_name(source.label, source.mangled));
        detail::description_writer writer(node);
        source.describe(writer);
        scope.done = true;
        if (scope.is_outermost) {
            publish();
            return *slot;
        }
        return &node;
    }

    // Null if no finished description has the name, or several do.
    const description* find(std::string_view name) {
        const detail::lock_guard lock(mutex_);
        const description* found = nullptr;
        for (const auto& node : finished_) {
            if (name == node->life.name && node->what != kind::none) {
                if (found) {
                    return nullptr;
                }
                found = node.get();
            }
        }
        return found;
    }

    // Ends the descriptions of a library. Those of the array become those of another library that
    // describes the type as well, or null.
    template <class Descriptions>
    void forget(const detail::code_range& range, Descriptions& by_type) noexcept {
        const detail::lock_guard lock(mutex_);
        for (const auto& node : finished_) {
            if (node->what != kind::none && is_of_library(*node, range)) {
                forget_node(*node);
            }
        }
        for (auto& attached : by_type) {
            const description* known = attached.load(std::memory_order_relaxed);
            if (known && known->what == kind::none &&
                static_cast<const description_node*>(known)->was != kind::none) {
                attached.store(find_any(known->life), std::memory_order_release);
            }
        }
    }

private:
    const description* find_any(const type_info& like) const noexcept {
        const auto same = std::find_if(finished_.begin(), finished_.end(), [&](const auto& node) {
            return node->what != kind::none && node->life.size == like.size &&
                   std::string_view(node->life.name) == like.name;
        });
        return same != finished_.end() ? same->get() : nullptr;
    }
    // A library that was loaded again describes its types again: whoever points to the former
    // descriptions has them back.
    void revive(const description_node& made) noexcept {
        for (const auto& node : finished_) {
            if (is_forgotten_form(*node, made)) {
                revive_node(*node, made);
            }
        }
    }
    void publish() {
        for (auto& [slot, node] : unfinished_) {
            revive(*node);
            finished_.push_back(std::move(node));
            __atomic_store_n(slot, finished_.back().get(), __ATOMIC_RELEASE);
        }
        unfinished_.clear();
    }

    detail::recursive_mutex mutex_;
    std::map<const description**, std::unique_ptr<description_node>> unfinished_;
    std::deque<std::unique_ptr<description_node>> finished_;
};

// Both are never destroyed: values of static objects may need them to the end of the program.
registry& all_descriptions() {
    static registry& only = *new registry;
    return only;
}

std::array<std::atomic<const description*>, first_entity>& descriptions_by_type() {
    static auto& only = *new std::array<std::atomic<const description*>, first_entity>{};
    return only;
}

// Types that need no reflect<T>(), by the names that the register of types gives them.
const description* find_fundamental(std::string_view name) {
    struct entry {
        std::string_view name;
        detail::description_getter type;
    };
    using detail::description_of;
    static constexpr entry entries[] = {
        {"bool", description_of<bool>},
        {"char", description_of<char>},
        {"signed char", description_of<signed char>},
        {"short", description_of<short>},
        {"int", description_of<int>},
        {"long", description_of<long>},
        {"long long", description_of<long long>},
        {"unsigned char", description_of<unsigned char>},
        {"unsigned short", description_of<unsigned short>},
        {"unsigned int", description_of<unsigned int>},
        {"unsigned long", description_of<unsigned long>},
        {"unsigned long long", description_of<unsigned long long>},
        {"float", description_of<float>},
        {"double", description_of<double>},
        {"kith::handle", description_of<handle>},
        {"kith::entity", description_of<entity>},
        {"kith::Timer", description_of<Timer>},
        {"kith::RateFilter", description_of<RateFilter>},
        {"kith::TickSource", description_of<TickSource>},
        {"kith::FixedStep", description_of<FixedStep>},
        {"kith::detail::text_tag", description_of<std::string>},
        {"std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
         description_of<std::string>},
    };
    for (const entry& one : entries) {
        if (one.name == name) {
            return one.type();
        }
    }
    return nullptr;
}

}  // namespace

const description* find_process_description(std::uint32_t type) {
    if (type >= first_entity) {
        return nullptr;
    }
    if (const description* known = descriptions_by_type()[type].load(std::memory_order_acquire)) {
        return known;
    }
    const type_info* info = detail::find_type(type);
    const description* fundamental = info ? find_fundamental(info->name) : nullptr;
    if (fundamental) {
        detail::attach_description(type, *fundamental);
    }
    return fundamental;
}

}  // namespace values

namespace detail {

using values::description_node;
using values::node_of;

const description* ensure_description(const description** slot, const type_source& source) {
    return values::all_descriptions().ensure(slot, source);
}

const description* find_described_type(std::string_view name) {
    return values::all_descriptions().find(name);
}

// The last call wins; descriptions live on, so that readers of the former one are safe.
void attach_description(std::uint32_t type, const description& type_description) {
    KITH_ASSERT(type < first_entity, "the type is a C++ type");
    values::descriptions_by_type()[type].store(&type_description, std::memory_order_release);
    values::install_value_digest();
}

void forget_descriptions(const code_range& range) noexcept {
    values::all_descriptions().forget(range, values::descriptions_by_type());
}

// -- description_writer ---------------------------------------------------------------------------

void description_writer::number(kind what) noexcept {
    made_.what = what;
    made_.life.name = to_string(what);
}

void description_writer::entity(const value_ops& ops) noexcept {
    number(kind::entity);
    made_.ops = &ops;
}

void description_writer::constants(kind what, kind number, const constant_info* list,
                                   std::size_t count) {
    description_node& node = node_of(made_);
    node.what = what;
    node.number = number;
    for (std::size_t i = 0; i < count; ++i) {
        node.add_constant({node.keep(list[i].name), list[i].value});
    }
}

void description_writer::text(const value_ops& ops) noexcept {
    number(kind::text);
    made_.ops = &ops;
    if (made_.life.size != 0 && !made_.life.can_move()) {
        // An array of characters has no functions of its own.
        made_.life.zero_construct = made_.life.trivial_copy = true;
        made_.life.trivial_move = made_.life.trivial_destroy = true;
    }
}

void description_writer::members(kind what, std::size_t count, const char* names,
                                 const description_getter* types, const std::uint32_t* offsets) {
    description_node& node = node_of(made_);
    node.what = what;
    std::string tuple_name = "(";
    for (std::size_t i = 0; i < count; ++i) {
        const description* type = types[i]();
        const std::string_view name = names ? names : "";
        node.add_member({node.keep(name), type, offsets[i], false, false, nullptr});
        names += names ? name.size() + 1 : 0;
        tuple_name += (i > 0 ? ", " : "") + std::string(type->life.name);
    }
    if (what == kind::tuple) {
        node.set_name(tuple_name + ")");
    }
}

void description_writer::member(const char* name, const description& type, std::uint32_t offset,
                                bool read_only) {
    description_node& node = node_of(made_);
    for (const member_info& known : values::described_members(node)) {
        if (std::string_view(known.name) == name) {
            values::raise(errc::already_exists,
                          std::string(node.life.name) + " has a member '" + name + "' already");
        }
    }
    const member_info member{node.keep(name), &type, offset, read_only, false, nullptr};
    if (node.functions) {
        values::show_member(node, member);
    } else {
        node.what = kind::structure;
    }
    node.add_member(member);
}

void description_writer::member(const function_member& functions) {
    values::add_function_member(node_of(made_), values::own_functions(functions));
}

void description_writer::members_of(const description& base, std::uint32_t offset) {
    if (base.what != kind::structure) {
        values::raise(errc::invalid_type, std::string(base.life.name) +
                                              " is described without members, so it is no base: " +
                                              (base.obstacle ? base.obstacle : ""));
    }
    for (const member_info& inherited : base) {
        member(inherited.name, *inherited.type, inherited.offset + offset, inherited.read_only);
    }
}

void description_writer::array(const description& element, std::size_t count) {
    KITH_ASSERT(count > 0, "an array has elements");
    description_node& node = node_of(made_);
    node.what = kind::array;
    node.element = &element;
    node.count = static_cast<std::uint32_t>(count);
    node.set_name("[" + std::string(element.life.name) + "; " + std::to_string(count) + "]");
    if (!node.life.can_move() && !node.life.is_fixed) {
        values::finish_runtime_type(node);
    }
}

void description_writer::container(kind what, const description* key, const description* element,
                                   const value_ops& ops) noexcept {
    description_node& node = node_of(made_);
    node.what = what;
    node.key = key;
    node.element = element;
    node.ops = &ops;
    const std::string inner = element->life.name;
    node.set_name(what == kind::optional ? "?" + inner
                  : key                  ? "{" + std::string(key->life.name) + ": " + inner + "}"
                                         : "[" + inner + "]");
}

void description_writer::variant(const description_getter* types, std::size_t count,
                                 const value_ops& ops) {
    description_node& node = node_of(made_);
    node.what = kind::variant;
    node.ops = &ops;
    std::string name;
    for (std::size_t i = 0; i < count; ++i) {
        const description* type = types[i]();
        node.add_member({node.keep(type->life.name), type, 0, false, false, nullptr});
        name += (i > 0 ? " | " : "") + std::string(type->life.name);
    }
    node.set_name(name);
}

void description_writer::opaque(const description& representation, const value_ops& ops,
                                void* context) noexcept {
    made_.what = kind::opaque;
    made_.element = &representation;
    made_.ops = &ops;
    made_.context = context;
}

// Name and kind come from the other type, while functions for values stay those of the own type.
void description_writer::like(const description& other) {
    const type_info life = made_.life;
    const std::uint32_t* type_id = made_.type_id;
    description& copy = made_;
    copy = other;
    made_.life = life;
    made_.life.name = other.life.name;
    made_.type_id = type_id;
}

void description_writer::obstacle(const char* reason) {
    made_.what = kind::none;
    made_.obstacle = reason;
}

}  // namespace detail

}  // namespace kith
