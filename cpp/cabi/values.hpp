#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steptree/cvalue.hpp"
#include "steptree/results.hpp"

/// Values on their way between the two languages.
namespace steptree::cabi {

/// A C++ value that C doesn't know, as C sees it: its kind is the first part of this.
struct Foreign : steptree_kind {
    const detail::TypeDesc* type;
    mutable bool movable;  // nobody else sees it, and it hasn't been taken yet
    std::string text;
};

/// It is told by its owner, an odd address.
inline bool isForeign(const steptree_value& value) noexcept {
    return (reinterpret_cast<std::uintptr_t>(value.owner) & 1) != 0;
}
[[noreturn]] void refuseForeign(const steptree_value& value);
void releaseOwner(const void* owner) noexcept;

/// Values of C++, lent to a function of C for as long as this lives.
class Lent : public steptree_args {
  public:
    Lent() noexcept : steptree_args{all_, 0, this} {}
    /// `moves`: what C gives back is moved out of them.
    explicit Lent(Results& of, bool moves) : Lent() {
        if (of.empty()) return;
        results_ = &of;
        lend(of, moves);
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    void add(std::int64_t number) noexcept {
        steptree_value& value = all_[count++];
        value = {};
        value.tag = STEPTREE_INT64;
        value.of.integer = number;
    }
    /// It outlives this.
    void add(const Value& value) noexcept { all_[count++] = value.raw(); }

    /// One more of C++, which outlives this.
    void lendOne(const detail::TypeDesc& type, void* at, bool moves);

    /// What has been lent; null: none of C++.
    Results* results() const noexcept { return results_; }

  private:
    void lend(Results& of, bool moves);

    steptree_value all_[detail::kMaxValues];
    Results* results_ = nullptr;
    std::vector<Value> made_;  // of what C sees in another form
    std::vector<std::unique_ptr<Foreign>> foreign_;
};

/// To a program, which owns it.
inline void giveTo(steptree_value* into, Value value) noexcept {
    *into = value.release();
}

/// Values that are not taken: what is opaque in them is dropped all the same.
void dropGiven(const steptree_value* values, std::size_t count) noexcept;
/// All of them, or none.
std::vector<Value> valuesOf(const steptree_value* values, std::size_t count);

/// What a step leaves: nothing of 0 values; InternalError for more than 4.
void take(const steptree_value* values, std::size_t count, Results& into);

}  // namespace steptree::cabi
