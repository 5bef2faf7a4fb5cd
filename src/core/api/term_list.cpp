// term_list (declared in include/kith/term.hpp): the terms and names that query builders collect;
// and the errors of builders.
#include <kith/detail/order.hpp>
#include <kith/detail/value_test.hpp>
#include <kith/term.hpp>

#include "api/query_text.hpp"
#include "base/assert.hpp"
#include "base/raise.hpp"
#include "mutate/context/stage.hpp"
#include "names/path.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace kith::detail {

// A name. Names lie in a linked list of blocks, because terms point to them.
struct term_list::name_block {
    name_block* next;

    char* text() noexcept { return reinterpret_cast<char*>(this + 1); }
};

term_list::term_list(const term_list& other) {
    reserve(other.count_);
    for (std::uint32_t i = 0; i < other.count_; ++i) {
        add() = other.data()[i];
    }
    keep_names();
}

// Terms that lie inside of the list are copied; allocated terms and names change their owner.
term_list::term_list(term_list&& other) noexcept
    : count_(other.count_),
      capacity_(other.capacity_),
      more_(std::exchange(other.more_, nullptr)),
      names_(std::exchange(other.names_, nullptr)) {
    for (std::uint32_t i = 0; !more_ && i < count_; ++i) {
        ::new (static_cast<void*>(inline_terms() + i)) term_desc(other.inline_terms()[i]);
    }
    other.count_ = 0;
    other.capacity_ = few;
}

term_list& term_list::operator=(term_list&& other) noexcept {
    if (this != &other) {
        this->~term_list();
        ::new (this) term_list(std::move(other));
    }
    return *this;
}

term_list::~term_list() {
    while (names_) {
        ::operator delete(std::exchange(names_, names_->next));
    }
    delete[] more_;
}

// Adds a term where the inline terms do not suffice.
term_desc& term_list::add_slow() {
    reserve(count_ + 1);
    KITH_ASSERT(count_ < capacity_, "there is room for a term");
    term_desc& added = data()[count_++];
    added = {};
    return added;
}

// Capacities at least double: adding terms costs O(1) amortized.
void term_list::reserve(std::uint32_t capacity) {
    if (capacity <= capacity_) {
        return;
    }
    std::uint32_t grown = capacity < 2 * capacity_ ? 2 * capacity_ : capacity;
    auto* moved = new term_desc[grown];
    std::copy(data(), data() + count_, moved);
    delete[] more_;
    more_ = moved;
    capacity_ = grown;
}

// Copies a text, which lives as long as the list.
const char* term_list::keep(text_view text) {
    if (text.size == 0) {
        return "";
    }
    auto* block = ::new (::operator new(sizeof(name_block) + text.size + 1)) name_block{names_};
    names_ = block;
    std::memcpy(block->text(), text.data, text.size);
    block->text()[text.size] = 0;
    return block->text();
}

const char* term_list::keep_name(text_view name) {
    names::check_characters(name);
    return keep(name);
}

// Copies a comparison with its texts, which live as long as the list.
const value_desc* term_list::keep_value(const value_desc& value) {
    static_assert(alignof(value_desc) <= alignof(name_block));
    struct room {
        value_desc value;
        term_desc other;
    };
    auto* block = ::new (::operator new(sizeof(name_block) + sizeof(room))) name_block{names_};
    names_ = block;
    auto* kept = ::new (static_cast<void*>(block->text())) room{value, {}};
    kept->value.path = keep(value.path);
    kept->value.right = keep(value.right);
    if (value.other) {
        kept->other = *value.other;
        kept->other.value = nullptr;
        kept->value.other = &kept->other;
        for (term_part_desc* part : {&kept->other.src, &kept->other.first, &kept->other.second}) {
            part->name = part->name ? keep(part->name) : nullptr;
        }
    }
    return &kept->value;
}

// Copies the names of terms that were copied from another list.
void term_list::keep_names() {
    for (std::uint32_t i = 0; i < count_; ++i) {
        term_desc& desc = data()[i];
        for (term_part_desc* part : {&desc.src, &desc.first, &desc.second}) {
            part->name = part->name ? keep(part->name) : nullptr;
        }
        desc.text = desc.text ? keep(desc.text) : nullptr;
        desc.value = desc.value ? keep_value(*desc.value) : nullptr;
    }
}

