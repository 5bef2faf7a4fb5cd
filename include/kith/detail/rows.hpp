// The rows of a query's results as a range: for (auto [e, p, v] : query).
//
// Covered by tests/features/idioms/ranges_test.cpp.
#pragma once

#include <kith/detail/each.hpp>
#include <kith/detail/indexed.hpp>
#include <kith/query_builder.hpp>

namespace kith {

// One row of a result, until the loop goes on. With structured bindings: the entity, then the
// values of Ts, references to what is there. It converts to its entity.
template <class... Ts>
class row {
public:
    row(const kith::iter& it, std::size_t number) noexcept : it_(&it), number_(number) {}

    // Null if the query has no $this.
    kith::entity entity() const {
        return it_->count() != 0 ? it_->entity(number_) : kith::entity();
    }
    operator kith::entity() const { return entity(); }
    // Null if the variable has no value.
    kith::entity var(std::int32_t variable) const {
        return variable == 0 ? entity() : it_->get_var(variable);
    }
    kith::entity var(const char* variable) const {
        return var(detail::checked_variable(it_->query(), variable));
    }
    // The value of a field, counted from 1; see iter::field(). Null if it is not set.
    template <class T>
    auto field(std::int32_t index) const {
        auto values = it_->template field<T>(index);
        return values ? detail::address_of(values[number_]) : nullptr;
    }
    // The result that the row is part of, and the number of the row in it.
    const kith::iter& iter() const noexcept { return *it_; }
    std::size_t number() const noexcept { return number_; }

    // For structured bindings.
    template <std::size_t I>
    decltype(auto) get() const {
        if constexpr (I == 0) {
            return entity();
        } else {
            using T = typename detail::arg_at<I - 1, detail::arg_list<Ts...>>::type;
            using arg = detail::query_arg<T>;
            const detail::field_data& field = it_->raw().fields[I - 1];
            std::byte* at =
                field.value ? field.value + std::size_t{field.stride} * number_ : nullptr;
            if constexpr (arg::is_plain && !arg::is_optional) {
                if (!at) [[unlikely]] {
                    detail::raise_unset_field(it_->query(), static_cast<std::int32_t>(I));
                }
            }
            return arg::make(it_->c_world(), field, at);
        }
    }

private:
    const kith::iter* it_;
    std::size_t number_;
};

namespace detail {

// A run that a loop over rows has begun.
struct row_run {
    row_run(const query_ref& query, world_t* stage, const run_options& options)
        : kept(query), run(query.get(), stage, options), it(stage, query.get()) {}

    query_ref kept;
    query_run run;
    kith::iter it;
    std::size_t row = 0;
    std::size_t count = 0;
};

// An iterator over rows. The iterator owns a run and cannot be copied. The tables that the run has
// locked are unlocked when the iterator reaches the end or is destroyed.
template <class... Ts>
class row_iterator {
public:
    using value_type = kith::row<Ts...>;
    using difference_type = std::ptrdiff_t;

    row_iterator() noexcept = default;
    row_iterator(const query_ref& query, world_t* stage, const run_options& options)
        : run_(new row_run(query, stage, options)) {
        next_result();
    }
    row_iterator(row_iterator&& other) noexcept : run_(detail::exchange(other.run_, nullptr)) {}
    row_iterator& operator=(row_iterator&& other) noexcept {
        std::swap(run_, other.run_);
        return *this;
    }
    ~row_iterator() { delete run_; }

    kith::row<Ts...> operator*() const noexcept { return {run_->it, run_->row}; }
    row_iterator& operator++() {
        if (++run_->row >= run_->count) {
            next_result();
        }
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const row_iterator& at, range_end) noexcept {
        return at.run_ == nullptr;
    }

private:
    void next_result() {
        struct guard {  // the run ends where it fails
            row_run*& run;
            bool any = false;
            ~guard() {
                if (!any) {
                    delete detail::exchange(run, nullptr);
                }
            }
        } ended{run_};
        ended.any = run_->run.next(run_->it.raw());
        if (ended.any) {
            run_->row = 0;
            run_->count = run_->it.count();  // 0: one match without rows
        }
    }

    row_run* run_ = nullptr;  // null at the end
};

}  // namespace detail
}  // namespace kith

template <class... Ts>
struct std::tuple_size<kith::row<Ts...>> {
    static constexpr std::size_t value = 1 + sizeof...(Ts);
};
template <std::size_t I, class... Ts>
struct std::tuple_element<I, kith::row<Ts...>> {
    using type = typename kith::detail::query_arg<
        typename kith::detail::arg_at<I - 1, kith::detail::arg_list<Ts...>>::type>::direct;
};
template <class... Ts>
struct std::tuple_element<0, kith::row<Ts...>> {
    using type = kith::entity;
};
