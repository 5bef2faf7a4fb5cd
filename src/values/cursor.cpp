// The cursor: steps through a value (include/kith/meta.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/type_text.hpp>
#include <kith/meta.hpp>
#include <kith/value.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "literal.hpp"
#include "parts.hpp"
#include "raise.hpp"
#include "type_entity.hpp"

#include <vector>

namespace kith {

namespace values {

using detail::value_part;

namespace {

// The id that programs write for a type without members.
entity_t id_of_plain(const description& type) {
    switch (type.what) {
        case kind::boolean:
            return Bool;
        case kind::character:
            return Char;
        case kind::i8:
            return I8;
        case kind::i16:
            return I16;
        case kind::i32:
            return I32;
        case kind::i64:
            return I64;
        case kind::u8:
            return U8;
        case kind::u16:
            return U16;
        case kind::u32:
            return U32;
        case kind::u64:
            return U64;
        case kind::f32:
            return F32;
        case kind::f64:
            return F64;
        case kind::text:
            return String;
        case kind::entity:
            return Entity;
        default:
            return 0;
    }
}

}  // namespace

entity_t type_entity_of(const world_t* world, const description& type) {
    const entity_t component = detail::component_of_type(world, type);
    return component ? component : id_of_plain(type);
}

// Invariants
// 1. The first scope holds the whole value and has one place.
// 2. Each other scope is a struct, collection or variant at the place of the scope before it.
class cursor_state {
public:
    cursor_state(world_t* world, const description& type, void* value) : world_(world) {
        scopes_.push_back({{&type, value, nullptr}, 0, nullptr});
    }

    void push() {
        value_part part = place();
        while (part.type->what == kind::optional) {
            void* inner = part.type->ops->inner(*part.type, part.value);
            inner = inner ? inner : part.type->ops->emplace(*part.type, part.value, 0);
            part = {&detail::in_world(world_, *part.type->element), inner, nullptr};
        }
        if (part.type->what < kind::structure || part.type->what == kind::opaque) {
            refuse_here(std::string(part.type->life.name) + " has no parts");
        }
        if (scopes_.size() > most_depth) {
            raise(errc::limit, "a cursor is nested deeper than 64");
        }
        scopes_.push_back({part, 0, nullptr});
    }
    void pop() {
        if (scopes_.size() == 1) {
            refuse_here("pop() without push()");
        }
        scopes_.pop_back();
    }
    // A list has a place behind its last element.
    void move_to(std::size_t index) {
        scope& top = scopes_.back();
        const kind what = top.whole.type->what;
        const std::size_t size = scopes_.size() == 1 ? 1 : detail::size_of_value(top.whole);
        const bool appends = scopes_.size() > 1 && what == kind::list && index == size;
        if (index >= size && !appends) {
            refuse_here("there are " + std::to_string(size) + " places");
        }
        top.index = index;
        top.entry = nullptr;
    }
    void next() { move_to(scopes_.back().index + 1); }

    void member(std::string_view name) {
        const value_part& whole = inside("a struct");
        const description& type = *whole.type;
        if (type.what == kind::variant) {
            const std::int32_t which = find_alternative(type, name);
            if (which < 0) {
                refuse_here("there is no alternative '" + std::string(name) + "'");
            }
            if (type.ops->which(type, whole.value) != which) {
                type.ops->emplace(type, whole.value, static_cast<std::uint32_t>(which));
            }
            return;
        }
        const member_info* found = type.what == kind::structure ? find_member(type, name) : nullptr;
        if (!found) {
            refuse_here("there is no member '" + std::string(name) + "'" +
                        (type.what == kind::structure ? suggest_member(type, name) : ""));
        }
        scopes_.back().index = static_cast<std::size_t>(found - type.members);
    }
    void key(const char* text) {
        const value_part& whole = inside("a map");
        const description& type = *whole.type;
        if (type.what != kind::map) {
            refuse_here("this is no map");
        }
        value_box key(type.key->life);
        const value_part part{type.key, key.get(), nullptr};
        set_text(part, text);
        void* found = type.ops->find(type, whole.value, key.get());
        scopes_.back().entry = found ? found : type.ops->insert(type, whole.value, key.get());
    }

