// Members of JSON values that their types do not have (kith/detail/json_values.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/syntax/json_reader.hpp>

#include "assign.hpp"
#include "json_input.hpp"
#include "json_text.hpp"

#include <limits>
#include <vector>

namespace kith {

namespace values {

namespace {

// No limits: the text was read before.
syntax::json_limits no_limits() noexcept {
    syntax::json_limits limits;
    limits.depth = limits.text = limits.digits = std::numeric_limits<std::uint32_t>::max();
    return limits;
}

literal parse_sound_json(std::string_view text) {
    syntax::json_reader reader(text, no_limits());
    return literal_of_json(reader, reader.next());
}

class member_filter {
public:
    member_filter(const world_t* world, char* text, detail::unknown_members& found)
        : world_(world), text_(text), found_(found) {}

    // `kept` gets the unknown members of structs, as entries of an object; null: they are lost.
    void visit(const description& described, const literal& from, std::string* kept) {
        const description& type = detail::in_world(world_, described);
        switch (type.what) {
            case kind::structure:
                if (from.form == literal_form::braces) {
                    visit_structure(type, from, kept);
                }
                break;
            case kind::array:
            case kind::list:
            case kind::set:
                for (const literal::item& item : from.items) {
                    visit(*type.element, item.value, nullptr);
                }
                break;
            case kind::tuple:
                for (std::size_t i = 0; i < from.items.size() && i < type.count; ++i) {
                    visit(*type.members[i].type, from.items[i].value, nullptr);
                }
                break;
            case kind::map:
                visit_map(type, from);
                break;
            case kind::optional:
                visit_optional(type, from, kept);
                break;
            case kind::variant:
                visit_variant(type, from);
                break;
            case kind::opaque:
                visit(*type.element, from, kept);
                break;
            default:
                break;
        }
    }

private:
    static bool is_known(const description& type, const literal::item& item) {
        return find_member(type, item.key.text) != nullptr;
    }
    std::string_view slice(std::size_t begin, std::size_t end) const {
        return {text_ + begin, end - begin};
    }
    void blank(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            text_[i] = ' ';
        }
    }
    void keep(std::string* kept, const literal::item& item) {
        ++found_.count;
        if (kept) {
            ++found_.kept_count;
            append_entry(*kept, item.key.text, slice(item.value.at.begin, item.value.at.end));
        }
    }
    static void append_entry(std::string& into, std::string_view key, std::string_view value) {
        into += into.empty() ? "" : ", ";
        append_json_string(into, key);
        into += ':';
        into += value;
    }
    void visit_structure(const description& type, const literal& from, std::string* kept) {
        bool known_before = false;
        std::size_t end = from.at.begin + 1;
        for (std::size_t i = 0; i < from.items.size(); ++i) {
            const literal::item& item = from.items[i];
            const bool known = is_known(type, item);
            if (i > 0 && !(known && known_before)) {
                const std::size_t comma = slice(end, item.key.at.begin).find(',');
                blank(end + comma, end + comma + 1);
            }
            end = item.value.at.end;
            known_before |= known;
            if (known) {
                std::string inner;
                visit(*find_member(type, item.key.text)->type, item.value, kept ? &inner : nullptr);
                if (!inner.empty()) {
                    append_entry(*kept, item.key.text, "{" + inner + "}");
                }
            } else {
                keep(kept, item);
                // The colon and the blanks between key and value go, too.
                blank(item.key.at.begin, item.value.at.end);
            }
        }
    }
    void visit_map(const description& type, const literal& from) {
        for (const literal::item& item : from.items) {
            const bool pair = from.form == literal_form::list;
            if (!pair) {
                visit(*type.element, item.value, nullptr);
            } else if (item.value.items.size() == 2) {
                visit(*type.key, item.value.items[0].value, nullptr);
                visit(*type.element, item.value.items[1].value, nullptr);
            }
        }
    }
    void visit_optional(const description& type, const literal& from, std::string* kept) {
        if (type.element->what != kind::optional) {
            visit(*type.element, from, kept);
        } else if (from.items.size() == 1) {
            visit(*type.element, from.items[0].value, nullptr);
        }
    }
    void visit_variant(const description& type, const literal& from) {
        if (from.form == literal_form::braces && from.items.size() == 1) {
            const std::int32_t which = find_alternative(type, from.items[0].key.text);
            if (which >= 0) {
                visit(*type.members[which].type, from.items[0].value, nullptr);
            }
        }
    }

    const world_t* world_;
    char* text_;
    detail::unknown_members& found_;
};

}  // namespace

}  // namespace values

namespace detail {

unknown_members blank_unknown_members(const world_t* world, const description& type, char* text,
                                      std::size_t size) {
    unknown_members found;
    const values::literal read = values::parse_sound_json({text, size});
    std::string kept;
    values::member_filter(world, text, found).visit(type, read, &kept);
    if (!kept.empty()) {
        found.kept = "{" + kept + "}";
    }
    return found;
}

// Members that both have are objects inside of which members are missing; others stay as they are.
void merge_json_members(std::string& text, const std::string& kept, const char* comma) {
    const values::literal whole = values::parse_sound_json(text);
    const values::literal added = values::parse_sound_json(kept);
    if (whole.form != values::literal_form::braces || added.form != values::literal_form::braces) {
        return;
    }
    // From the last to the first, so that places before stay right.
    std::string behind;
    const char* before = whole.items.empty() ? "" : comma;
    for (const values::literal::item& item : added.items) {
        const std::string part =
            kept.substr(item.value.at.begin, item.value.at.end - item.value.at.begin);
        bool found = false;
        for (const values::literal::item& present : whole.items) {
            found |= present.key.text == item.key.text;
        }
        if (!found) {
            behind += before;
            before = comma;
            values::append_json_string(behind, item.key.text);
            behind += ":" + part;
        }
    }
    text.insert(text.size() - 1, behind);
    for (std::size_t i = whole.items.size(); i-- > 0;) {
        const values::literal::item& present = whole.items[i];
        for (const values::literal::item& item : added.items) {
            if (item.key.text == present.key.text) {
                std::string inner = text.substr(present.value.at.begin,
                                                present.value.at.end - present.value.at.begin);
                merge_json_members(
                    inner,
                    kept.substr(item.value.at.begin, item.value.at.end - item.value.at.begin),
                    comma);
                text.replace(present.value.at.begin, present.value.at.end - present.value.at.begin,
                             inner);
            }
        }
    }
}

}  // namespace detail

}  // namespace kith
