// Paths that were parsed and checked against a type (parsed_path.hpp).
#include "parsed_path.hpp"

#include <kith/detail/assert.hpp>
#include <kith/syntax/lexer.hpp>

#include "assign.hpp"
#include "literal.hpp"
#include "raise.hpp"

#include <atomic>

namespace kith {

namespace values {

namespace {

constexpr std::size_t longest_path = 1024;

// The text of a path behind the name of its type, for messages.
std::string path_in_message(const description& root, std::string_view text) {
    const bool needs_dot = !text.empty() && syntax::chars::is_name(text[0]);
    return std::string(root.life.name) + (needs_dot ? "." : "") + std::string(text);
}

}  // namespace

// Parses one path. Steps: `.member`, `[index]`, `[key]`, `<alternative>`, `?`; the value inside of
// an optional is meant without '?'.
class path_parser {
public:
    path_parser(world_t* world, parsed_path& into)
        : world_(world), into_(into), path_(into.text_), type_(into.root_) {
        state_.world = world;
    }

    void run() {
        if (path_.size() > longest_path) {
            raise(errc::limit, "a path is longer than 1024 characters");
        }
        for (std::size_t steps = 1; at_ < path_.size(); ++steps) {
            if (steps > most_depth) {
                raise(errc::limit, "a path has more than 64 steps");
            }
            read_step(steps == 1);
        }
    }

private:
    [[noreturn]] void mistake(const std::string& message) const {
        raise(errc::invalid_text, "path '" + std::string(path_) + "', column " +
                                      std::to_string(at_ + 1) + ": " + message);
    }
    // Refuses a step that the type does not have; `end` is that of the path in the message.
    [[noreturn]] void misfit(std::size_t end, const std::string& reason) {
        state_.path = path_in_message(*into_.root_, path_.substr(0, end));
        refuse(state_, errc::invalid_value, reason);
    }
    void add(parsed_step::form is, std::uint64_t number, const description& type) {
        type_ = &detail::in_world(world_, type);
        into_.steps_.push_back({type_, number, is, static_cast<std::uint32_t>(at_)});
    }
    void read_step(bool is_first) {
        const char c = path_[at_];
        if (c == '?') {
            if (type_->what != kind::optional) {
                misfit(at_, "'?' is for optionals");
            }
            ++at_;
            add(parsed_step::form::inner, 0, *type_->element);
            return;
        }
        while (type_->what == kind::optional) {
            add(parsed_step::form::inner, 0, *type_->element);
        }
        if (c == '[') {
            read_bracket();
        } else if (c == '<') {
            read_alternative();
        } else if (c == '.' || is_first) {
            at_ += c == '.' ? 1 : 0;
            read_member();
        } else {
            mistake("expected '.', '[', '<' or '?'");
        }
    }
    std::string read_name() {
        if (at_ < path_.size() && path_[at_] == '"') {
            literal quoted;
            if (const literal_fault fault = read_literal(path_, at_, quoted)) {
                mistake(fault.message);
            }
            return std::move(quoted.text);
        }
        const std::size_t begin = at_;
        while (at_ < path_.size() && syntax::chars::is_name(path_[at_])) {
            ++at_;
        }
        return std::string(path_.substr(begin, at_ - begin));
    }
    // Members that functions read have no address, so that no path leads to them.
    void read_member() {
        const std::size_t before = at_ - (at_ > 0 && path_[at_ - 1] == '.');
        const std::string name = read_name();
        if (name.empty()) {
            mistake("a name of a member is missing");
        }
        const bool has_members = type_->what == kind::structure || type_->what == kind::opaque;
        const member_info* found = has_members ? find_member(*type_, name) : nullptr;
        if (!found) {
            const bool by_functions = type_->what == kind::opaque && type_->element &&
                                      type_->element->what == kind::structure &&
                                      find_member(*type_->element, name);
            misfit(before,
                   by_functions
                       ? "'" + name + "' is read by a function, so it has no place"
                       : std::string(type_->life.name) + " has no member '" + name + "'" +
                             (type_->what == kind::structure ? suggest_member(*type_, name) : ""));
        }
        add(parsed_step::form::member, static_cast<std::uint64_t>(found - type_->members),
            *found->type);
    }
    void read_bracket() {
        literal list;
        if (const literal_fault fault = read_literal(path_, at_, list)) {
            mistake(fault.message);
        }
        if (list.form != literal_form::list || list.items.size() != 1) {
            mistake("brackets have one index or key");
        }
        const literal& key = list.items[0].value;
        const description& type = *type_;
        if (type.what == kind::map) {
            state_.path = path_in_message(*into_.root_, path_.substr(0, at_));
            into_.keys_.emplace_back(type.key->life);
            assign_literal(state_, *type.key, into_.keys_.back().get(), key);
            add(parsed_step::form::entry, into_.keys_.size() - 1, *type.element);
            return;
        }
        number index;
        if (key.form != literal_form::number || !parse_number(key.text, index) ||
            index.is != number::form::positive) {
            misfit(at_, "an index is a number from 0 on");
        }
        add_element(index.positive);
    }
    void add_element(std::uint64_t index) {
        const kind what = type_->what;
        if (what != kind::array && what != kind::list && what != kind::tuple) {
            misfit(at_, std::string(type_->life.name) + " has no elements by number");
        }
        if (what == kind::tuple && index >= type_->count) {
            misfit(at_, "there are " + std::to_string(type_->count) + " elements");
        }
        add(parsed_step::form::element, index,
            what == kind::tuple ? *type_->members[index].type : *type_->element);
    }
    void read_alternative() {
        const std::size_t end = path_.find('>', at_);
        if (end == std::string_view::npos) {
            mistake("'<' has no '>'");
        }
        const std::string_view name = path_.substr(at_ + 1, end - at_ - 1);
        const std::int32_t which =
            type_->what == kind::variant ? find_alternative(*type_, name) : -1;
        if (which < 0) {
            misfit(at_, std::string(type_->life.name) + " has no alternative '" +
                            std::string(name) + "'");
        }
        at_ = end + 1;
        add(parsed_step::form::alternative, static_cast<std::uint64_t>(which),
            *type_->members[which].type);
    }

