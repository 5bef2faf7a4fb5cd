// Names and text of a trace.
#include "trace/trace_ring.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <unordered_set>

namespace kith::scheduling {

namespace {

// Text as a string of JSON. Names of entities are UTF-8, which needs no escapes.
void append_text(std::string& out, const std::string& text) {
    out += '"';
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (code < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code));
            out += escape;
        } else {
            out += c;
        }
    }
    out += '"';
}

// Microseconds with the nanoseconds behind the point, as the format wants them.
void append_time(std::string& out, const char* key, std::uint64_t time) {
    char text[64];
    std::snprintf(text, sizeof text, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, time / 1000,
                  time % 1000);
    out += text;
}

void append_number(std::string& out, const char* key, std::uint64_t number) {
    out += std::string(",\"") + key + "\":" + std::to_string(number);
}

const char* category(trace_kind kind) {
    switch (kind) {
        case trace_kind::frame:
            return "frame";
        case trace_kind::system:
            return "system";
        case trace_kind::part:
            return "part";
        case trace_kind::sync:
            return "sync";
        case trace_kind::wait:
            return "wait";
    }
    return "";
}

// Writes the format of trace events. Requires: events are sorted by begin, and `first` is the begin
// of the first.
class trace_writer {
public:
    trace_writer(const std::unordered_map<std::uint64_t, std::string>& names, stamp_t first)
        : names_(names), first_(first), ns_per_stamp_(scheduling::ns_per_stamp()) {}

    std::string write(const std::vector<trace_event>& events) {
        out_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
        append_threads(events);
        for (const trace_event& event : events) {
            append(event);
        }
        return std::move(out_ += "\n]}\n");
    }

private:
    struct interval {
        std::uint64_t begin;
        std::uint64_t end;
    };

    std::uint64_t ns(stamp_t stamp) const {
        return static_cast<std::uint64_t>(static_cast<double>(stamp - first_) * ns_per_stamp_);
    }

    void begin_event() {
        out_ += empty_ ? "\n" : ",\n";
        empty_ = false;
    }

    // Names for the lanes of threads: 0 is the thread that calls progress().
    void append_threads(const std::vector<trace_event>& events) {
        std::size_t count = 0;
        for (const trace_event& event : events) {
            count = std::max<std::size_t>(count, event.thread + 1u);
        }
        open_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            begin_event();
            out_ +=
                "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(i) +
                ",\"args\":{\"name\":\"" +
                (i == 0 ? std::string("caller") : "worker " + std::to_string(i)) + "\"}}";
        }
    }

    // The interval inside of the open one of its thread. Counters of processors that differ could
    // let it reach beyond.
    interval nested(const trace_event& event) {
        interval is{ns(event.begin), std::max(ns(event.begin), ns(event.end))};
        std::vector<interval>& open = open_[event.thread];
        while (!open.empty() && open.back().end <= is.begin) {
            open.pop_back();
        }
        if (!open.empty()) {
            is.end = std::min(is.end, open.back().end);
        }
        open.push_back(is);
        return is;
    }

    void append(const trace_event& event) {
        const interval is = nested(event);
        begin_event();
        out_ += "{\"name\":";
        append_text(out_, name(event));
        out_ += std::string(",\"cat\":\"") + category(event.kind) + "\",\"ph\":\"X\",\"pid\":1";
        append_number(out_, "tid", event.thread);
        append_time(out_, "ts", is.begin);
        append_time(out_, "dur", is.end - is.begin);
        append_arguments(event);
        out_ += '}';
    }

    void append_arguments(const trace_event& event) {
        out_ += ",\"args\":{";
        const std::size_t begin = out_.size();
        switch (event.kind) {
            case trace_kind::frame:
            case trace_kind::wait:
                break;
            case trace_kind::part:
                append_number(out_, "part", event.part);
                append_number(out_, "rows", event.count);
                break;
            case trace_kind::system:
                if (event.count != 0) {
                    append_number(out_, "rows", event.count);
                }
                break;
            case trace_kind::sync:
                append_number(out_, "commands", event.count);
                append_reason(event);
                break;
        }
        if (out_.size() > begin) {
            out_.erase(begin, 1);  // the comma of the first
        }
        out_ += '}';
    }

    void append_reason(const trace_event& event) {
        out_ += ",\"reason\":";
        if (event.reason) {
            append_text(out_, label(event.subject) + " reads " + label(event.reason));
        } else {
            append_text(out_, event.subject ? "before " + label(event.subject) : "end");
        }
    }

    std::string name(const trace_event& event) const {
        switch (event.kind) {
            case trace_kind::frame:
                return "frame " + std::to_string(event.count);
            case trace_kind::sync:
                return "sync";
            case trace_kind::wait:
                return "wait for turn";
            default:
                return label(event.subject);
        }
    }

    std::string label(std::uint64_t id) const {
        const auto found = names_.find(id);
        return found == names_.end() ? "#" + std::to_string(id) : found->second;
    }

    const std::unordered_map<std::uint64_t, std::string>& names_;
    stamp_t first_;
    double ns_per_stamp_;
    std::string out_;
    bool empty_ = true;
    std::vector<std::vector<interval>> open_;  // by thread, outer ones first
};

}  // namespace

std::string trace_ring::json() const {
    const std::vector<trace_event> events = sorted();
    return trace_writer(names_, events.empty() ? 0 : events.front().begin).write(events);
}

// Names that no event has any more would add up in a program that makes and deletes systems.
void trace_ring::remember(std::uint64_t id, std::string name) {
    if (names_.size() > 2 * events_.size() + 64) {
        std::unordered_set<std::uint64_t> used;
        for (std::size_t i = 0; i < size(); ++i) {
            used.insert(events_[i].subject);
            used.insert(events_[i].reason);
        }
        std::erase_if(names_, [&](const auto& entry) { return !used.contains(entry.first); });
    }
    names_.emplace(id, std::move(name));
}

std::vector<trace_event> trace_ring::sorted() const {
    std::vector<trace_event> events(events_.begin(),
                                    events_.begin() + static_cast<std::ptrdiff_t>(size()));
    // Of events with equal times the kind decides: a frame is around a system.
    std::sort(events.begin(), events.end(), [](const trace_event& a, const trace_event& b) {
        if (a.begin != b.begin) {
            return a.begin < b.begin;
        }
        return a.end != b.end ? a.end > b.end : a.kind < b.kind;
    });
    return events;
}

}  // namespace kith::scheduling
