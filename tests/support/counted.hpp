// Component types that count what happens to their values: a test ends with as many destroyed as
// made, or it has found a leak or a double destruction.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <doctest/doctest.h>

namespace kith_test {

struct value_counts {
    int made = 0;  // by default or from a number
    int copied = 0;
    int moved = 0;
    int copy_assigned = 0;
    int move_assigned = 0;
    int destroyed = 0;

    int alive() const { return made + copied + moved - destroyed; }
};

// A value with a number and an own address, so that a move by bytes is noticed. `Which` tells apart
// several components.
template <int Which = 0>
class counted {
public:
    static inline value_counts counts;
    // Throw from the nth construction or copy from now on; 0: never.
    static inline int throw_in = 0;

    counted() : counted(0) {}
    explicit counted(int number) : number_(number) {
        may_throw();
        ++counts.made;
    }
    counted(const counted& other) : number_(other.checked().number_) {
        may_throw();
        ++counts.copied;
    }
    counted(counted&& other) noexcept : number_(std::exchange(other.checked().number_, -1)) {
        ++counts.moved;
    }
    counted& operator=(const counted& other) {
        may_throw();
        number_ = other.checked().number_;
        ++counts.copy_assigned;
        return checked();
    }
    counted& operator=(counted&& other) noexcept {
        number_ = std::exchange(other.checked().number_, -1);
        ++counts.move_assigned;
        return checked();
    }
    ~counted() {
        checked().self_ = nullptr;
        ++counts.destroyed;
    }

    int number() const { return checked().number_; }
    void set_number(int number) { checked().number_ = number; }

private:
    const counted& checked() const {
        CHECK_MESSAGE(self_ == this, "a value was moved as bytes, or used after its end");
        return *this;
    }
    counted& checked() {
        CHECK_MESSAGE(self_ == this, "a value was moved as bytes, or used after its end");
        return *this;
    }
    static void may_throw() {
        if (throw_in > 0 && --throw_in == 0) {
            throw std::runtime_error("a value refuses to be made");
        }
    }

    counted* self_ = this;
    int number_;
};

// Resets the counts of a type, and checks at its end that every value is gone. Declare it before
// the world.
template <class T>
class balance_check {
public:
    balance_check() {
        T::counts = {};
        T::throw_in = 0;
    }
    ~balance_check() {
        T::throw_in = 0;
        CHECK(T::counts.alive() == 0);
    }
    balance_check(const balance_check&) = delete;
    balance_check& operator=(const balance_check&) = delete;
};

}  // namespace kith_test