    bool is_collection() const noexcept {
        const kind what = scopes_.back().whole.type->what;
        return scopes_.size() > 1 && (what == kind::array || what == kind::list ||
                                      what == kind::set || what == kind::map);
    }
    const member_info* member_here() const {
        KITH_ASSERT(!scopes_.empty(), "the whole value is the first scope");
        const scope& top = scopes_.back();
        return scopes_.size() > 1 && top.whole.type->what == kind::structure &&
                       top.whole.type->count > 0
                   ? &top.whole.type->members[top.index]
                   : nullptr;
    }
    // The part at the place. Behind the last element of a list, an element is appended.
    value_part place() {
        const scope& top = scopes_.back();
        const description& type = *top.whole.type;
        if (scopes_.size() > 1 && type.what == kind::list &&
            top.index == type.ops->size(type, top.whole.value)) {
            if (!type.ops->resize) {
                refuse_here("the list can only be read");
            }
            type.ops->resize(type, top.whole.value, top.index + 1);
        }
        return present();
    }
    // The part at the place. Throws if there is none.
    value_part present() const {
        const scope& top = scopes_.back();
        if (scopes_.size() == 1) {
            return top.whole;
        }
        if (top.entry) {
            return {&detail::in_world(world_, *top.whole.type->element), top.entry, nullptr};
        }
        return detail::element_of_value(world_, top.whole, top.index);
    }
    // Sets and keys are ordered by their values, so that they cannot be written in place.
    value_part writable() {
        if (scopes_.size() > 1 && scopes_.back().whole.type->what == kind::set) {
            refuse_here("elements of sets are not written in place");
        }
        return place();
    }
    // Texts and names are taken as they are; other values are read from the text.
    void set_text(const value_part& part, std::string_view text) const {
        const description* type = part.type;
        while (type->what == kind::optional || type->what == kind::opaque) {
            type = &detail::in_world(world_, *type->element);
        }
        const bool is_named = type->what == kind::text || type->what == kind::enumeration ||
                              type->what == kind::entity;
        if (is_named) {
            detail::write_part(world_, part, {}, detail::value_argument::of(text));
        } else {
            detail::parse_part(world_, part, {}, text);
        }
    }
    world_t* world() const noexcept { return world_; }
    string_view keep(text_view text) {
        text_.assign(text.data, text.size);
        return string_view(text_.c_str(), text_.size());
    }

    [[noreturn]] void refuse_here(const std::string& reason) const {
        raise(errc::invalid_operation,
              std::string(scopes_.front().whole.type->life.name) + ", cursor: " + reason);
    }

private:
    struct scope {
        value_part whole;
        std::size_t index;
        void* entry;  // of a map, that key() has found
    };
    const value_part& inside(const char* what) const {
        if (scopes_.size() == 1) {
            refuse_here(std::string("push() enters ") + what + " first");
        }
        return scopes_.back().whole;
    }

    world_t* world_;
    std::vector<scope> scopes_;
    std::string text_;  // of get_string()
};

namespace {

// A number at the place, also inside of an optional or an opaque value.
bool read_number_here(const cursor_state& state, const description& described, const void* value,
                      kind wanted, void* into) {
    const description& type = detail::in_world(state.world(), described);
    if (type.what == kind::optional) {
        const typed_value inner = inner_value(type, value);
        return inner.value && read_number_here(state, *inner.type, inner.value, wanted, into);
    }
    if (type.what == kind::opaque) {
        bool found = false;
        with_representation(type, value, [&](const description& shown, const void* part) {
            found = read_number_here(state, shown, part, wanted, into);
        });
        return found;
    }
    return detail::get_number({&type, const_cast<void*>(value), nullptr}, wanted, into);
}

template <class V>
V get_here(const cursor_state& state, kind wanted, const char* name) {
    const value_part part = state.present();
    V value{};
    if (!read_number_here(state, *part.type, part.value, wanted, &value)) {
        detail::raise_wrong_type(part, name);
    }
    return value;
}

// The value inside of optionals.
value_part without_optional(const cursor_state& state, value_part part, const char* wanted) {
    while (part.type->what == kind::optional) {
        const typed_value inner = inner_value(*part.type, part.value);
        if (!inner.value) {
            detail::raise_wrong_type(part, wanted);
        }
        part = {&detail::in_world(state.world(), *inner.type), const_cast<void*>(inner.value),
                nullptr};
    }
    return part;
}

template <class V>
int set_here(cursor_state& state, const V& value) {
    detail::write_part(state.world(), state.writable(), {}, detail::value_argument::of(value));
    return 0;
}

}  // namespace

}  // namespace values

cursor::cursor(world_t* world, entity_t type, void* value) : state_(nullptr) {
    if (!value) {
        values::raise(errc::invalid_operation, "a cursor needs a value");
    }
    state_ = new values::cursor_state(
        world, detail::in_world(world, detail::require_description(world, type)), value);
}
cursor::~cursor() {
    delete state_;
}

int cursor::push() {
    return state_->push(), 0;
}
int cursor::pop() {
    return state_->pop(), 0;
}
int cursor::next() {
    return state_->next(), 0;
}
int cursor::member(const char* name) {
    return state_->member(name ? name : ""), 0;
}
int cursor::dotmember(const char* path) {
    std::string_view rest(path ? path : "");
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
        state_->member(rest.substr(0, dot));
        state_->push();
        rest.remove_prefix(dot + 1);
    }
    return state_->member(rest), 0;
}
int cursor::elem(std::int32_t index) {
    if (index < 0 || !state_->is_collection()) {
        state_->refuse_here("elem() takes a number from 0 on, inside of a collection");
    }
    return state_->move_to(static_cast<std::size_t>(index)), 0;
}
int cursor::key(const char* text) {
    return state_->key(text ? text : ""), 0;
}

