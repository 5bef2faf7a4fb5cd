// Declarations of types as text (include/kith/detail/type_text.hpp): what save_text() and JSON of
// worlds write for the types whose values they write.
#include <kith/detail/assert.hpp>
#include <kith/detail/type_text.hpp>

#include "component_types.hpp"
#include "literal.hpp"
#include "numbers.hpp"
#include "raise.hpp"
#include "text_writer.hpp"

#include <vector>

namespace kith {

namespace values {

namespace {

// A struct without members is the alternative of a variant that has no value; texts call it `null`.
bool is_nothing(const description& type) noexcept {
    return type.what == kind::structure && type.count == 0;
}

// The type that texts show: opaque types are declared as their representation.
const description& shown_type(const world_t* world, const description& described) {
    const description* type = &detail::in_world(world, described);
    while (type->what == kind::opaque) {
        type = &detail::in_world(world, *type->element);
    }
    return *type;
}

// Writes one declaration. Names of other types are written by a callback of the caller, who knows
// under which path each type can be found.
class declaration_output {
public:
    declaration_output(std::string& out, const world_t* world, detail::append_type_name append,
                       void* context)
        : out_(out), world_(world), append_(append), context_(context) {}

    void write(const description& described) {
        const description& type = shown_type(world_, described);
        out_ += type.what == kind::structure     ? "struct "
                : type.what == kind::enumeration ? "enum "
                                                 : "flags ";
        append_(context_, described, out_);
        if (type.what == kind::structure) {
            write_members(type);
        } else {
            write_constants(type);
        }
    }

private:
    void write_members(const description& type) {
        const char* between = " { ";
        for (const member_info& member : type) {
            out_ += between;
            between = ", ";
            append_word(out_, member.name);
            out_ += ": ";
            write_type(*member.type, false);
            if (member.attributes && member.attributes->default_value) {
                out_ += " = ";
                text_style style;
                append_value(out_, style, *member.type, member.attributes->default_value);
            }
            write_attributes(member);
        }
        out_ += " }";
    }
    // All numbers are written, so that the text says the same wherever it is read.
    void write_constants(const description& type) {
        out_ += std::string(" : ") + to_string(type.number);
        const char* between = " { ";
        for (std::uint32_t i = 0; i < type.count; ++i) {
            out_ += between;
            between = ", ";
            append_word(out_, type.constants[i].name);
            out_ += " = ";
            append_number(out_,
                          is_signed(type.number)
                              ? number::of(type.constants[i].value)
                              : number::of(static_cast<std::uint64_t>(type.constants[i].value)));
        }
        out_ += " }";
    }
    // A variant inside of an optional or of another variant is put in parentheses.
    void write_type(const description& described, bool tight) {
        const description& type = shown_type(world_, described);
        if (++depth_ > most_depth) {
            raise(errc::limit, "types are nested deeper than 64");
        }
        switch (type.what) {
            case kind::none:
                raise(errc::invalid_type, std::string(type.life.name) + " cannot be described: " +
                                              (type.obstacle ? type.obstacle : "no members"));
            case kind::structure:
            case kind::enumeration:
            case kind::flags:
                if (is_nothing(type)) {
                    out_ += "null";
                } else {
                    append_(context_, described, out_);
                }
                break;
            case kind::array:
                write_between("[", *type.element, "; " + std::to_string(type.count) + "]");
                break;
            case kind::list:
            case kind::set:
                write_between("[", *type.element, "]");
                break;
            case kind::optional:
                out_ += '?';
                write_type(*type.element, true);
                break;
            case kind::map:
                write_between("{", *type.key, ": ");
                write_between("", *type.element, "}");
                break;
            case kind::tuple:
                write_parts(type, "(", ", ", ")");
                break;
            case kind::variant:
                write_parts(type, tight ? "(" : "", " | ", tight ? ")" : "");
                break;
            default:
                out_ += to_string(type.what);
                break;
        }
        --depth_;
    }
    void write_between(const char* open, const description& type, const std::string& close) {
        out_ += open;
        write_type(type, false);
        out_ += close;
    }
    void write_parts(const description& type, const char* open, const char* between,
                     const char* close) {
        out_ += open;
        for (std::uint32_t i = 0; i < type.count; ++i) {
            out_ += i > 0 ? between : "";
            write_type(*type.members[i].type, type.what == kind::variant);
        }
        out_ += close;
    }

    // Opens the parenthesis in front of the first attribute of a member, or separates it from the
    // last.
    void begin_attribute(const char* word) {
        out_ += first_attribute_ ? " (" : ", ";
        first_attribute_ = false;
        out_ += word;
    }
    void write_range(const char* word, const value_range& range) {
        if (range.is_set) {
            begin_attribute(word);
            append_number(out_, number::of(range.min));
            out_ += "..";
            append_number(out_, number::of(range.max));
        }
    }
    void write_text_attribute(const char* word, const char* text) {
        if (text) {
            begin_attribute(word);
            append_quoted(out_, text);
        }
    }
    void write_attributes(const member_info& member) {
        first_attribute_ = true;
        if (const member_attributes* given = member.attributes) {
            write_range("range: ", given->range);
            write_range("warning: ", given->warning);
            write_range("error: ", given->error);
            if (given->step != 0) {
                begin_attribute("step: ");
                append_number(out_, number::of(given->step));
            }
            write_text_attribute("unit: ", given->unit_symbol);
            write_text_attribute("doc: ", given->doc);
            write_text_attribute("was: ", given->was);
            if (given->on_delete_target != handle_policy::keep) {
                write_text_attribute("on_delete_target: ", policy_name(given->on_delete_target));
            }
        }
        if (member.hidden) {
            begin_attribute("hidden");
        }
        if (member.read_only) {
            begin_attribute("read_only");
        }
        out_ += first_attribute_ ? "" : ")";
    }

    std::string& out_;
    const world_t* world_;
    detail::append_type_name append_;
    void* context_;
    std::size_t depth_ = 0;
    // No attribute of the present member was written yet.
    bool first_attribute_ = true;
};

// The types that are declared by themselves, seen from inside of a declaration.
void visit_named(const world_t* world, const description& described, bool is_outermost,
                 std::size_t depth, void (*visit)(void*, const description&), void* context) {
    const description& type = shown_type(world, described);
    if (!is_outermost && detail::can_declare(type)) {
        visit(context, described);
        return;
    }
    if (depth > most_depth) {
        raise(errc::limit, "types are nested deeper than 64");
    }
    for (const description* inner : {type.key, type.element}) {
        if (inner) {
            visit_named(world, *inner, false, depth + 1, visit, context);
        }
    }
    for (const member_info& member : type) {
        visit_named(world, *member.type, false, depth + 1, visit, context);
    }
}

}  // namespace

}  // namespace values

namespace detail {

bool can_declare(const description& type) noexcept {
    const description* shown = &type;
    while (shown->what == kind::opaque) {
        shown = shown->element;
    }
    return shown->what == kind::enumeration || shown->what == kind::flags ||
           (shown->what == kind::structure && shown->count > 0);
}

void append_declaration(std::string& out, const world_t* world, const description& type,
                        append_type_name append_name, void* context) {
    KITH_ASSERT(can_declare(type), "the type has a declaration");
    values::declaration_output(out, world, append_name, context).write(type);
}

void each_named_type(const world_t* world, const description& type,
                     void (*visit)(void* context, const description& type), void* context) {
    values::visit_named(world, type, true, 0, visit, context);
}

}  // namespace detail

}  // namespace kith
