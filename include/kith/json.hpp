// Values as JSON, out and in. Not part of <kith/kith.hpp>. See docs/manual/json.md.
//
//   std::string text = kith::to_json(world, cargo);   // {"tons":64, "grade":"raw"}
//   kith::from_json(world, cargo, text);
//
// Covered by tests/features/values/json_test.cpp.
#pragma once

#include <kith/query_columns.hpp>
#include <kith/reflect.hpp>
#include <kith/sink.hpp>
#include <kith/unknown_policy.hpp>
#include <kith/world.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kith {

struct json_options {
    bool compact = false;        // no blanks behind commas
    bool pretty = false;         // a line for each part, indented by two
    bool safe_integers = false;  // integers beyond 2^53 as texts
    bool html_safe = false;      // '<', '/', U+2028 and U+2029 are escaped
    bool columns = false;        // results of queries by blocks of rows, column by column
    bool flat = false;           // results with a column for each number of a struct
    bool hidden = false;         // results with hidden members
    bool base = false;           // entities with the values that they inherit
    bool skip_unknown = false;   // writing: values without description are left out
    bool by_id = false;          // reading: `#12` is the entity with this index, no label
    // Reading: components and members that the world does not know.
    unknown_policy unknown = unknown_policy::error;
    // Limits.
    std::uint32_t depth = 64;
    std::uint64_t text = std::uint64_t{16} << 20;     // bytes of one text
    std::uint64_t bytes = 0xFFFFFFFFu;                // of all that is read
    std::uint64_t entities = std::uint64_t{1} << 31;  // that are read
    const char* file = nullptr;                       // for messages
};

using json_sink = sink;

namespace detail {
std::string json_schema_of(const world_t* world, const description& type);
void append_json(std::string& out, const world_t* world, const description& type, const void* value,
                 const json_options& options);
// Breaks the text into lines, if the options ask for it.
void finish_json(std::string& text, const json_options& options);
void read_json(world_t* world, const description& type, void* value, std::string_view text,
               const json_options& options);
}  // namespace detail

// Throws kith::error (invalid_type) for parts without description, (limit) beyond the depth.
template <class T>
std::string to_json(const world& world, const T& value, const json_options& options = {}) {
    std::string text;
    detail::append_json(text, world, describe<T>(), &value, options);
    detail::finish_json(text, options);
    return text;
}
// The value of a component of an entity.
std::string to_json(const entity_view& entity, id_t id, const json_options& options = {});

// An entity with its tags, components and pairs:
// {"entity":"Sol.Earth", "tags":["Planet"], "components":{…}, "pairs":{"Orbits":["Sol"]}}.
std::string to_json(const entity_view& entity, const json_options& options = {});
// The results of a query: {"columns":[{"name":"this", "kind":"entity"}, …], "rows":[["Bell", …]]},
// or blocks of rows: {"columns":[…], "blocks":[{"count":2, "data":[["Bell", "Ann"], …]}]}. Fields
// with the access Out or None have no values.
void write_json(const json_sink& to, const filter<>& query, const json_options& options = {});
template <class... Ts>
std::string to_json(const iterable<Ts...>& query, const json_options& options = {}) {
    std::string text;
    write_json(text, filter<>(query), options);
    return text;
}
// A world as save_text() has it, one entity per line: {"kith":1, "types":["struct …"],
// "entities":[…]}. Throws as save_text() does.
void write_json(const json_sink& to, const world& world, const json_options& options = {});
std::string to_json(const world& world, const json_options& options = {});

// The outcome of from_json().
struct json_report {
    std::uint64_t entities = 0;
    std::uint64_t facts = 0;
    std::uint64_t skipped = 0;  // components and members that nobody knows, and were left out
    std::uint64_t kept = 0;     // the same, stored as kept_json
};
// The value of a component that no program knew when the text was read, or the members that the
// component did not have, as JSON. The pair (kept_json, component) of an entity holds it, and JSON
// of the entity has it in the place of the component, or among its members.
struct kept_json {
    std::string text;
};
// Adds the entities of a text to a world, in the form that write_json() gives it. All or nothing:
// throws kith::error (invalid_text, limit) with line, column and path.
json_report from_json(world& world, std::string_view text, const json_options& options = {});
// Adds what the text says about one entity, in the form of to_json(entity). The path in the text is
// not looked at.
json_report from_json(const entity_view& entity, std::string_view text,
                      const json_options& options = {});

// Reads a world or an entity in chunks of any size, cut anywhere. Entities are staged as they
// arrive; only an unfinished one is kept as text. The world changes in finish(), as from_json()
// changes it.
class json_reader {
public:
    explicit json_reader(world& world, const json_options& options = {});
    ~json_reader();
    json_reader(json_reader&& other) noexcept;
    json_reader& operator=(json_reader&& other) noexcept;

    // Throws kith::error (invalid_text, limit); later calls throw (invalid_operation).
    void feed(const char* data, std::size_t size);
    void feed(std::string_view chunk) { feed(chunk.data(), chunk.size()); }
    // Throws as from_json() does, also if the text ends in the middle of a value.
    json_report finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

// Writes any JSON in chunks, with the commas where they belong. Throws kith::error
// (invalid_operation) if a call does not fit the open objects and arrays, or if the sink refuses.
class json_writer {
public:
    explicit json_writer(const json_sink& to, const json_options& options = {});
    ~json_writer();
    json_writer(json_writer&& other) noexcept;
    json_writer& operator=(json_writer&& other) noexcept;

    json_writer& begin_object();
    json_writer& end_object();
    json_writer& begin_array();
    json_writer& end_array();
    json_writer& key(std::string_view name);
    json_writer& null();
    // A value of a described type: numbers, texts, structs, lists, ….
    template <class T>
    json_writer& value(const T& written) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            const std::string text{std::string_view(written)};
            return value_of(nullptr, describe<std::string>(), &text);
        } else {
            return value_of(nullptr, describe<T>(), &written);
        }
    }
    // The same; the world knows the names of entities.
    template <class T>
    json_writer& value(const world& world, const T& written) {
        return value_of(world, describe<T>(), &written);
    }
    // Sends what is left. Requires: all objects and arrays are closed.
    void finish();

private:
    json_writer& value_of(const world_t* world, const description& type, const void* value);

    struct state;
    std::unique_ptr<state> state_;
};

// The JSON Schema (2020-12) of all described components of the world, as definitions by path; of
// one type. Values that are written are valid by it, and values that are not valid are refused.
std::string json_schema(const world& world);
template <class T>
std::string json_schema(const world& world) {
    return detail::json_schema_of(world, describe<T>());
}
template <class T>
std::string json_schema() {
    return detail::json_schema_of(nullptr, describe<T>());
}

// Reads into a value; members that the text leaves out stay. All or nothing: throws kith::error
// (invalid_text, limit) with line, column and path, and the value is as before.
template <class T>
void from_json(const world& world, T& value, std::string_view text,
               const json_options& options = {}) {
    detail::read_json(world, describe<T>(), &value, text, options);
}
template <class T>
    requires(!std::is_base_of_v<entity_view, T> && !std::is_base_of_v<world, T>)
void from_json(T& value, std::string_view text, const json_options& options = {}) {
    detail::read_json(nullptr, describe<T>(), &value, text, options);
}
// Reads into the component of an entity and sets it: one OnSet. A missing component is added.
void set_json(const entity_view& entity, id_t id, std::string_view text,
              const json_options& options = {});

}  // namespace kith