bool cursor::is_collection() const {
    return state_->is_collection();
}
string_view cursor::get_member() const {
    const member_info* member = state_->member_here();
    return member ? string_view(member->name) : string_view("");
}
entity cursor::get_type() const {
    return entity(state_->world(),
                  values::type_entity_of(state_->world(), *state_->present().type));
}
entity cursor::get_unit() const {
    const member_info* member = state_->member_here();
    return entity(state_->world(), member && member->attributes ? member->attributes->unit : 0);
}
void* cursor::get_ptr() {
    return state_->place().value;
}

int cursor::set_bool(bool value) {
    return values::set_here(*state_, value);
}
int cursor::set_char(char value) {
    return values::set_here(*state_, value);
}
int cursor::set_int(std::int64_t value) {
    return values::set_here(*state_, value);
}
int cursor::set_uint(std::uint64_t value) {
    return values::set_here(*state_, value);
}
int cursor::set_float(double value) {
    return values::set_here(*state_, value);
}
int cursor::set_string(const char* value) {
    return state_->set_text(state_->writable(), value ? value : ""), 0;
}
int cursor::set_string_literal(const char* value) {
    detail::parse_part(state_->world(), state_->writable(), {}, value ? value : "");
    return 0;
}
int cursor::set_entity(entity_t value) {
    return values::set_here(*state_, handle(value));
}
int cursor::set_id(id_t value) {
    const detail::value_part part = state_->writable();
    return part.type->what == kind::entity ? set_entity(value) : set_uint(value);
}
int cursor::set_null() {
    detail::parse_part(state_->world(), state_->writable(), {}, "null");
    return 0;
}

bool cursor::get_bool() const {
    return values::get_here<bool>(*state_, kind::boolean, "bool");
}
char cursor::get_char() const {
    return values::get_here<char>(*state_, kind::character, "char");
}
std::int64_t cursor::get_int() const {
    return values::get_here<std::int64_t>(*state_, kind::i64, "i64");
}
std::uint64_t cursor::get_uint() const {
    return values::get_here<std::uint64_t>(*state_, kind::u64, "u64");
}
double cursor::get_float() const {
    return values::get_here<double>(*state_, kind::f64, "f64");
}
string_view cursor::get_string() const {
    const detail::value_part part = values::without_optional(*state_, state_->present(), "text");
    if (part.type->what == kind::text) {
        return state_->keep(part.type->ops->text(*part.type, part.value));
    }
    if (part.type->what != kind::opaque || part.type->element->what != kind::text) {
        detail::raise_wrong_type(part, "text");
    }
    string_view text;
    values::with_representation(*part.type, part.value,
                                [&](const description& shown, const void* value) {
                                    text = state_->keep(shown.ops->text(shown, value));
                                });
    return text;
}
entity cursor::get_entity() const {
    const detail::value_part part = values::without_optional(*state_, state_->present(), "entity");
    if (part.type->what != kind::entity) {
        detail::raise_wrong_type(part, "entity");
    }
    return entity(state_->world(), part.type->ops->entity(*part.type, part.value));
}

}  // namespace kith
