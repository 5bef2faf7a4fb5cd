// The ring of trace events and its text.
#include "trace/trace_ring.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith::scheduling;

namespace {

struct shown_event {
    double begin;
    double end;
    int thread;
};

double number_behind(const std::string& line, const char* key) {
    const std::size_t at = line.find(key);
    return at == std::string::npos ? -1
                                   : std::strtod(line.c_str() + at + std::strlen(key), nullptr);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// The events with a duration, one per line, in order.
std::vector<shown_event> shown(const std::string& json) {
    std::vector<shown_event> events;
    for (const std::string& line : lines_of(json)) {
        if (line.find("\"ph\":\"X\"") != std::string::npos) {
            const double begin = number_behind(line, "\"ts\":");
            events.push_back({begin, begin + number_behind(line, "\"dur\":"),
                              static_cast<int>(number_behind(line, "\"tid\":"))});
        }
    }
    return events;
}

// Whether any two events of a thread are apart or one inside of the other.
bool nested(const std::vector<shown_event>& events) {
    constexpr double rounding = 1e-6;
    for (const shown_event& a : events) {
        for (const shown_event& b : events) {
            if (a.thread == b.thread && a.begin < b.begin && b.begin + rounding < a.end &&
                b.end > a.end + rounding) {
                return false;
            }
        }
    }
    return true;
}

trace_event frame(std::uint64_t number, stamp_t begin, stamp_t end) {
    return {trace_kind::frame, 0, 0, 0, 0, number, begin, end};
}
trace_event system_run(kith::entity_t system, stamp_t begin, stamp_t end) {
    return {trace_kind::system, 0, 0, system, 0, 10, begin, end};
}
trace_event part(kith::entity_t system, std::uint16_t thread, stamp_t begin, stamp_t end) {
    return {trace_kind::part, thread, 3, system, 0, 256, begin, end};
}

// Frames of 5 systems each, whose last has parts on two threads.
void record_frames(trace_ring& ring, int frames) {
    stamp_t now = 1'000'000;
    for (int i = 1; i <= frames; ++i) {
        const stamp_t begin = now;
        for (kith::entity_t system = 1; system <= 5; ++system) {
            ring.name(system, [&] { return "game.System" + std::to_string(system); });
            const stamp_t at = now += 1000;
            if (system == 5) {
                ring.record(part(system, 0, at + 100, at + 4000));
                ring.record(part(system, 1, at + 200, at + 4500));
            }
            now += 5000;
            ring.record(system_run(system, at, now));
        }
        ring.record({trace_kind::sync, 0, 0, 0, 0, 7, now, now + 500});
        ring.record(frame(static_cast<std::uint64_t>(i), begin, now += 1000));
    }
}

}  // namespace

TEST_SUITE("unit.schedule.trace") {
    TEST_CASE("an empty trace is a file without events") {
        CHECK(trace_ring(4).json() == "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
    }

    TEST_CASE("frames, systems, parts and sync points are there, in the order of their begin") {
        trace_ring ring(1000);
        record_frames(ring, 1);
        const std::string json = ring.json();
        CHECK(ring.size() == 9);
        CHECK(shown(json).size() == 9);
        const std::size_t at = json.find("\"name\":\"frame 1\",\"cat\":\"frame\"");
        CHECK(at < json.find("\"name\":\"game.System1\",\"cat\":\"system\""));
        CHECK(json.find("\"args\":{\"part\":3,\"rows\":256}") != std::string::npos);
        CHECK(json.find("\"args\":{\"commands\":7,\"reason\":\"end\"}") != std::string::npos);
        CHECK(json.find("\"args\":{\"name\":\"worker 1\"}") != std::string::npos);
    }

    TEST_CASE("intervals are nested, also when the ring wrapped, at every length of the ring") {
        for (std::size_t capacity = 1; capacity < 40; ++capacity) {
            CAPTURE(capacity);
            trace_ring ring(capacity);
            record_frames(ring, 7);
            const std::vector<shown_event> events = shown(ring.json());
            CHECK(events.size() == capacity);
            CHECK(nested(events));
        }
    }

    TEST_CASE("an event that ends behind the one around it is cut there") {
        trace_ring ring(10);
        ring.record(system_run(1, 2000, 9000));
        ring.record(frame(1, 1000, 8000));
        CHECK(nested(shown(ring.json())));
    }

    TEST_CASE("a sync point says whose reading of what caused it") {
        trace_ring ring(10);
        ring.name(1, [] { return std::string("Damage"); });
        ring.name(9, [] { return std::string("Health"); });
        ring.record({trace_kind::sync, 0, 0, 1, 9, 2, 5, 6});
        ring.record({trace_kind::sync, 0, 0, 1, 0, 2, 7, 8});
        const std::string json = ring.json();
        CHECK(json.find("\"reason\":\"Damage reads Health\"") != std::string::npos);
        CHECK(json.find("\"reason\":\"before Damage\"") != std::string::npos);
    }

    TEST_CASE("names are escaped, and kept while an event has them") {
        trace_ring ring(2);
        ring.name(1, [] { return std::string("a\"b\\c\n"); });
        ring.record(system_run(1, 1, 2));
        CHECK(ring.json().find("\"name\":\"a\\\"b\\\\c\\u000a\"") != std::string::npos);
        for (kith::entity_t system = 2; system < 500; ++system) {
            ring.name(system, [&] { return "System" + std::to_string(system); });
            ring.record(system_run(system, system, system + 1));
        }
        CHECK(ring.json().find("\"name\":\"System499\"") != std::string::npos);
        CHECK(ring.json().find("\"name\":\"System498\"") != std::string::npos);
    }

    TEST_CASE("stamps grow, and have a length in nanoseconds") {
        const stamp_t first = read_stamp();
        CHECK(ns_per_stamp() > 0);
        CHECK(read_stamp() >= first);
    }
}
