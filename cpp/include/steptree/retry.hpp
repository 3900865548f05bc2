#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/codes.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/error.hpp"

namespace steptree {

/// A number of milliseconds, with fractions, or any chrono duration.
class Milliseconds {
  public:
    template <class T>
    requires std::is_arithmetic_v<T>
    constexpr Milliseconds(T ms) noexcept : ms_(static_cast<double>(ms)) {}
    template <class R, class P>
    constexpr Milliseconds(std::chrono::duration<R, P> time) noexcept
        : ms_(std::chrono::duration<double, std::milli>(time).count()) {}

    constexpr double count() const noexcept { return ms_; }

  private:
    double ms_;
};

/// How long to wait before the k-th retry: min(cap, base * factor^(k-1)), times 1 - jitter * r,
/// where r is the next number of the tool. [flow-46] [flow-47] [flow-48]
struct Backoff {
    Milliseconds base = 100;
    double factor = 2;  ///< at least 1
    Milliseconds cap = 20'000;
    double jitter = 1;  ///< which part of it is left to chance, 0 to 1
};

/// What a function of `RetryOn` answers: true, another attempt after the wait of the backoff;
/// false, none; any chrono duration, one after that time, without cap or jitter. A number is none
/// of them: who returns `names.count(code)` doesn't mean a time. [flow-110]
class RetryDecision {
  public:
    template <std::same_as<bool> B>
    constexpr RetryDecision(B again) noexcept : again_(again) {}
    template <class R, class P>
    constexpr RetryDecision(std::chrono::duration<R, P> wait) noexcept
        : wait_(Milliseconds(wait).count()), again_(true), hasWait_(true) {}

    constexpr bool again() const noexcept { return again_; }
    constexpr bool hasWait() const noexcept { return hasWait_; }
    /// In milliseconds; 0 if there is none.
    constexpr double wait() const noexcept { return wait_; }

  private:
    double wait_ = 0;
    bool again_ = false;
    bool hasWait_ = false;
};

/// After which errors to try again: these codes, or those for which a function of the code, or of
/// code and error, says so; without either all but InternalError. The error is the StepError that
/// the attempt failed with; its cause() is the exception, if that is another one. A time that is
/// negative, infinite or NaN is an InternalError, as what the function throws is an error of the
/// step. Copies share them, so that a policy is made once. [flow-49] [flow-111] [flow-112]
///
///     .on = [](const std::string& code, const StepError& error) -> RetryDecision {
///         if (error.retryAfter() >= 0) return std::chrono::milliseconds(error.retryAfter());
///         return code == "ECONNREFUSED";
///     }
///
/// A plug-in needs no library for it. It knows where it was made: of an aggregate within an
/// expression with `co_await` g++ 12 makes a copy of the bytes, and destroys both.
class RetryOn {
  public:
    RetryOn() noexcept {}
    template <class... C>
    requires(sizeof...(C) > 0 && (std::is_convertible_v<C, std::string_view> && ...))
        RetryOn(C&&... codes)
        : RetryOn(
              std::vector<std::string>{std::string(std::string_view(std::forward<C>(codes)))...}) {}
    RetryOn(std::vector<std::string> codes) {
        const bool hasEmpty = std::find(codes.begin(), codes.end(), "") != codes.end();
        asked_ =
            new Asked{[codes = std::move(codes)](const StepError& error) -> RetryDecision {
                          return std::find(codes.begin(), codes.end(), error.code()) != codes.end();
                      },
                      hasEmpty};
    }
    template <class F>
    requires std::is_invocable_r_v<RetryDecision, F&, const std::string&, const StepError&> RetryOn(
        F asked)
        : asked_(new Asked{[asked = std::move(asked)](const StepError& error) mutable {
                               return static_cast<RetryDecision>(asked(error.code(), error));
                           },
                           false}) {}
    template <class F>
    requires(std::is_invocable_r_v<RetryDecision, F&, const std::string&> &&
             !std::is_invocable_v<F&, const std::string&, const StepError&>) RetryOn(F asked)
        : asked_(new Asked{[asked = std::move(asked)](const StepError& error) mutable {
                               return static_cast<RetryDecision>(asked(error.code()));
                           },
                           false}) {}

    RetryOn(const RetryOn& other) noexcept : asked_(other.asked_) {
        if (asked_ != nullptr) asked_->refs.fetch_add(1, std::memory_order_relaxed);
    }
    RetryOn& operator=(RetryOn other) noexcept {
        std::swap(asked_, other.asked_);
        return *this;
    }
    ~RetryOn() {
        if (asked_ == nullptr || home_ != this) return;
        if (asked_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete asked_;
    }

    /// Neither codes nor a function were given.
    bool isDefault() const noexcept { return asked_ == nullptr; }
    /// May throw what the function throws.
    RetryDecision ask(const StepError& error) const {
        return isDefault() ? error.code() != errors::InternalError : asked_->decides(error);
    }
    bool hasEmpty() const noexcept { return asked_ != nullptr && asked_->hasEmpty; }

  private:
    struct Asked {
        detail::Function<RetryDecision(const StepError&)> decides;
        bool hasEmpty;  // which is no code
        std::atomic<std::uint32_t> refs{1};
    };

    Asked* asked_ = nullptr;
    const RetryOn* const home_ = this;
};

/// Bounds the retries of all flows that share it: each takes a token, each retry step that succeeds
/// puts a part of one back. Without a token nothing is tried again, so that what is overloaded
/// isn't asked more often for it. Any thread; has to outlive the flows' runs. [flow-55] [flow-56]
class STEPTREE_VISIBLE RetryBudget {
  public:
    struct Options {
        std::int64_t capacity;  ///< at first and at most; at least 1
        double ratio;           ///< what a success puts back, in whole thousandths, rounded
    };

    /// InternalError for bad options. [flow-58]
    explicit RetryBudget(Options options);
    RetryBudget(const RetryBudget&) = delete;
    RetryBudget& operator=(const RetryBudget&) = delete;

    /// How many tokens there are, with parts of them.
    double tokens() const noexcept;

    /// For the runtime.
    bool take() noexcept;
    void putBack() noexcept;

  private:
    const std::int64_t capacity_;  // in thousandths, as all here
    const std::int64_t ratio_;
    std::atomic<std::int64_t> left_;
};

/// `retry({.max = 3, .backoff = {.base = 50ms}, .on = {errors::Timeout}}, body)`.
struct RetryOptions {
    std::int64_t max = 0;  ///< attempts in all, at least 1
    Backoff backoff = {};
    RetryOn on = {};
    RetryBudget* budget = nullptr;  ///< not owned
};

}  // namespace steptree
