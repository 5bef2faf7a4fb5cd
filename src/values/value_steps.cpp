// Paths of value terms, declared in value_steps.hpp.
#include "value_steps.hpp"

#include <kith/detail/assert.hpp>
#include <kith/syntax/lexer.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "literal.hpp"

namespace kith::values {

namespace {

using form = value_step::form;

// Resolves one path.
class step_finder {
public:
    step_finder(const world_t* world, const description& whole, std::string_view path,
                value_steps& into)
        : world_(world), path_(path), into_(into) {
        into_.type = &whole;
    }

    step_fault run() {
        enter_inner();
        while (at_ < path_.size()) {
            if (into_.steps.size() > most_depth) {
                return {"a path has at most 64 steps", at_};
            }
            step_fault fault = path_[at_] == '[' ? bracket() : member();
            if (fault) {
                return fault;
            }
            enter_inner();
        }
        return {};
    }

private:
    void add(form is, const description& next, std::size_t number = 0) {
        if (is == form::offset && !into_.steps.empty() && into_.steps.back().is == form::offset) {
            into_.steps.back().number += number;
        } else {
            into_.steps.push_back({is, into_.type, number, nullptr});
        }
        into_.type = &detail::in_world(world_, next);
        into_.is_optional = is == form::inner;
    }
    // Optionals stand for their value, opaque values for their representation.
    void enter_inner() {
        while (into_.type->what == kind::optional || into_.type->what == kind::opaque) {
            add(into_.type->what == kind::optional ? form::inner : form::represent,
                *into_.type->element);
        }
    }
    step_fault member() {
        at_ += path_[at_] == '.';
        const std::size_t begin = at_;
        while (at_ < path_.size() && syntax::chars::is_name(path_[at_])) {
            ++at_;
        }
        const std::string_view name = path_.substr(begin, at_ - begin);
        const description& type = *into_.type;
        if (type.what != kind::structure && type.what != kind::tuple) {
            return {std::string(type.life.name) + " has no members", begin};
        }
        const member_info* found = find_member(type, name);
        if (!found) {
            return {std::string(type.life.name) + " has no member '" + std::string(name) + "'" +
                        suggest_member(type, name),
                    begin};
        }
        add(form::offset, *found->type, found->offset);
        return {};
    }
    step_fault bracket() {
        const std::size_t begin = at_;
        const std::size_t end = path_.find(']', begin);
        const description& type = *into_.type;
        const bool counts = type.what == kind::array || type.what == kind::list;
        if (path_.substr(begin, 3) == "[*]") {
            at_ = begin + 3;
            if (!enter_elements(world_, into_)) {
                return {std::string(type.life.name) + " has no elements", begin};
            }
            return {};
        }
        if (type.what == kind::map) {
            return key();
        }
        number index;
        const std::string digits(path_.substr(begin + 1, end - begin - 1));
        if (!counts || !parse_number_of(digits, index)) {
            return {std::string(type.life.name) + " has no element [" + digits + "]", begin};
        }
        if (type.what == kind::array && index.positive >= type.count) {
            return {"the array has " + std::to_string(type.count) + " elements", begin};
        }
        at_ = end + 1;
        if (type.what == kind::array) {
            add(form::offset, *type.element, index.positive * type.element->life.size);
        } else {
            add(form::index, *type.element, index.positive);
        }
        return {};
    }
    static bool parse_number_of(const std::string& digits, number& into) {
        const bool good = !digits.empty() && digits.size() < 10 &&
                          digits.find_first_not_of("0123456789") == std::string::npos;
        return good && parse_number(digits, into);
    }
    // A key of a map, as text writes it.
    step_fault key() {
        const std::size_t begin = at_++;
        const description& type = *into_.type;
        literal read;
        if (literal_fault fault = read_literal(path_, at_, read)) {
            return {fault.message, begin};
        }
        const description& key_type = detail::in_world(world_, *type.key);
        const bool fits = key_type.what == kind::text ? read.form == literal_form::text
                                                      : read.form == literal_form::number;
        if (at_ >= path_.size() || path_[at_] != ']' || !fits) {
            return {"this is no key of " + std::string(type.life.name), begin};
        }
        ++at_;
        auto box = std::make_shared<value_box>(key_type.life);
        bool written = false;
        if (key_type.what == kind::text) {
            written = key_type.ops->assign_text(key_type, box->get(),
                                                {read.text.data(), read.text.size()});
        } else {
            const kind stored = stored_kind(key_type);
            number value;
            written = stored >= kind::boolean && stored <= kind::f64 &&
                      parse_number(read.text, value) && write_number(stored, box->get(), value);
        }
        if (!written) {
            return {"this is no key of " + std::string(type.life.name), begin};
        }
        add(form::key, *type.element);
        into_.steps.back().key = std::move(box);
        return {};
    }

