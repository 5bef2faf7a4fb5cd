// load_text() and check_text() (include/kith/world_text.hpp). A text is parsed twice: first for its
// mistakes, then to add its facts to the world. If the world refuses a fact, all changes are rolled
// back and the error names the place of the fact.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/detail/type_text.hpp>
#include <kith/json.hpp>

#include "fact_parser.hpp"
#include "identifier.hpp"
#include "load_facts.hpp"
#include "undo_log.hpp"
#include "visible_names.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace kith {

namespace dsl {

namespace {

using syntax::span;

constexpr char between[] = {separator, 0};
constexpr std::string_view no_separator;

// Reports progress. `before` is the number of bytes that earlier readings have read.
class reading : public fact_handler {
public:
    reading(const load_options& options, std::size_t before, std::size_t size)
        : options_(options), before_(before), size_(size) {}

    bool goes_on(std::size_t done) override {
        return !options_.progress || options_.progress(options_.context, before_ + done, size_);
    }

private:
    const load_options& options_;
    std::size_t before_;
    std::size_t size_;
};

constexpr std::size_t most_open_types = 64;

// The types that a text declares, by their paths. Blocks inside of paths in quotes, or with several
// elements, are not followed.
class declared_types : private fact_handler {
public:
    explicit declared_types(std::string_view text) : text_(text) {
        diagnostics none(text);
        fact_parser(text, *this, none).run();
    }
    struct entry {
        type_declaration declaration;
        std::vector<std::string> blocks;  // around the declaration
    };
    const entry* find(const std::string& path) const {
        const auto found = types_.find(path);
        return found == types_.end() ? nullptr : &found->second;
    }

private:
    std::string path_of(span name) const {
        std::string path;
        for (const std::string& block : blocks_) {
            path += block + ".";
        }
        std::string element = decode_path(name.of(text_)).text;
        std::replace(element.begin(), element.end(), separator, '.');
        return path + element;
    }
    void subject(span name) override { subject_ = decode_path(name.of(text_)).text; }
    void open_block() override { blocks_.push_back(subject_); }
    void close_block() override { blocks_.pop_back(); }
    void declare(const type_declaration& declaration) override {
        types_.emplace(path_of(declaration.name), entry{declaration, blocks_});
    }

    std::string_view text_;
    std::string subject_;
    std::vector<std::string> blocks_;
    std::unordered_map<std::string, entry> types_;
};

// Adds the facts of a text to a world, with a log of all changes.
class loader final : public reading {
public:
    loader(const world& world, const facts_source& from, const load_options& options)
        : reading(options, from.text.size(), 2 * from.text.size()),
          world_(world),
          text_(from.text),
          json_values_(from.json != nullptr),
          json_(from.json),
          top_(world.get_scope()),
          undo_(world),
          names_(world) {}

    // The fact that is being added: the place of an error that the world raises.
    span place() const noexcept { return place_; }
    load_result result() const { return {facts_, undo_.entities_made()}; }
    void roll_back() {
        names_.drop_used();
        undo_.roll_back();
    }

