// A short text that is built without allocating memory, for error messages and warnings: reporting
// a failure must not fail itself. Characters beyond the capacity are cut off.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kith::base {

// Invariant: buffer_ holds size_ characters, then a terminating zero.
class text {
public:
    text& operator<<(std::string_view part) noexcept {
        std::size_t room = sizeof buffer_ - 1 - size_;
        std::size_t length = part.size() < room ? part.size() : room;
        if (length != 0) {
            std::memcpy(buffer_ + size_, part.data(), length);
        }
        size_ += length;
        buffer_[size_] = 0;
        return *this;
    }
    text& operator<<(const char* part) noexcept { return *this << std::string_view{part}; }
    text& operator<<(std::uint64_t number) noexcept {
        char digits[24];
        auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        return *this << std::string_view{digits, static_cast<std::size_t>(end - digits)};
    }
    text& operator<<(std::int64_t number) noexcept {
        if (number < 0) {
            return *this << "-" << (std::uint64_t{0} - static_cast<std::uint64_t>(number));
        }
        return *this << static_cast<std::uint64_t>(number);
    }
    text& operator<<(std::uint32_t number) noexcept { return *this << std::uint64_t{number}; }

    const char* c_str() const noexcept { return buffer_; }
    std::string_view view() const noexcept { return {buffer_, size_}; }

private:
    char buffer_[512] = {};
    std::size_t size_ = 0;
};

}  // namespace kith::base