    const world_t* world_;
    std::string_view path_;
    value_steps& into_;
    std::size_t at_ = 0;
};

}  // namespace

step_fault find_steps(const world_t* world, const description& whole, std::string_view path,
                      value_steps& into) {
    return step_finder(world, whole, path, into).run();
}

bool enter_elements(const world_t* world, value_steps& steps) {
    const description& type = *steps.type;
    if (type.what != kind::array && type.what != kind::list && type.what != kind::set &&
        type.what != kind::map) {
        return false;
    }
    steps.steps.push_back({form::every, &type, 0, nullptr});
    steps.type = &detail::in_world(world, *type.element);
    steps.is_optional = false;
    while (steps.type->what == kind::optional || steps.type->what == kind::opaque) {
        const bool optional = steps.type->what == kind::optional;
        steps.steps.push_back({optional ? form::inner : form::represent, steps.type, 0, nullptr});
        steps.type = &detail::in_world(world, *steps.type->element);
        steps.is_optional = optional;
    }
    return true;
}

bool value_steps::any_from(std::size_t first, const void* value, visit_part visit,
                           void* context) const {
    KITH_ASSERT(value, "a step starts from a value");
    if (first == steps.size()) {
        return visit(context, value);
    }
    const value_step& step = steps[first];
    if (step.is == form::offset) {
        return any_from(first + 1, part_at(value, step.number), visit, context);
    }
    KITH_ASSERT(step.type, "a step into a container knows its type");
    const description& from = *step.type;
    void* whole = const_cast<void*>(value);
    const void* next = nullptr;
    switch (step.is) {
        case form::offset:
            break;
        case form::index:
            next = step.number < from.ops->size(from, value)
                       ? from.ops->at(from, whole, step.number)
                       : nullptr;
            break;
        case form::key:
            next = from.ops->find(from, whole, step.key->get());
            break;
        case form::inner:
            next = from.ops->inner(from, whole);
            break;
        case form::every:
            return any_element(first, value, visit, context);
        case form::represent: {
            bool found = false;
            with_representation(from, value, [&](const description&, const void* shown) {
                found = any_from(first + 1, shown, visit, context);
            });
            return found;
        }
    }
    return next && any_from(first + 1, next, visit, context);
}

bool value_steps::any_element(std::size_t number, const void* value, visit_part visit,
                              void* context) const {
    const description& from = *steps[number].type;
    if (from.what == kind::array) {
        bool found = false;
        for (std::uint32_t i = 0; i < from.count && !found; ++i) {
            found =
                any_from(number + 1, part_at(value, i * from.element->life.size), visit, context);
        }
        return found;
    }
    struct search {
        const value_steps& steps;
        std::size_t number;
        visit_part visit;
        void* context;
        bool found;
    } state{*this, number, visit, context, false};
    from.ops->each(
        from, value,
        [](void* to, const void*, const void* element) {
            auto& now = *static_cast<search*>(to);
            now.found =
                now.found || now.steps.any_from(now.number + 1, element, now.visit, now.context);
        },
        &state);
    return state.found;
}

}  // namespace kith::values
