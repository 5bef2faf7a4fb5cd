// Opaque types whose functions are given one by one (include/kith/meta.hpp).
#include <kith/detail/assert.hpp>
#include <kith/meta.hpp>
#include <kith/value.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "numbers.hpp"
#include "parts.hpp"
#include "raise.hpp"

#include <memory>

namespace kith {

namespace values {

namespace {

using detail::opaque_call;
using detail::opaque_type;

const opaque_type& calls_of(const description& type) noexcept {
    return *static_cast<const opaque_type*>(type.context);
}

// The representation while a program writes its parts.
struct serialized_value {
    world_t* world;
    const description& type;
    void* value;
    std::size_t index = 0;
    const member_info* member = nullptr;
};

// Values of other types are converted as texts are.
void convert_part(world_t* world, const description& from, const void* value, const description& to,
                  void* into) {
    if (&from == &to) {
        assign_copy(to.life, into, value);
        return;
    }
    detail::read_value(world, to, into, detail::text_of_value(world, from, value));
}

[[noreturn]] void refuse_part(const description& type, const std::string& reason) {
    raise(errc::invalid_value, std::string(type.life.name) + ": " + reason);
}

void write_element(serialized_value& into, const description& from, const void* value) {
    const description& type = into.type;
    if (type.what == kind::set) {
        value_box element(type.element->life);
        convert_part(into.world, from, value, *type.element, element.get());
        type.ops->insert(type, into.value, element.get());
        return;
    }
    if (type.what == kind::array && into.index >= type.count) {
        refuse_part(type, "the function gives more elements than the array has");
    }
    if (type.what == kind::list) {
        type.ops->resize(type, into.value, into.index + 1);
    }
    void* place = type.what == kind::list
                      ? type.ops->at(type, into.value, into.index)
                      : part_at(into.value, into.index * type.element->life.size);
    ++into.index;
    convert_part(into.world, from, value, *type.element, place);
}

void write_part_of(serialized_value& into, const description& from, const void* value) {
    const description& type = into.type;
    switch (type.what) {
        case kind::array:
        case kind::list:
        case kind::set:
            write_element(into, from, value);
            return;
        case kind::structure:
            if (!into.member) {
                refuse_part(type, "the function gives a value without naming its member");
            }
            convert_part(into.world, from, value, *into.member->type,
                         part_at(into.value, into.member->offset));
            into.member = nullptr;
            return;
        case kind::optional:
            convert_part(into.world, from, value, *type.element,
                         type.ops->emplace(type, into.value, 0));
            return;
        default:
            convert_part(into.world, from, value, type, into.value);
            return;
    }
}

void represent_by_calls(const description& type, const void* value, void (*use)(void*, const void*),
                        void* context) {
    const opaque_type& calls = calls_of(type);
    const auto function = calls.find(opaque_call::serialize);
    if (!function) {
        refuse_part(type, "it was described without serialize()");
    }
    const value_box shown(type.element->life);
    serialized_value into{calls.world, *type.element, shown.get()};
    const serializer to{calls.world, &into};
    if (calls.thunks->serialize(function, &to, value) != 0) {
        refuse_part(type, "serialize() has failed");
    }
    use(context, shown.get());
}

// Calls the functions of an opaque type with the parts of a representation.
class call_assignment {
public:
    call_assignment(const description& type, void* value)
        : type_(type), calls_(calls_of(type)), thunks_(*calls_.thunks), value_(value) {}

    void assign(const description& described, const void* from) {
        const description& shown = detail::in_world(calls_.world, described);
        switch (shown.what) {
            case kind::text: {
                const text_view text = shown.ops->text(shown, from);
                const std::string ended(text.data, text.size);
                thunks_.assign_string(require(opaque_call::assign_string, "a text"), value_,
                                      ended.c_str());
                break;
            }
            case kind::entity:
                assign_entity(shown.ops->entity(shown, from));
                break;
            case kind::structure:
                assign_members(shown, from);
                break;
            case kind::array:
            case kind::list:
            case kind::set:
                assign_elements(shown, from);
                break;
            case kind::optional:
                assign_present(inner_value(shown, from));
                break;
            default:
                assign_number(shown, from);
                break;
        }
    }

private:
    using function = detail::opaque_thunks::function;

