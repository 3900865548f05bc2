#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/codes.hpp"
#include "steptree/detail/checknumber.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/refcount.hpp"
#include "steptree/error.hpp"
#include "steptree/required.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// A number of milliseconds, with fractions, or any chrono duration.
/// Guide: docs/loops.md#again-after-a-failure
///
///     const Milliseconds half = 500us;
class Milliseconds {
  public:
    template <class T>
    requires std::is_arithmetic_v<T>
    constexpr Milliseconds(T ms) noexcept : ms_(static_cast<double>(ms)) {}
    template <detail::Duration T>
    constexpr Milliseconds(T time) noexcept
        : ms_(of<typename T::period>(static_cast<double>(time.count()))) {}

    /// How many.
    constexpr double count() const noexcept { return ms_; }

  private:
    template <class Period>
    static constexpr double of(double count) noexcept {
        constexpr auto common = detail::commonDivisor(1000, Period::den);
        constexpr auto num = static_cast<double>(Period::num * (1000 / common));
        return count * num / static_cast<double>(Period::den / common);
    }

    double ms_;
};

/// How long `retry` waits before the k-th further attempt: min(cap, base * factor^(k-1)), times 1 -
/// jitter * r, where r is the next number of the tool.
struct Backoff {
    Milliseconds base = 100;    ///< finite, at least 0
    double factor = 2;          ///< finite, at least 1
    Milliseconds cap = 20'000;  ///< at least 0; infinity: none
    double jitter = 1;          ///< which part of it is left to chance, 0 to 1
};

/// What a function of `RetryOn` answers: true, another attempt after the wait of the backoff;
/// false, none; any chrono duration, one after that time, without cap or jitter. A number is none
/// of them: who returns `names.count(code)` doesn't mean a time.
/// Guide: docs/loops.md#again-after-a-failure
///
///     const RetryDecision again = true, later = 5s;
class RetryDecision {
  public:
    template <std::same_as<bool> B>
    constexpr RetryDecision(B again) noexcept : again_(again) {}
    template <detail::Duration T>
    constexpr RetryDecision(T wait) noexcept
        : wait_(Milliseconds(wait).count()), again_(true), hasWait_(true) {}

    /// Whether there is another attempt.
    constexpr bool again() const noexcept { return again_; }
    /// Whether it says after which time.
    constexpr bool hasWait() const noexcept { return hasWait_; }
    /// In milliseconds; 0 if there is none.
    constexpr double wait() const noexcept { return wait_; }

  private:
    double wait_ = 0;
    bool again_ = false;
    bool hasWait_ = false;
};

namespace detail {

template <class F, class... Given>
constexpr bool shared() {
    static_assert(std::is_invocable_v<const F&, Given...>,
                  "on: the function is shared by all runs and called as const: a mutable lambda is "
                  "none");
    return true;
}

}  // namespace detail

/// After which errors to try again: these codes, or those for which a function of the code, or of
/// code and error, says so; without either all but what another attempt can't mend: InternalError,
/// Canceled, Deadlock, Closed, OutOfSteps, NotImplemented. Unless the function says a time, the
/// wait is at least retryAfter() of the error. The error is the StepError that the attempt failed
/// with; its cause() is the exception, if that is another one. A time that is negative, infinite or
/// NaN is an InternalError, as what the function throws is an error of the step. Copies share them,
/// so that a policy is made once. Guide: docs/loops.md#again-after-a-failure
///
///     .max = 3, .on = [](const std::string& code, const StepError& error) -> RetryDecision {
///         if (code == "Later") return std::chrono::milliseconds(std::stoi(error.info()));
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
        const bool hasEmpty = contains(codes, "");
        asked_ = new Asked{[codes = std::move(codes)](const StepError& error) -> RetryDecision {
                               return contains(codes, error.code());
                           },
                           hasEmpty};
    }
    template <class F>
    requires std::is_invocable_r_v<RetryDecision, F&, const std::string&, const StepError&> RetryOn(
        F asked)
        : asked_(new Asked{[asked = std::move(asked)](const StepError& error) {
                               static_assert(
                                   detail::shared<F, const std::string&, const StepError&>());
                               return static_cast<RetryDecision>(asked(error.code(), error));
                           },
                           false}) {}
    template <class F>
    requires(std::is_invocable_r_v<RetryDecision, F&, const std::string&> &&
             !std::is_invocable_v<F&, const std::string&, const StepError&>) RetryOn(F asked)
        : asked_(new Asked{[asked = std::move(asked)](const StepError& error) {
                               static_assert(detail::shared<F, const std::string&>());
                               return static_cast<RetryDecision>(asked(error.code()));
                           },
                           false}) {}

    RetryOn(const RetryOn& other) noexcept : asked_(other.asked_) {
        if (asked_ != nullptr) asked_->refs.add();
    }
    RetryOn& operator=(RetryOn other) noexcept {
        std::swap(asked_, other.asked_);
        return *this;
    }
    ~RetryOn() {
        if (asked_ == nullptr || home_ != this) return;
        if (asked_->refs.drop()) delete asked_;
    }

    /// Neither codes nor a function were given.
    bool isDefault() const noexcept { return asked_ == nullptr; }
    /// May throw what the function throws.
    RetryDecision ask(const StepError& error) const {
        return isDefault() ? !detail::isFinal(error.code()) : asked_->decides(error);
    }
    /// For the runtime: one of the codes is empty.
    bool hasEmpty() const noexcept { return asked_ != nullptr && asked_->hasEmpty; }

  private:
    struct Asked {
        detail::Function<RetryDecision(const StepError&)> decides;
        bool hasEmpty;  // which is no code
        detail::RefCount refs{};
    };

    static bool contains(const std::vector<std::string>& codes, std::string_view wanted) {
        for (const std::string& code : codes) {
            if (code == wanted) return true;
        }
        return false;
    }

    Asked* asked_ = nullptr;
    const RetryOn* const home_ = this;
};

