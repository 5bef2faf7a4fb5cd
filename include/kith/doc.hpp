// Texts for people about entities: a name to show, short and long descriptions, a link, a colour.
// They are values of pairs, such as (doc::Description, Name), and are saved like other values.
//
// Covered by tests/features/values/member_entities_test.cpp.
#pragma once

#include <kith/description.hpp>
#include <kith/entity.hpp>

namespace kith {

template <class T>
class describer;

namespace doc {

// The text of a pair; the target says what the text is: Name, Brief, Detail, Link, Color.
struct Description {
    string value;
    static void describe(describer<Description>& to);
};

}  // namespace doc

namespace detail {

struct brief_tag {};
struct detail_tag {};
struct link_tag {};
struct color_tag {};

// `what` is the target of the pair. An empty text removes it.
void set_doc(world_t* world, entity_t entity, entity_t what, text_view text);
// Null if the entity has no such text.
const char* find_doc(const world_t* world, entity_t entity, entity_t what);

}  // namespace detail

namespace doc {

inline constexpr detail::type_constant<detail::brief_tag> Brief;
inline constexpr detail::type_constant<detail::detail_tag> Detail;
inline constexpr detail::type_constant<detail::link_tag> Link;
inline constexpr detail::type_constant<detail::color_tag> Color;

inline const char* get_name(const entity_view& entity) {
    return entity.doc_name();
}
inline const char* get_brief(const entity_view& entity) {
    return entity.doc_brief();
}
inline const char* get_detail(const entity_view& entity) {
    return entity.doc_detail();
}
inline const char* get_link(const entity_view& entity) {
    return entity.doc_link();
}
inline const char* get_color(const entity_view& entity) {
    return entity.doc_color();
}
inline void set_name(entity target, text_view text) {
    target.set_doc_name(text);
}
inline void set_brief(entity target, text_view text) {
    target.set_doc_brief(text);
}
inline void set_detail(entity target, text_view text) {
    target.set_doc_detail(text);
}
inline void set_link(entity target, text_view text) {
    target.set_doc_link(text);
}
inline void set_color(entity target, text_view text) {
    target.set_doc_color(text);
}

}  // namespace doc

inline entity& entity::set_doc_name(text_view text) {
    detail::set_doc(world_, id_, Name, text);
    return *this;
}
inline entity& entity::set_doc_brief(text_view text) {
    detail::set_doc(world_, id_, doc::Brief, text);
    return *this;
}
inline entity& entity::set_doc_detail(text_view text) {
    detail::set_doc(world_, id_, doc::Detail, text);
    return *this;
}
inline entity& entity::set_doc_link(text_view text) {
    detail::set_doc(world_, id_, doc::Link, text);
    return *this;
}
inline entity& entity::set_doc_color(text_view text) {
    detail::set_doc(world_, id_, doc::Color, text);
    return *this;
}
inline const char* entity_view::doc_name() const {
    const char* text = detail::find_doc(world_, id_, Name);
    return text ? text : name().c_str();
}
inline const char* entity_view::doc_brief() const {
    return detail::find_doc(world_, id_, doc::Brief);
}
inline const char* entity_view::doc_detail() const {
    return detail::find_doc(world_, id_, doc::Detail);
}
inline const char* entity_view::doc_link() const {
    return detail::find_doc(world_, id_, doc::Link);
}
inline const char* entity_view::doc_color() const {
    return detail::find_doc(world_, id_, doc::Color);
}

}  // namespace kith
