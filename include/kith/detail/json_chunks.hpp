// A long text that is sent in chunks, for the writers of JSON.
#pragma once

#include <kith/error.hpp>
#include <kith/json.hpp>

#include <string>

namespace kith::detail {

// Appends go to `text`; send() passes it on when it is long enough, finish() always.
class json_chunks {
public:
    explicit json_chunks(const json_sink& to) : to_(to) {}

    std::string text;

    void send() {
        if (text.size() >= chunk) {
            finish();
        }
    }
    void finish() {
        if (!text.empty() && !to_.write(to_.context, text.data(), text.size())) {
            raise_error(errc::invalid_operation, "the receiver of the JSON has refused it");
        }
        text.clear();
    }

private:
    static constexpr std::size_t chunk = std::size_t{64} << 10;
    const json_sink& to_;
};

}  // namespace kith::detail