    void subject(span name) override {
        place_ = name;
        described_.clear();
        subject_ = names_.is_in_block() ? define(name) : ensure(name);
    }
    entity_t subject_id() const override { return subject_; }
    void subject_again(entity_t subject) override {
        described_.clear();
        subject_ = world_.entity(subject);
    }
    void has(const written_id& id) override {
        place_ = id.whole;
        const entity first = json_ ? ensure_known(id.first) : ensure(id.first, top_);
        const entity second = id.is_pair() ? ensure(id.second) : entity();
        if (second && undo_.is_exclusive(first)) {
            check_one_target(first, second);
        }
        if (json_ && id.has_value()) {
            add_json(first, second, id.value);
        } else {
            add(subject_, first, second, id.value);
        }
    }
    void has_packed(const written_id& id, const description& type) override {
        place_ = id.whole;
        const entity component = ensure_known(id.first);
        add_packed(component, type, text_.data() + id.value.begin);
    }
    // New tags and relationships are created at the top, see ensure().
    void fact(const written_id& id, span named) override {
        place_ = id.whole;
        const entity first = ensure(id.first, top_);
        entity source = ensure(named);
        add(source, first, id.is_pair() ? ensure(id.second) : entity(), id.value);
    }
    void declare(const type_declaration& declaration) override;
    void open_block() override { names_.enter(subject_); }
    void close_block() override { names_.leave(); }
    void use(span name) override {
        place_ = name;
        const entity scope = find(name.of(text_));
        if (!scope) {
            raise(errc::invalid_name, "there is no entity '" + std::string(name.of(text_)) +
                                          "' whose names could be used" +
                                          suggest(world_, name.of(text_)));
        }
        names_.use(scope);
    }

private:
    // True for `12` and `#12`.
    static bool is_number(std::string_view token) {
        const std::string_view digits = token.starts_with('#') ? token.substr(1) : token;
        return std::all_of(digits.begin(), digits.end(), syntax::chars::is_digit);
    }
    // True for a single element without quotes, which needs no decoding.
    static bool is_bare(std::string_view token) {
        return std::all_of(token.begin(), token.end(), syntax::chars::is_name);
    }

    // The entity of a decoded path, seen from the open block or from the root.
    entity find_path(std::string_view path, bool at_root) {
        const std::size_t cut = path.find(separator);
        const std::string_view splits =
            cut == std::string_view::npos ? no_separator : std::string_view{between};
        return as_named(
            at_root ? entity(world_, detail::lookup_path(world_, 0, path, splits, {}, false))
                    : names_.find(path, path.substr(0, cut), splits),
            path);
    }
    entity find_child(const entity& parent, std::string_view name) const {
        return as_named(
            entity(world_, detail::lookup_path(world_, parent, name, no_separator, {}, false)),
            name);
    }
    // The world takes `#12` for an index, but a decoded element is always a name: an entity that
    // was found by its index does not count.
    static entity as_named(const entity& match, std::string_view path) {
        const std::string_view last = path.substr(path.rfind(separator) + 1);
        return match && last.starts_with('#') && last != std::string_view{match.name()} ? entity()
                                                                                        : match;
    }
    entity find(std::string_view token) {
        if (is_number(token)) {
            return number(token);
        }
        if (is_bare(token)) {
            return names_.find(token, token, "::");
        }
        const decoded_path path = decode_path(token);
        return find_path(path.text, path.at_root);
    }
    // The entity of a label in JSON: a new one at its first use.
    entity labelled(std::string_view token) {
        if (token == "#0") {
            if (!json_->subject) {
                raise(errc::invalid_entity, "there is no entity #0");
            }
            return json_->subject;
        }
        const auto [entry, is_new] = labels_.try_emplace(std::string(token));
        if (is_new) {
            undo_.will_create();
            entry->second = world_.entity();
            undo_.note_created(entry->second);
        }
        return world_.entity(entry->second);
    }
    // The entity of `#12`. Throws if there is none: a text cannot choose indexes.
    entity number(std::string_view token) {
        if (json_ && token.starts_with('#') && (token == "#0" || !json_->by_id)) {
            return labelled(token);
        }
        const entity entity = find_number(world_, token.starts_with('#') ? token.substr(1) : token);
        if (!entity) {
            raise(errc::invalid_entity,
                  "there is no entity " + std::string(token) + "; numbers cannot be chosen");
        }
        return entity;
    }

