// Values as JSON, out and in. Not part of <kith/kith.hpp>. See docs/manual/json.md.
//
//   std::string text = kith::to_json(world, cargo);   // {"tons":64, "grade":"raw"}
//   kith::from_json(world, cargo, text);
//
// Covered by tests/features/values/json_test.cpp.
#pragma once

#include <kith/query_columns.hpp>
#include <kith/reflect.hpp>
#include <kith/world.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace kith {

struct json_options {
    bool compact = false;        // no blanks behind commas
    bool safe_integers = false;  // integers beyond 2^53 as texts
    bool html_safe = false;      // '<', '/', U+2028 and U+2029 are escaped
    bool columns = false;        // results of queries column by column
    bool base = false;           // entities with the values that they inherit
    bool skip_unknown = false;   // values without description are left out
    std::uint32_t depth = 64;
    const char* file = nullptr;  // for messages
};

// Takes the parts of a long text, one after the other. False refuses the rest.
struct json_sink {
    bool (*write)(void* context, const char* data, std::size_t size) = nullptr;
    void* context = nullptr;

    json_sink(bool (*function)(void* context, const char* data, std::size_t size), void* given)
        : write(function), context(given) {}
    json_sink(std::string& into) : context(&into) {
        write = [](void* text, const char* data, std::size_t size) {
            static_cast<std::string*>(text)->append(data, size);
            return true;
        };
    }
    json_sink(std::FILE* into) : context(into) {
        write = [](void* file, const char* data, std::size_t size) {
            return std::fwrite(data, 1, size, static_cast<std::FILE*>(file)) == size;
        };
    }
};

namespace detail {
std::string json_schema_of(const world_t* world, const description& type);
void append_json(std::string& out, const world_t* world, const description& type, const void* value,
                 const json_options& options);
void read_json(world_t* world, const description& type, void* value, std::string_view text,
               const json_options& options);
}  // namespace detail

// Throws kith::error (invalid_type) for parts without description, (limit) beyond the depth.
template <class T>
std::string to_json(const world& world, const T& value, const json_options& options = {}) {
    std::string text;
    detail::append_json(text, world, describe<T>(), &value, options);
    return text;
}
// The value of a component of an entity.
std::string to_json(const entity_view& entity, id_t id, const json_options& options = {});

// An entity with its tags, components and pairs:
// {"entity":"Sol.Earth", "tags":["Planet"], "components":{…}, "pairs":{"Orbits":["Sol"]}}.
std::string to_json(const entity_view& entity, const json_options& options = {});
// The results of a query: {"columns":[{"name":"this", "kind":"entity"}, …], "rows":[["Bell", …]]},
// or each column with its "values". Fields with the access Out or None have no values.
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
};
// Adds the entities of a text to a world, in the form that write_json() gives it. All or nothing:
// throws kith::error (invalid_text, limit) with line, column and path.
json_report from_json(world& world, std::string_view text, const json_options& options = {});
// Adds what the text says about one entity, in the form of to_json(entity). The path in the text is
// not looked at.
json_report from_json(const entity_view& entity, std::string_view text,
                      const json_options& options = {});

// The JSON Schema (2020-12) of all described components of the world, as definitions by path; of
// one type. Values that are written are valid by it, and values that are not valid are refused.
std::string json_schema(const world& world);
template <class T>
std::string json_schema(const world& world) {
    return detail::json_schema_of(world, describe<T>());
}

// Reads into a value; members that the text leaves out stay. All or nothing: throws kith::error
// (invalid_text, limit) with line, column and path, and the value is as before.
template <class T>
void from_json(const world& world, T& value, std::string_view text,
               const json_options& options = {}) {
    detail::read_json(world, describe<T>(), &value, text, options);
}
// Reads into the component of an entity and sets it: one OnSet. A missing component is added.
void set_json(const entity_view& entity, id_t id, std::string_view text,
              const json_options& options = {});

}  // namespace kith
