// Entities and worlds as JSON (include/kith/json.hpp): reading. A text is read member by member as
// far as it has arrived, and staged as facts, which are loaded as those of worlds as text are: all
// or nothing. A mistake is reported with its place in the JSON.
//
// Covered by tests/dsl/json_world_test.cpp and json_chunks_test.cpp.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_ops.hpp>
#include <kith/json.hpp>
#include <kith/json_desc.hpp>
#include <kith/syntax/json_reader.hpp>

#include "diagnostics.hpp"
#include "identifier.hpp"
#include "json_facts.hpp"
#include "json_window.hpp"

#include <algorithm>

namespace kith {

namespace dsl {

namespace {

using syntax::json_event;

syntax::json_limits limits_of_world(const json_options& options) {
    syntax::json_limits limits;
    limits.depth = options.depth + 6;  // the object, its list and its parts around a value
    limits.text = options.text;
    return limits;
}

}  // namespace

// The form of a world, of one entity, or of tables; the keys decide.
class json_document {
public:
    json_document(const world& world, const json_options& options, const entity& subject)
        : options_(options),
          facts_(world, options_, subject),
          reader_({}, limits_of_world(options_), options_.file),
          boundaries_(options_.text),
          has_subject_(subject) {}
    json_document(const json_document&) = delete;
    json_document& operator=(const json_document&) = delete;

    // The whole text, which needs no look ahead for its parts. It lives until finish().
    void read(std::string_view text) {
        KITH_ASSERT(size_ == 0, "nothing was fed before");
        count(text);
        facts_.set_text(text);
        reader_.move_window(text, 0);
        advance(true);
        is_read_ = true;
    }
    void feed(std::string_view chunk) {
        count(chunk);
        boundaries_.follow(chunk);
        // The rest of the last chunk comes first; without one, the chunk is read where it is.
        std::string_view window = chunk;
        if (!rest_.empty()) {
            rest_ += chunk;
            window = rest_;
        }
        reader_.move_window(window, 0);
        advance(false);
        keep_rest(window);
    }
    // The whole text was fed or read.
    json_facts& finish() {
        if (!is_read_) {
            reader_.move_window(rest_, 0);
            advance(true);
        }
        return facts_;
    }

private:
    enum class mode : std::uint8_t { start, members, value, list, end };

    void count(std::string_view text) {
        size_ += text.size();
        if (size_ > options_.bytes) {
            raise(errc::limit,
                  "the JSON is longer than " + std::to_string(options_.bytes) + " bytes");
        }
    }
    // Bytes that were read are dropped; a key stays until its value was read, because a mistake may
    // be about the key.
    void keep_rest(std::string_view window) {
        const std::size_t read =
            (mode_ == mode::value ? reader_.begin() : reader_.offset()) - base_;
        const bool is_copy = window.data() == rest_.data();
        if (is_copy && read <= rest_.size() / 2) {
            return;
        }
        // The reader counts the lines that it leaves behind before their memory changes.
        reader_.move_window(window.substr(read), read);
        base_ += read;
        if (is_copy) {
            rest_.erase(0, read);
        } else {
            rest_ = window.substr(read);
        }
        reader_.move_window(rest_, 0);
    }
    // Reads what is complete; all of it at the end of the text.
    void advance(bool at_end) {
        const bool all = at_end || boundaries_.is_too_long;
        while (step(all)) {}
    }
    // False: more of the text is needed, or nothing is left.
    bool step(bool all) {
        switch (mode_) {
            case mode::start:
                if (!all && boundaries_.begin == 0) {
                    return false;
                }
                if (reader_.next() != json_event::begin_object) {
                    reader_.fail("expected an object: a world or an entity");
                }
                mode_ = mode::members;
                return true;
            case mode::members:
                return read_key(all);
            case mode::value:
                return read_member(all);
            case mode::list:
                return read_element(all);
            case mode::end:
                break;
        }
        if (all) {
            reader_.next();  // nothing follows
        }
        return false;
    }
    bool read_key(bool all) {
        const std::size_t at = reader_.ahead();
        if (!all && boundaries_.member_end <= at && boundaries_.opened <= at) {
            return false;
        }
        if (reader_.next() == json_event::end_object) {
            mode_ = mode::end;
            if ((is_entity_ && !has_results_) || has_subject_) {
                facts_.finish_whole(reader_);
            }
            return true;
        }
        key_ = reader_.text();
        mode_ = mode::value;
        return true;
    }
    bool is_list() const {
        return !has_subject_ && (key_ == "entities" || key_ == "types" || key_ == "results");
    }
    bool read_member(bool all) {
        const std::size_t at = reader_.ahead();
        const bool whole = all || boundaries_.member_end > at;
        if (!whole && !(is_list() && boundaries_.opened > at)) {
            return false;
        }
        if (is_list()) {
            if (reader_.next() != json_event::begin_array) {
                reader_.fail("expected a list");
            }
            has_results_ |= key_ == "results";
            mode_ = mode::list;
            return true;
        }
        read_value();
        mode_ = mode::members;
        return true;
    }
    void read_value() {
        if (!has_subject_ && key_ == "kith") {
            if (reader_.next() != json_event::number || reader_.text() != "1") {
                reader_.fail("this is no version of the form: expected 1");
            }
        } else if (!has_subject_ && is_about_results()) {
            reader_.skip();
        } else {
            is_entity_ = true;
            facts_.read_whole_part(reader_, key_);
        }
    }
    // Parts of the results of a query that say nothing about a world.
    bool is_about_results() const {
        return key_ == "eval_duration" || key_ == "variables" || key_ == "vars" ||
               key_ == "term_ids" || key_ == "term_labels";
    }
    bool read_element(bool all) {
        if (!all && boundaries_.element_end <= reader_.ahead()) {
            return false;
        }
        const json_event event = reader_.next();
        if (event == json_event::end_array) {
            mode_ = mode::members;
        } else if (key_ == "types") {
            facts_.read_type(reader_, event);
        } else if (key_ == "entities") {
            facts_.read_entity(reader_, event);
        } else {
            facts_.read_table(reader_, event);
        }
        return true;
    }