    // The visible entity of this name, or a new one. New subjects and targets are created in the
    // open block (`home`); new tags and relationships are created at the top, because they seldom
    // belong to the entity that uses them first.
    entity ensure(span name) { return ensure(name, names_.scope()); }
    entity ensure(span name, const entity& home) {
        const std::string_view token = name.of(text_);
        const entity entity = find(token);
        if (entity) {
            return entity;
        }
        return is_bare(token) ? make_child(home, token) : make(token, home);
    }
    // The same for names that occur again and again, which have equal places.
    entity ensure_known(span name) {
        const auto known = known_.find(name.begin);
        if (known != known_.end() && world_.is_alive(known->second)) {
            return world_.entity(known->second);
        }
        const entity found = ensure(name, top_);
        known_[name.begin] = found;
        return found;
    }
    // An entity that is described inside of a block is a child of the block's entity, also if an
    // entity outside has the same name. A path can name an entity elsewhere.
    entity define(span name) {
        const std::string_view token = name.of(text_);
        if (is_number(token)) {
            return number(token);
        }
        const decoded_path path = decode_path(token);
        if (path.at_root || path.text.find(separator) != std::string::npos) {
            return ensure(name);
        }
        const entity entity = find_child(names_.scope(), path.text);
        return entity ? entity : make_child(names_.scope(), path.text);
    }
    // Creates the missing elements of a path.
    entity make(std::string_view token, const entity& home) {
        const decoded_path path = decode_path(token);
        const std::string_view text = path.text;
        std::size_t end = std::min(text.find(separator), text.size());
        entity last = find_path(text.substr(0, end), path.at_root);
        if (!last) {
            last = make_child(path.at_root ? entity() : home, text.substr(0, end));
        }
        while (end < text.size()) {
            const std::size_t begin = end + 1;
            end = std::min(text.find(separator, begin), text.size());
            const std::string_view element = text.substr(begin, end - begin);
            const entity entity = find_child(last, element);
            last = entity ? entity : make_child(last, element);
        }
        return last;
    }
    entity make_child(const entity& parent, std::string_view name) {
        undo_.will_create();
        if (name.starts_with('#')) {
            // ensure_path() would take the name for an index.
            const scoped_world inside(world_, parent);
            entity entity = inside.entity();
            undo_.note_created(entity);
            return entity.set_name(std::string(name).c_str());
        }
        const std::string_view splits = is_bare(name) ? "::" : no_separator;
        const entity entity(world_, detail::ensure_path(world_, parent, name, splits, {}));
        undo_.note_created(entity);
        return entity;
    }