    function require(opaque_call call, const char* what) const {
        if (function known = calls_.find(call)) {
            return known;
        }
        refuse_part(type_, std::string("it has no function that takes ") + what);
    }
    void assign_entity(entity_t entity) {
        const function nothing = calls_.find(opaque_call::assign_null);
        if (entity == 0 && nothing) {
            thunks_.act(nothing, value_);
            return;
        }
        thunks_.assign_entity(require(opaque_call::assign_entity, "an entity"), value_,
                              calls_.world, entity);
    }
    void assign_present(const typed_value& inner) {
        if (inner.value) {
            assign(*inner.type, inner.value);
        } else {
            thunks_.act(require(opaque_call::assign_null, "nothing"), value_);
        }
    }
    // Integers take the function for the other sign, or for floats, if it loses nothing.
    void assign_number(const description& shown, const void* from) {
        const kind stored = stored_kind(shown);
        const detail::value_part part{&shown, const_cast<void*>(from), nullptr};
        const auto give = [&](opaque_call call, kind wanted, auto converted, auto thunk) {
            const function known = calls_.find(call);
            if (!known || !detail::get_number(part, wanted, &converted)) {
                return false;
            }
            thunk(known, value_, converted);
            return true;
        };
        const bool done =
            (stored == kind::boolean &&
             give(opaque_call::assign_bool, kind::boolean, bool(), thunks_.assign_bool)) ||
            (stored == kind::character &&
             give(opaque_call::assign_char, kind::character, char(), thunks_.assign_char)) ||
            (is_float(stored) &&
             give(opaque_call::assign_float, kind::f64, double(), thunks_.assign_float)) ||
            (!is_float(stored) && is_signed(stored) &&
             give(opaque_call::assign_int, kind::i64, std::int64_t(), thunks_.assign_int)) ||
            give(opaque_call::assign_uint, kind::u64, std::uint64_t(), thunks_.assign_uint) ||
            give(opaque_call::assign_int, kind::i64, std::int64_t(), thunks_.assign_int) ||
            give(opaque_call::assign_float, kind::f64, double(), thunks_.assign_float);
        if (!done) {
            require(opaque_call::assign_float, to_string(shown.what));
            refuse_part(type_, "no function takes this number without loss");
        }
    }
    // The memory that a function gives holds a value of the representation's part.
    void copy_part(const description& shown, void* place, const void* from,
                   const std::string& name) {
        if (!place) {
            refuse_part(type_, "it has no part " + name);
        }
        assign_copy(shown.life, place, from);
    }
    void assign_members(const description& shown, const void* from) {
        const function ensure = require(opaque_call::ensure_member, "a struct");
        for (const member_info& member : shown) {
            copy_part(*member.type, thunks_.ensure_member(ensure, value_, member.name),
                      part_at(from, member.offset), member.name);
        }
    }
    void assign_elements(const description& shown, const void* from) {
        const function ensure = require(opaque_call::ensure_element, "a list");
        std::vector<const void*> elements;
        if (shown.what == kind::array) {
            for (std::uint32_t i = 0; i < shown.count; ++i) {
                elements.push_back(fixed_part(shown, from, i).value);
            }
        } else {
            for (const container_entry& entry : ordered_entries(shown, from)) {
                elements.push_back(entry.element);
            }
        }
        if (const function resize = calls_.find(opaque_call::resize)) {
            thunks_.resize(resize, value_, elements.size());
        } else if (const function clear = calls_.find(opaque_call::clear)) {
            thunks_.act(clear, value_);
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            copy_part(*shown.element, thunks_.ensure_element(ensure, value_, i), elements[i],
                      "[" + std::to_string(i) + "]");
        }
        const function count = calls_.find(opaque_call::count);
        if (count && thunks_.count(count, value_) != elements.size()) {
            refuse_part(type_, "it cannot have " + std::to_string(elements.size()) + " elements");
        }
    }

    const description& type_;
    const opaque_type& calls_;
    const detail::opaque_thunks& thunks_;
    void* value_;
};

constexpr value_ops called_ops = [] {
    value_ops ops;
    ops.represent = represent_by_calls;
    ops.assign = [](const description& type, void* value, const void* representation) {
        call_assignment(type, value).assign(*type.element, representation);
    };
    return ops;
}();

}  // namespace

}  // namespace values

int serializer::value(entity_t type, const void* value) const {
    KITH_ASSERT(value, "a part has a value");
    auto& into = *static_cast<values::serialized_value*>(context);
    // A program that says String has a pointer to characters.
    const bool is_pointer =
        type == entity_t(String) || type == detail::known_type_id<detail::pointer_text_tag>();
    const description& from = is_pointer ? *detail::description_of<const char*>()
                                         : detail::require_description(world, type);
    values::write_part_of(into, from, value);
    return 0;
}

int serializer::member(const char* name) const {
    auto& into = *static_cast<values::serialized_value*>(context);
    into.member =
        into.type.what == kind::structure ? values::find_member(into.type, name) : nullptr;
    if (!into.member) {
        values::refuse_part(into.type, std::string("there is no member '") + name + "'");
    }
    return 0;
}

namespace detail {

opaque_type* register_opaque(world_t* world, entity_t component, const opaque_type& type) {
    const description& shown = require_description(world, type.as_type);
    if (shown.what == kind::list && type.element_size != 0 &&
        type.element_size != shown.element->life.size) {
        values::raise(errc::invalid_type, "the elements of " + std::string(shown.life.name) +
                                              " have " + std::to_string(shown.element->life.size) +
                                              " bytes, those of the type " +
                                              std::to_string(type.element_size));
    }
    auto kept = std::make_unique<opaque_type>(type);
    opaque_type* made = kept.release();
    set_opaque(world, component, shown, values::called_ops, made,
               [](void* owned) noexcept { delete static_cast<opaque_type*>(owned); });
    return made;
}

}  // namespace detail

}  // namespace kith
