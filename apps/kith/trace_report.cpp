// Reading a trace: events, their nesting, sums.
#include "trace_report.hpp"

#include "display_width.hpp"
#include "input_error.hpp"
#include "json_tree.hpp"
#include "output.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

namespace kith_app {

namespace {

// Times are in microseconds, as the file has them.
struct event {
    std::string kind;
    std::string name;
    double thread;
    double begin;
    double duration;
};

const json_value& member(const json_value& of, const char* key, json_value::kind kind,
                         const std::string& where) {
    const json_value* value = of.find(key);
    if (!value || value->is != kind) {
        throw input_error(where + ": no " + (kind == json_value::kind::number ? "number" : "text") +
                          " \"" + key + "\"");
    }
    return *value;
}

bool is_interval(const json_value& item, const std::string& where) {
    return member(item, "ph", json_value::kind::text, where).text == "X";
}

event read_event(const json_value& item, const std::string& where) {
    const auto number = [&](const char* key) {
        return member(item, key, json_value::kind::number, where).number;
    };
    event read{"", member(item, "name", json_value::kind::text, where).text, number("tid"),
               number("ts"), number("dur")};
    if (const json_value* kind = item.find("cat"); kind && kind->is == json_value::kind::text) {
        read.kind = kind->text;
    }
    if (read.begin < 0 || read.duration < 0) {
        throw input_error(where + ": a time is negative");
    }
    return read;
}

// The file is an object with the events, or the array of them.
std::vector<event> read_events(const json_value& file) {
    const json_value* list = file.is == json_value::kind::array ? &file : file.find("traceEvents");
    if (!list || list->is != json_value::kind::array) {
        throw input_error("no trace: there is no array \"traceEvents\"");
    }
    std::vector<event> events;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
        const std::string where = "event " + std::to_string(i + 1);
        if (is_interval(list->items[i], where)) {
            events.push_back(read_event(list->items[i], where));
        }
    }
    return events;
}

// Any two intervals of a thread are apart, or one is inside of the other.
void check_nesting(std::vector<event>& events) {
    constexpr double rounding = 0.0015;  // of times with three digits behind the point
    std::stable_sort(events.begin(), events.end(), [](const event& a, const event& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
    });
    std::map<double, std::vector<const event*>> open;
    for (const event& one : events) {
        std::vector<const event*>& around = open[one.thread];
        while (!around.empty() &&
               around.back()->begin + around.back()->duration <= one.begin + rounding) {
            around.pop_back();
        }
        if (!around.empty() &&
            one.begin + one.duration > around.back()->begin + around.back()->duration + rounding) {
            throw input_error("'" + printable(one.name) + "' ends behind '" +
                              printable(around.back()->name) + "', in which it began");
        }
        around.push_back(&one);
    }
}

struct sum {
    std::size_t count = 0;
    double total = 0;
    double longest = 0;
};

using row = std::array<std::string, 6>;

std::string fixed(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3f", number);
    return text;
}

// Frames have a number each: they are one line.
std::string line_name(const event& one) {
    return one.kind == "frame" ? "frames" : one.name;
}

std::vector<row> sum_up(const std::vector<event>& events) {
    std::map<std::pair<std::string, std::string>, sum> sums;
    for (const event& one : events) {
        sum& of = sums[{one.kind, line_name(one)}];
        ++of.count;
        of.total += one.duration;
        of.longest = std::max(of.longest, one.duration);
    }
    std::vector<std::pair<std::pair<std::string, std::string>, sum>> sorted(sums.begin(),
                                                                            sums.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    std::vector<row> rows;
    for (const auto& [name, of] : sorted) {
        rows.push_back({printable(name.first), printable(name.second), std::to_string(of.count),
                        fixed(of.total / 1000), fixed(of.total / static_cast<double>(of.count)),
                        fixed(of.longest)});
    }
    return rows;
}

// Names on the left, numbers on the right of their columns.
std::string aligned(const row& cells, const std::array<std::size_t, 6>& widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string space(widths[i] - display_width(cells[i]), ' ');
        line += (i == 0 ? "" : "  ") + (i < 2 ? cells[i] + space : space + cells[i]);
    }
    return line;
}

std::string table_of(const std::vector<row>& rows, bool colours) {
    const row heading{"kind", "name", "count", "total ms", "mean us", "max us"};
    std::array<std::size_t, 6> widths{};
    for (std::size_t i = 0; i < widths.size(); ++i) {
        widths[i] = display_width(heading[i]);
        for (const row& cells : rows) {
            widths[i] = std::max(widths[i], display_width(cells[i]));
        }
    }
    std::string table = bold(aligned(heading, widths), colours) + "\n";
    for (const row& cells : rows) {
        table += aligned(cells, widths) + "\n";
    }
    return table;
}

std::string whole(const std::vector<event>& events) {
    std::set<double> threads;
    std::size_t frames = 0;
    for (const event& one : events) {
        threads.insert(one.thread);
        frames += one.kind == "frame" ? 1 : 0;
    }
    return counted(frames, "frame", "frames") + ", " + counted(events.size(), "event", "events") +
           ", " + counted(threads.size(), "thread", "threads");
}

}  // namespace

std::string trace_report(const std::string& text, const std::string& file, bool colours) {
    try {
        std::vector<event> events = read_events(read_json(text));
        check_nesting(events);
        return (events.empty() ? "" : table_of(sum_up(events), colours)) + file + ": " +
               whole(events) + "\n";
    } catch (const input_error& mistake) {
        throw input_error(file + ": " + mistake.what());
    }
}

}  // namespace kith_app