    world_t* world_;
    parsed_path& into_;
    std::string_view path_;
    const description* type_;
    assignment state_;
    std::size_t at_ = 0;
};

parsed_path::parsed_path(world_t* world, const description& type, std::string_view text)
    : root_(&detail::in_world(world, type)), text_(text) {
    path_parser(world, *this).run();
}

detail::value_part parsed_path::follow(void* value, detail::missing_part missing) const {
    KITH_ASSERT(value && !steps_.empty(), "a path leads from a value to a part of it");
    detail::value_part part{root_, value, nullptr};
    for (const parsed_step& step : steps_) {
        const detail::value_part from = part;
        part = take(step, from, missing);
        if (!part.value) {
            if (missing == detail::missing_part::null) {
                return {};
            }
            refuse_absent(step, from);
        }
    }
    return part;
}

// A path does not switch the alternative of a variant, even if missing parts are made: the caller
// has to say so by emplace.
detail::value_part parsed_path::take(const parsed_step& step, const detail::value_part& from,
                                     detail::missing_part missing) const {
    const description& type = *from.type;
    const auto index = static_cast<std::size_t>(step.number);
    switch (step.is) {
        case parsed_step::form::member: {
            const member_info& member = type.members[index];
            return {step.type, part_at(from.value, member.offset), &member};
        }
        case parsed_step::form::element:
            if (step.number >= detail::size_of_value(from)) {
                return {};
            }
            return {step.type, detail::element_of_value(nullptr, from, index).value, nullptr};
        case parsed_step::form::entry:
            return take_entry(step, from, missing);
        case parsed_step::form::alternative:
            return {step.type,
                    type.ops->which(type, from.value) == static_cast<std::int32_t>(step.number)
                        ? type.ops->inner(type, from.value)
                        : nullptr,
                    nullptr};
        default: {
            void* inner = type.ops->inner(type, from.value);
            if (!inner && missing == detail::missing_part::make) {
                inner = type.ops->emplace(type, from.value, 0);
            }
            return {step.type, inner, nullptr};
        }
    }
}

// The key is copied where it is added: the map may move from it.
detail::value_part parsed_path::take_entry(const parsed_step& step, const detail::value_part& from,
                                           detail::missing_part missing) const {
    const description& type = *from.type;
    const value_box& key = keys_[static_cast<std::size_t>(step.number)];
    void* found = type.ops->find(type, from.value, key.get());
    if (!found && missing == detail::missing_part::make) {
        const value_box copy(type.key->life, key.get());
        found = type.ops->insert(type, from.value, copy.get());
    }
    return {step.type, found, nullptr};
}

void parsed_path::refuse_absent(const parsed_step& step, const detail::value_part& from) const {
    assignment state;
    state.path = path_in_message(*root_, std::string_view(text_).substr(0, step.end));
    switch (step.is) {
        case parsed_step::form::element:
            refuse(state, errc::invalid_value,
                   "there are " + std::to_string(detail::size_of_value(from)) + " elements");
        case parsed_step::form::entry:
            refuse(state, errc::invalid_value, "there is no such key");
        case parsed_step::form::alternative:
            refuse(state, errc::invalid_value, "the value has another alternative");
        default:
            refuse(state, errc::invalid_value, "there is no value");
    }
}

// The steps of a path, shared by its copies.
struct shared_path {
    shared_path(world_t* world, const description& type, std::string_view text)
        : steps(world, type, text) {}
    const parsed_path steps;
    std::atomic<std::uint32_t> users{1};
};

}  // namespace values

path::path(world_t* world, const description& type, std::string_view text)
    : shared_(new values::shared_path(world, type, text)) {}
path::path(const kith::world& world, entity_t type, std::string_view text)
    : path(world, detail::require_description(world, type), text) {}
path::path(const path& other) noexcept : shared_(other.shared_) {
    shared_->users.fetch_add(1, std::memory_order_relaxed);
}
path& path::operator=(path other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
}
path::~path() {
    if (shared_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete shared_;
    }
}

const description& path::type() const noexcept {
    return shared_->steps.root();
}
const description& path::part_type() const noexcept {
    return shared_->steps.last();
}
std::string_view path::str() const noexcept {
    return shared_->steps.text();
}

namespace detail {

value_part follow_path(world_t* world, const value_part& from, const path& steps,
                       missing_part missing) {
    if (!from.value) {
        if (missing == missing_part::null) {
            return {};
        }
        values::raise(errc::invalid_value, "the value is empty: the entity does not have it");
    }
    const values::parsed_path& parsed = steps.shared_->steps;
    if (&parsed.root() != &in_world(world, *from.type)) {
        values::raise(errc::wrong_type, "the path '" + parsed.text() + "' was made for " +
                                            parsed.root().life.name + ", not for " +
                                            from.type->life.name);
    }
    return parsed.empty() ? from : parsed.follow(from.value, missing);
}

}  // namespace detail

}  // namespace kith