    // Throws if one description names two targets of an exclusive relationship.
    void check_one_target(const entity& relation, const entity& target) {
        const auto [entry, is_new] = described_.try_emplace(relation, target);
        if (!is_new && entry->second != target) {
            raise(errc::constraint, std::string(relation.str()) +
                                        " is exclusive: this description names two targets");
        }
    }
    // Adds a fact that the world does not have yet, and sets its value.
    void add(entity& source, const entity& first, const entity& second, span value) {
        const bool has_value = value.end != value.begin;
        if (has_value && !second && first.owns(EnumType)) {
            add(source, first, find_constant(first, value), {});
            return;
        }
        ++facts_;
        if (first == detail::component_type_id || first == detail::identifier_type_id) {
            raise(errc::invalid_id, "types and names cannot be written as facts");
        }
        const id_t id = second ? world_.pair(first, second).raw_id() : first.id();
        if (is_wildcard(id)) {
            raise(errc::invalid_id, "a fact cannot have wildcards: name the entity that is meant");
        }
        const bool is_new = !source.owns(id);
        // An inherited value is the start of the own one.
        const bool is_made = is_new && !source.has(id);
        if (is_new) {
            undo_.will_add(source, id);
            if (json_values_ && has_value && is_made &&
                detail::add_plain_json(world_, source, id, text_.substr(value.begin))) {
                return;  // in one step
            }
            source.add(id);
            if (first == ChildOf) {
                names_.moved(source);
                known_.clear();
            }
        }
        if (has_value) {
            set_value(source, id, value, is_new, is_made);
        } else if (is_made) {
            detail::set_defaults_of_text(world_, source, id);
        }
    }
    // The value was read as one of the type; hooks may have described the component anew since
    // then.
    void add_packed(const entity& component, const description& type, const char* value) {
        if (detail::find_description(world_, component) != &type) {
            raise(errc::invalid_type, std::string(component.str()) +
                                          " was described anew while its values were loaded");
        }
        ++facts_;
        const id_t id = component;
        if (subject_.owns(id)) {
            undo_.will_set(subject_, id);
        } else {
            undo_.will_add(subject_, id);
            if (subject_.has(id)) {
                subject_.add(id);  // an inherited value is the start of the own one
            }
        }
        detail::copy_value(world_, subject_, id, type.life.size, value);
    }
    // Members that the type does not have are blanked, and kept beside the component.
    void add_json(const entity& first, const entity& second, span value) {
        const id_t id = second ? world_.pair(first, second).raw_id() : first.id();
        if (!second && first.owns(EnumType) && value.of(text_).starts_with('"')) {
            add(subject_, first, second, {value.begin + 1, value.end - 1});
            return;
        }
        detail::unknown_members unknown;
        const entity_t component = detail::type_component(world_, id);
        const description* type = json_->unknown == unknown_policy::error || !component
                                      ? nullptr
                                      : detail::find_description(world_, component);
        if (type && type->what != kind::none) {
            unknown = detail::blank_unknown_members(world_, *type, json_->text + value.begin,
                                                    value.end - value.begin);
        }
        add(subject_, first, second, value);
        const bool keeps = json_->unknown == unknown_policy::keep && !second;
        json_->kept += keeps ? unknown.kept_count : 0;
        json_->skipped += unknown.count - (keeps ? unknown.kept_count : 0);
        if (keeps && !unknown.kept.empty()) {
            keep(first, unknown.kept);
        }
    }
    void ensure_kept_json() override {
        kith::reflect<kept_json>();
        const std::uint32_t type = detail::ensure_type_id<kept_json>();
        if (!world_.is_alive(type)) {
            undo_.will_create();
            undo_.note_created(detail::ensure_component(world_, type));
        }
    }
    void keep(const entity& component, const std::string& members) {
        ensure_kept_json();
        const id_t id = world_.pair<kept_json>(component).raw_id();
        if (subject_.owns(id)) {
            undo_.will_set(subject_, id);
        } else {
            undo_.will_add(subject_, id);
        }
        subject_.set<kept_json>(component, kept_json{members});
    }
    // `Color = Red` means the pair of the enum and its constant.
    entity find_constant(const entity& type, span value) {
        place_ = value;
        std::string_view name = value.of(text_);
        name = name.substr(name.rfind('.') + 1);
        const entity constant = find_child(type, name);
        if (!constant) {
            raise(errc::invalid_value,
                  std::string(type.str()) + " has no constant '" + std::string(name) + "'");
        }
        return constant;
    }
    void set_value(const entity& source, id_t id, span value, bool is_new, bool is_made) {
        if (!is_new) {
            undo_.will_set(source, id);
        }
        const detail::value_names names{[](void* context, std::string_view token) -> entity_t {
                                            return static_cast<loader*>(context)->find(token);
                                        },
                                        this, json_values_, is_made};
        detail::set_value_of_text(world_, source, id, text_, value.begin, names, place_);
    }

    // Types: see the functions behind the class.
    const description& type_of(detail::type_builder& owner, const written_type& written);
    const description& named_type(detail::type_builder& owner, const written_type& written);
    void add_members(detail::type_builder& owner, const type_declaration& declaration);
    const description* find_open_type(const std::string& path);
    const description* declare_ahead(const std::string& path);
    const description* find_later_type(detail::type_builder& owner, span name);
    entity ensure_block(const std::vector<std::string>& blocks);
    std::vector<std::string> names_of(const entity& scope) const;
    void ensure_library();
    std::string path_of(span name, const char* dots) const;
    entity find_declared(span name);
    void check_fit(const detail::type_builder& declared, const description& known);