    json_options options_;
    json_facts facts_;
    syntax::json_reader reader_;
    json_boundaries boundaries_;
    std::string rest_;        // that was fed and not read
    std::size_t base_ = 0;    // of the window in the whole text
    std::uint64_t size_ = 0;  // bytes that were fed
    std::string key_;         // the last one of the outermost object
    bool has_subject_;
    bool is_read_ = false;    // the whole text
    bool is_entity_ = false;  // the text is about one entity
    bool has_results_ = false;
    mode mode_ = mode::start;
};

namespace {

// Names mean what they mean at the root.
class root_scope {
public:
    explicit root_scope(const world& world) : world_(world), scope_(detail::open_scope(world, 0)) {}
    ~root_scope() { detail::close_scope(world_, scope_); }
    root_scope(const root_scope&) = delete;
    root_scope& operator=(const root_scope&) = delete;

private:
    const world& world_;
    entity_t scope_;
};

json_report load_json(world& world, std::string_view text, const json_options& options,
                      const entity& subject) {
    check_may_load(world, text);
    const root_scope names(world);
    json_document document(world, options, subject);
    document.read(text);
    return document.finish().load(world);
}

}  // namespace

}  // namespace dsl

json_report from_json(world& world, std::string_view text, const json_options& options) {
    return dsl::load_json(world, text, options, {});
}

json_report from_json(const entity_view& entity, std::string_view text,
                      const json_options& options) {
    kith::world world(entity.c_world());
    if (!entity.is_alive()) {
        dsl::raise(errc::invalid_entity, "an entity that is not alive cannot be read");
    }
    return dsl::load_json(world, text, options, kith::entity(entity.c_world(), entity));
}

struct json_reader::state {
    state(kith::world& given, const json_options& options)
        : world(given), document(given, options, {}) {}

    kith::world world;
    dsl::json_document document;
    bool is_over = false;  // by an error, or by finish()

    template <class Func>
    void use(Func&& func) {
        if (is_over) {
            dsl::raise(errc::invalid_operation, "the reader has ended: make a new one");
        }
        is_over = true;  // unless the function returns
        const dsl::root_scope names(world);
        func();
        is_over = false;
    }
};

json_reader::json_reader(world& world, const json_options& options)
    : state_(std::make_unique<state>(world, options)) {}
json_reader::~json_reader() = default;
json_reader::json_reader(json_reader&& other) noexcept = default;
json_reader& json_reader::operator=(json_reader&& other) noexcept = default;

void json_reader::feed(const char* data, std::size_t size) {
    state_->use([&] { state_->document.feed({data, size}); });
}

json_report json_reader::finish() {
    json_report report;
    state_->use([&] {
        dsl::check_may_load(state_->world, {});
        report = state_->document.finish().load(state_->world);
    });
    state_->is_over = true;
    return report;
}

namespace detail {

const char* world_from_table_json(world_t* world, const char* text, const from_json_desc_t* desc) {
    const std::string_view whole(text ? text : "");
    json_options options;
    options.file = desc ? desc->name : nullptr;
    kith::world target(world);
    from_json(target, whole, options);
    return whole.data() + whole.size();
}

// The name of the text becomes that of an entity without one; a text that is refused leaves it
// without.
const char* entity_from_table_json(world_t* world, entity_t subject, const char* text) {
    const std::string_view whole(text ? text : "");
    kith::world target(world);
    kith::entity entity(world, subject);
    if (!entity.is_alive()) {
        dsl::raise(errc::invalid_entity, "an entity that is not alive cannot be read");
    }
    dsl::check_may_load(target, whole);
    const dsl::root_scope names(target);
    dsl::json_document document(target, {}, entity);
    document.read(whole);
    dsl::json_facts& facts = document.finish();
    const dsl::decoded_path path = dsl::decode_path(facts.subject_path());
    const std::string name = path.text.substr(path.text.rfind(dsl::separator) + 1);
    struct naming {
        kith::entity named;
        bool done;
        ~naming() {
            if (done) {
                named.set_name(nullptr);
            }
        }
    } undo{entity, false};
    if (entity.name().empty() && !name.empty()) {
        entity.set_name(name);
        undo.done = true;
    }
    facts.load(target);
    undo.done = false;
    return whole.data() + whole.size();
}

}  // namespace detail

}  // namespace kith