/// Bounds the retries and hedges of all flows that share it: each attempt but the first takes a
/// token, if the one before wasn't refused by a guard, which has burdened nobody; each such step
/// that succeeds puts a part of one back. Without a token nothing is tried again: what is
/// overloaded isn't asked more often. Any thread; has to outlive the flows' runs.
/// Guide: docs/loops.md#again-after-a-failure
///
///     RetryBudget budget({.capacity = 10, .ratio = 0.1});
///     const auto stubborn = retry({.max = 3, .budget = &budget}, ask);
class STEPTREE_VISIBLE RetryBudget {
  public:
    /// Of a budget.
    struct Options {
        Required<std::int64_t> capacity;  ///< at first and at most; at least 1
        Required<double> ratio;           ///< what a success puts back, rounded to thousandths
    };

    /// InternalError for bad options.
    explicit RetryBudget(Options options);
    RetryBudget(const RetryBudget&) = delete;
    RetryBudget& operator=(const RetryBudget&) = delete;

    /// How many tokens there are, with parts of them.
    double tokens() const noexcept;

    /// For the runtime.
    bool take() noexcept;
    /// The same.
    void putBack() noexcept;

  private:
    const std::int64_t capacity_;  // in thousandths, as all here
    const std::int64_t ratio_;
    std::atomic<std::int64_t> left_;
};

/// `retry({.max = 3, .backoff = {.base = 50ms}, .on = {errors::Timeout}}, body)`.
struct RetryOptions {
    Required<std::int64_t> max;  ///< attempts in all, at least 1; kUnlimited: as many as it takes
    Backoff backoff = {};
    RetryOn on = {};                ///< without: after what another attempt may mend
    RetryBudget* budget = nullptr;  ///< not owned; without: none
};

namespace detail {

template <class F, class Call>
struct RetryBlock : RetryDefinition {
    template <class X>
    RetryBlock(RetryOptions given, X&& attempt)
        : settings(std::move(given)), part(std::forward<X>(attempt)) {
        spec.kind = StepKind::retry;
        spec.ops = &kReferring<true>;
        counted = &kCounting<true>;
        options = &settings;
        body = part.get();
        numbered = !IsStepValue<F>;
        if (!numbered) setName(spec, nameOf(body->spec));
    }

    const RetryOptions settings;
    const PartOf<F, Call> part;
};

/// What a step of attempts finds: its body gets the number, too.
template <class Body>
using AttemptIn =
    std::conditional_t<IsStepValue<Body>, InOf<Body>, typename Unnumbered<InOf<Body>>::type>;

inline void checkOn(const RetryOn& on) {
    if (!on.hasEmpty()) return;
    throw StepError(errors::InternalError, "on: expected codes or a function, got ''");
}

inline void checkRetry(const RetryOptions& options) {
    constexpr double most = std::numeric_limits<double>::max();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    checkOn(options.on);
    checkNumber("max", options.max, ", or kUnlimited");
    checkNumber("factor", options.backoff.factor, 1, most);
    checkNumber("cap", options.backoff.cap.count(), 0, infinity);
    checkNumber("jitter", options.backoff.jitter, 0, 1);
    checkNumber("base", options.backoff.base.count(), 0, most);
}

}  // namespace detail

/// Runs its body, and again, after a wait, when that has failed: at most `max` times. Each attempt
/// is a step of its own, which is closed before the next; it gets the values that the step finds,
/// then its number, from 1, as any integer type (but for a step value). The values of the one that
/// ends with ok are the result, the error of the last one is the step's. Waits grow from 100 ms by
/// a factor of 2 up to 20 s, each shortened by chance, unless `backoff` says otherwise, and is at
/// least as long as a guard's retryAfter(); after which errors says `on`. A wait for which there is
/// no time before a deadline around isn't begun: the retry fails at once, with the error of the
/// attempt, not with Timeout, so a handler of the deadline has to know both. A timeout, a cancel or
/// a failed sibling outside cancels the attempt or ends the wait; after that, a `break` or a
/// `continue` nothing is tried again.
///
/// The error of an attempt has that of the attempt before as its cause(); one that has a cause of
/// its own, as each exception that isn't a StepError has in `state().lastError()`, as the first of
/// its also(): so the first error and the last seven are found. Bad options: InternalError to the
/// caller. Guide: docs/loops.md#again-after-a-failure
///
///     const auto stubborn = retry({.max = 3, .on = {errors::Timeout}}, ask.timeout(500ms));
///     auto answer = run(tool, stubborn);
template <class F>
auto retry(RetryOptions options, F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    using Block = detail::RetryBlock<Body, detail::PartCall<Body, true>>;
    static_assert(detail::checkShared<F>());
    detail::checkRetry(options);
    return Step<detail::AttemptIn<Body>, detail::OutOf<Body>>(
        detail::makeBlock<Block>(std::move(options), std::forward<F>(body)));
}

}  // namespace steptree