    world world_;
    std::string_view text_;
    bool json_values_;
    json_values* json_;  // null: worlds as text
    std::unordered_map<std::string, entity_t> labels_;
    std::unordered_map<std::uint32_t, entity_t> known_;  // by the places of their names
    entity top_;      // the scope of the world when loading began
    entity subject_;  // of the present description
    span place_;
    std::uint64_t facts_ = 0;
    std::unordered_map<entity_t, entity_t>
        described_;  // exclusive pairs of the present description
    // Types of the program that are known by their names only, as parts of others.
    std::unordered_map<std::string, const description*> inner_types_;
    // Types whose members are being read: they may name each other in circles.
    std::vector<detail::type_builder*> open_types_;
    // All declarations of the text by path; read when a type is named before its declaration.
    std::unique_ptr<declared_types> ahead_;
    undo_log undo_;
    visible_names names_;
};

// The name of a type from the root on, with `dots` between its elements.
std::string loader::path_of(span name, const char* dots) const {
    const decoded_path path = decode_path(name.of(text_));
    const entity scope = names_.scope();
    std::string full = path.at_root || !scope ? "" : std::string(scope.path(dots, "")) + dots;
    for (const char c : path.text) {
        full += c == separator ? dots : std::string(1, c);
    }
    return full;
}

// The entity that a declaration means: inside of a block a child of the block's entity, as define()
// has it.
entity loader::find_declared(span name) {
    const std::string_view token = name.of(text_);
    if (is_number(token) || token.starts_with('#')) {
        raise(errc::invalid_name, "a type needs a name");
    }
    const decoded_path path = decode_path(token);
    const bool single = !path.at_root && path.text.find(separator) == std::string::npos;
    return single && names_.is_in_block() ? find_child(names_.scope(), path.text) : find(token);
}

// Throws if values of the declared type cannot be read as values of the known one.
void loader::check_fit(const detail::type_builder& declared, const description& known) {
    if (const std::string reason = declared.find_misfit(known); !reason.empty()) {
        raise(errc::type_conflict,
              std::string(known.life.name) + " is known with another type: " + reason);
    }
}

void loader::ensure_library() {
    undo_.will_create();
    if (const entity_t holder = detail::ensure_type_library(world_)) {
        undo_.note_created(holder);
    }
}

// A type that is being declared, and names the present one; null if none has the path.
const description* loader::find_open_type(const std::string& path) {
    for (detail::type_builder* open : open_types_) {
        if (path == open->self().life.name) {
            ensure_library();
            return &open->shared_self();
        }
    }
    return nullptr;
}

// The names from the top of the text down to a scope.
std::vector<std::string> loader::names_of(const entity& scope) const {
    std::vector<std::string> names;
    for (entity at = scope; at && at != top_; at = at.parent()) {
        names.insert(names.begin(), std::string(at.name().c_str()));
    }
    return names;
}

// The entity of a block that the text opens somewhere.
entity loader::ensure_block(const std::vector<std::string>& blocks) {
    entity at = top_;
    for (const std::string& name : blocks) {
        const entity child = find_child(at, name);
        at = child ? child : make_child(at, name);
    }
    return at;
}

// Types of a text may name each other in circles: a type that is declared later is declared now.
// `path` leads from the top of the text. Null if the text has none of this path.
const description* loader::declare_ahead(const std::string& path) {
    if (open_types_.size() > most_open_types) {
        raise(errc::limit, "more than 64 types are named before their declarations");
    }
    if (!ahead_) {
        ahead_ = std::make_unique<declared_types>(text_);
    }
    const declared_types::entry* found = ahead_->find(path);
    if (!found) {
        return nullptr;
    }
    const span name = found->declaration.name;
    auto declare_here = [&] {
        declare(found->declaration);
        if (const auto inner = inner_types_.find(std::string(name.of(text_)));
            inner != inner_types_.end()) {
            return inner->second;
        }
        const entity made = find_declared(name);
        return made ? detail::find_description(world_, made) : nullptr;
    };
    if (found->blocks == names_of(names_.scope())) {
        return declare_here();
    }
    names_.enter(ensure_block(found->blocks));
    struct guard {
        visible_names& names;
        ~guard() { names.leave(); }
    } entered{names_};
    return declare_here();
}

// The type that a name means, of those that the text declares later or is declaring; null if there
// is none. The name may be relative to each of the blocks around it.
const description* loader::find_later_type(detail::type_builder& owner, span name) {
    const std::string_view token = name.of(text_);
    const decoded_path decoded = decode_path(token);
    std::string path = decoded.text;
    std::replace(path.begin(), path.end(), separator, '.');
    const std::string above =
        top_ && !decoded.at_root ? std::string(top_.path(".", "")) + "." : std::string();
    std::vector<std::string> blocks = names_of(decoded.at_root ? top_ : names_.scope());
    for (;; blocks.pop_back()) {
        std::string relative;
        for (const std::string& block : blocks) {
            relative += block + ".";
        }
        relative += path;
        if (above + relative == owner.self().life.name) {
            return &owner.self();
        }
        if (const description* open = find_open_type(above + relative)) {
            return open;
        }
        if (const description* declared = declare_ahead(relative)) {
            return declared;
        }
        if (blocks.empty()) {
            return nullptr;
        }
    }
}

const description& loader::named_type(detail::type_builder& owner, const written_type& written) {
    const std::string_view token = written.at.of(text_);
    if (const description* primitive = detail::find_primitive(token)) {
        return *primitive;
    }
    const std::string path = path_of(written.at, ".");
    if (path == owner.self().life.name) {
        return owner.self();
    }
    if (const description* open = find_open_type(path)) {
        return *open;
    }
    if (const auto inner = inner_types_.find(std::string(token)); inner != inner_types_.end()) {
        return *inner->second;
    }
    place_ = written.at;
    const entity named = find(token);
    const description* type = named ? detail::find_description(world_, named) : nullptr;
    if (!type) {
        type = find_later_type(owner, written.at);
    }
    place_ = written.at;
    if (!type) {
        // Types of the program may name each other in circles.
        type = detail::find_described_type(path_of(written.at, "::"));
    }
    if (!type || type->what == kind::none) {
        raise(errc::invalid_type, "there is no type '" + std::string(token) +
                                      "'; types are declared before they are used" +
                                      suggest(world_, token));
    }
    return *type;
}

const description& loader::type_of(detail::type_builder& owner, const written_type& written) {
    if (written.form == 0) {
        return named_type(owner, written);
    }
    std::vector<const description*> parts;
    for (const written_type& part : written.parts) {
        parts.push_back(&type_of(owner, part));
    }
    place_ = written.at;
    return owner.compose(written.form, parts.data(), parts.size(), written.count);
}

void loader::add_members(detail::type_builder& owner, const type_declaration& declaration) {
    for (const written_member& member : declaration.members) {
        const description& type = type_of(owner, member.type);
        place_ = member.name;
        owner.member(decode_path(member.name.of(text_)).text, type);
        for (const written_attribute& given : member.attributes) {
            owner.attribute(given.what, given.a, given.b, given.text);
        }
        if (member.default_value.end != member.default_value.begin) {
            owner.default_value(text_, member.default_value.begin);
        }
    }
    if (declaration.what != kind::structure) {
        owner.number(declaration.number);
    }
    for (const written_constant& constant : declaration.constants) {
        place_ = constant.name;
        owner.constant(decode_path(constant.name.of(text_)).text, constant.value);
    }
}

// A type that the world or the program knows must fit; others are declared. A C++ type that no
// program has used as a component stays without an entity: it is part of other types.
void loader::declare(const type_declaration& declaration) {
    detail::type_builder type(world_, declaration.what, path_of(declaration.name, "."));
    open_types_.push_back(&type);
    struct guard {
        std::vector<detail::type_builder*>& open;
        ~guard() { open.pop_back(); }
    } opened{open_types_};
    add_members(type, declaration);
    place_ = declaration.name;
    const entity known = find_declared(declaration.name);
    const description* described = known ? detail::find_description(world_, known) : nullptr;
    if (described && described->what != kind::none) {
        check_fit(type, *described);
        return;
    }
    described = detail::find_described_type(path_of(declaration.name, "::"));
    if (described && type.is_like(*described)) {
        if (known || !described->type_id || *described->type_id == 0) {
            inner_types_[std::string(declaration.name.of(text_))] = described;
            return;
        }
        detail::attach_description(*described->type_id, *described);
        undo_.will_create();
        undo_.note_created(detail::ensure_component(world_, *described->type_id));
        return;
    }
    if (known) {
        raise(errc::type_conflict, std::string(known.str()) +
                                       " exists already, and its values have no description: a "
                                       "type is declared before its first use");
    }
    ensure_library();
    type.define(define(declaration.name), place_);
}

[[noreturn]] void raise_given_up() {
    raise(errc::invalid_operation, "loading was given up: nothing has changed");
}

// The first reading. Throws all mistakes of the text together.
void check_syntax(std::string_view text, const load_options& options) {
    diagnostics diagnostics(text, options.file);
    reading checking(options, 0, 2 * text.size());
    const bool finished = fact_parser(text, checking, diagnostics).run();
    if (!diagnostics.empty()) {
        diagnostics.raise(errc::invalid_text);
    }
    if (!finished) {
        raise_given_up();
    }
}

}  // namespace

void check_may_load(const world& world, std::string_view text) {
    if (world.is_deferred()) {
        raise(errc::invalid_operation, "a text cannot be loaded while the world is deferred");
    }
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
        raise(errc::limit, "a text of 4 GB or more cannot be loaded; split it");
    }
}

