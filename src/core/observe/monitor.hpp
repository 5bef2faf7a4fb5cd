// Tells when results of a query start and stop to hold.
//
// Nothing is kept of the results between two batches (an operation, or a queue of commands). Each
// change says, before it happens, which bindings of variables it may touch; the results with these
// are noted once per batch, and compared with what there is at its end. See
// docs/design/0017-monitors.md.
//
// Covered by tests/core/observe/monitor_test.cpp and tests/model/monitor_test.cpp.
#pragma once

#include <kith/monitor.hpp>

#include "mutate/stage.hpp"
#include "observe/touches.hpp"
#include "observe/tuple_set.hpp"

#include <exception>
#include <memory>

namespace kith::observe {

class monitor_list;

class monitor final : public events::listener {
public:
    // Takes over the action. `entity_wise`: rows are told one at a time where they share a value.
    monitor(monitor_list& all, mutate::stage& owner, detail::query_head* query,
            std::uint32_t events, const detail::observer_action& action, bool entity_wise);
    ~monitor();
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    // From now on, changes are heard.
    void start();
    // They no longer are. Callbacks may be under way.
    void stop() noexcept;
    bool is_busy() const noexcept { return busy_ != 0; }
    bool is_stopped() const noexcept { return stopped_; }
    bool is_pending() const noexcept { return batch_ != nullptr || error_; }
    bool is_open() const noexcept { return touches_.is_open(); }
    monitor_list& all() const noexcept { return all_; }

    // Tells what has changed since the last time. Throws the first error of a callback at the end.
    void settle();

    // The world is gone, or the handle is.
    bool in_world = true;
    bool held = true;

private:
    using term = queries::term;

    // Marks of results that held before.
    enum : std::uint8_t { was_there, still_there, was_told };

    // Bindings of the same variables.
    struct binding_group {
        binding_group(containers::memory& mem, variable_set bound) noexcept;
        variable_set which;
        tuple_set values;  // marked: the results with them are noted
    };
    struct batch {
        batch(containers::memory& mem, std::uint32_t width) noexcept : before(mem, width) {}
        std::vector<std::unique_ptr<binding_group>> groups;
        tuple_set before;
        std::uint32_t left = 0;  // of `before`, those that were not told to have ended
    };
    // A new result, and where its row is.
    struct place {
        std::uint32_t number;
        std::uint32_t table;
        std::uint32_t row;
    };

    static void hear(events::listener& me, const events::occurrence& what);
    void listen_to(id_t pattern);
    void on_event(const events::occurrence& what);
    void on_change(const events::occurrence& what);

    batch& open_batch();
    binding_group& ensure_group(variable_set which);
    void note(const binding& one);
    void note_new(entity_t made);
    void note_everything();
    bool is_noted(const id_t* key) const;

    void tell_certain(const change& made, entity_t event);
    void tell_ending(entity_t ending);
    bool ends_by(std::uint32_t term, const change& made, bool removed, binding& which) const;
    void tell_leaving(const binding& which, const term* lost, id_t id);

    void compare(batch& done, tuple_set& entering, std::vector<place>& places);
    void tell_left(batch& done);
    void tell_left(const id_t* key);
    void fill_left(const id_t* key, std::vector<detail::field_data>& fields);
    void tell_entered(tuple_set& entering, std::vector<place>& places);
    void tell_range(tuple_set& entering, const place& first, std::uint32_t count);

    template <class Visit>
    void run(const binding& with, bool entity_wise, Visit&& visit);
    template <class Visit>
    void run_options(detail::run_options& options, Visit&& visit);
    // Calls tell(rows) for the rows of a result that `wants(key)`, as many at once as there are
    // neighbours.
    template <class Wants>
    void tell_rows(const detail::result& found, entity_t event, Wants&& wants);
    void read_key(const detail::result& found, std::uint32_t row, id_t* key) const;
    void call(const detail::result& rows, entity_t event);

    monitor_list& all_;
    mutate::stage& owner_;
    detail::query_head* query_;
    const queries::query_model& model_;
    std::uint32_t events_;
    detail::observer_action action_;
    bool entity_wise_;
    touches touches_;
    std::vector<std::uint32_t> key_fields_;  // whose ids tell results apart
    std::uint32_t width_;                    // of a key: $this, the other variables, those ids
    std::vector<std::pair<entity_t, id_t>> heard_;
    std::unique_ptr<batch> batch_;
    std::exception_ptr error_;
    entity_t ended_ = 0;  // told to be no more
    std::uint32_t busy_ = 0;
    bool stopped_ = false;
};

}  // namespace kith::observe