namespace {

// True for a path or a variable, which needs no parser. Names of types may have any character
// inside of `<>`.
bool is_plain_name(std::string_view text) noexcept {
    std::uint32_t angles = 0;
    for (char c : text) {
        angles += c == '<';
        angles -= c == '>' && angles > 0;
        if (angles == 0 &&
            std::string_view{" \t\r\n\"()[]{},|!?=~"}.find(c) != std::string_view::npos) {
            return false;
        }
    }
    return angles == 0;
}

}  // namespace

// Adds the term of a text; throws unless the text is exactly one term.
void add_text_term(world_t* world, text_view text, term_list& terms) {
    if (is_plain_name(text)) {
        terms.add().first.name = terms.keep_name(text);
        return;
    }
    const std::uint32_t before = terms.size();
    parse_terms(world, text, terms);
    if (terms.size() != before + 1) {
        base::text message;
        message << "\"" << std::string_view(text)
                << "\" is not one term; expr() adds any number of them";
        base::raise(errc::invalid_query, message);
    }
}

// -- terms that compare values

namespace {

const char* operator_of(comparison how) noexcept {
    constexpr const char* texts[] = {" < ", " <= ", " > ", " >= ", " == ", " != ", " ~= ", " in "};
    return texts[how];
}

}  // namespace

std::string text_of_constant(const value_constant& constant) {
    using form = value_constant::form;
    switch (constant.is) {
        case form::null:
            return "null";
        case form::truth:
            return constant.number ? "true" : "false";
        case form::positive:
            return constant_text(constant.number, false);
        case form::negative:
            return constant_text(0 - constant.number, true);
        case form::real:
            return constant_text(constant.real);
        case form::text:
            return constant_text(constant.text);
        case form::entity:
            return constant_text_of_entity(constant.number);
    }
    return {};
}

namespace {

// Constants as texts of queries write them.
std::string text_of_constants(comparison how, const where_constants& constants) {
    if (constants.is_range) {
        return text_of_constant(constants.items[0]) + ".." + text_of_constant(constants.items[1]);
    }
    if (how != is_in) {
        return text_of_constant(constants.items[0]);
    }
    std::string text = "[";
    for (std::size_t i = 0; i < constants.count; ++i) {
        text += (i > 0 ? ", " : "") + text_of_constant(constants.items[i]);
    }
    return text + "]";
}

}  // namespace

void add_where(world_t*, term_list& terms, id_t component, const member_place& member,
               comparison how, const where_constants& constants) {
    const std::string right = text_of_constants(how, constants);
    value_desc value;
    value.how = how;
    value.right = right.c_str();
    value.number = member.number;
    value.offset = member.offset;
    term_desc& added = terms.add();
    added.id = component;
    added.value = terms.keep_value(value);
}

void add_where(term_list& terms, id_t component, const member_place& member, comparison how,
               text_view variable, id_t other, const member_place& other_member) {
    term_desc operand;
    operand.id = other;
    operand.src.name = terms.keep_name(variable);
    value_desc value;
    value.how = how;
    value.number = member.number;
    value.offset = member.offset;
    value.other = &operand;
    value.right_number = other_member.number;
    value.right_offset = other_member.offset;
    term_desc& added = terms.add();
    added.id = component;
    added.value = terms.keep_value(value);
}

void add_where(world_t* world, term_list& terms, text_view member, comparison how,
               const where_constants& constants) {
    const std::string text = std::string(std::string_view(member)) + operator_of(how) +
                             text_of_constants(how, constants);
    const std::uint32_t before = terms.size();
    parse_terms(world, {text.data(), text.size()}, terms);
    if (terms.size() != before + 1 || !terms.data()[before].value) {
        base::text message;
        message << "where: \"" << std::string_view(member) << "\" is no value of a component";
        base::raise(errc::invalid_query, message);
    }
}

// -- errors of builders

void raise_no_term(const char* call) {
    base::text message;
    message << call << " was called before any term was added";
    base::raise(errc::invalid_query, message);
}

void raise_null_term(const char* call, const char* argument) {
    mutate::raise_null(call, argument, errc::invalid_query);
}
void raise_no_group() {
    base::raise(errc::invalid_query,
                "group_by: the relationship is the null entity (0), and there is no function");
}

void raise_many_orders(std::uint32_t most) {
    base::text message;
    message << "a query is sorted by at most " << most << " things";
    base::raise(errc::limit, message);
}

void raise_no_such_term(std::int32_t index, std::uint32_t count) {
    base::text message;
    message << "there is no term " << std::int64_t{index} << "; there are " << count
            << ", counted from 1";
    base::raise(errc::invalid_query, message);
}

}  // namespace kith::detail