load_result load_facts(world& world, const facts_source& from, const load_options& options) {
    KITH_ASSERT(from.report && from.refused, "facts and refusals are reported");
    loader facts(world, from, options);
    bool finished = false;
#if defined(__cpp_exceptions)
    try {
        finished = from.report(from.context, facts);
    } catch (const error& refused) {
        facts.roll_back();
        from.refused(from.context, facts.place(), refused.what());
    } catch (...) {
        facts.roll_back();
        throw;
    }
#else
    // Without exceptions an error does not return here: facts that were added stay.
    finished = from.report(from.context, facts);
#endif
    if (!finished) {
        facts.roll_back();
        raise_given_up();
    }
    return facts.result();
}

}  // namespace dsl

load_result load_text(world& world, std::string_view text, const load_options& options) {
    dsl::check_may_load(world, text);
    dsl::check_syntax(text, options);
    dsl::facts_source source;
    source.text = text;
    struct target {
        std::string_view text;
        const char* file;
    } about{text, options.file};
    source.context = &about;
    source.report = [](void* context, dsl::fact_handler& into) {
        const std::string_view facts = static_cast<const target*>(context)->text;
        dsl::diagnostics none(facts);
        return dsl::fact_parser(facts, into, none).run();
    };
    source.refused = [](void* context, syntax::span place, const char* reason) {
        const auto& of = *static_cast<const target*>(context);
        dsl::diagnostics diagnostics(of.text, of.file);
        diagnostics.add(place, reason);
        diagnostics.raise(errc::invalid_text);
    };
    return dsl::load_facts(world, source, options);
}

std::vector<text_error> check_text(std::string_view text) {
    dsl::diagnostics diagnostics(text);
    dsl::fact_handler checking;
    dsl::fact_parser(text, checking, diagnostics).run();
    return std::move(diagnostics).take();
}

}  // namespace kith
