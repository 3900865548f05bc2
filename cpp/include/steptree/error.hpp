#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/codes.hpp"
#include "steptree/detail/errordata.hpp"

namespace steptree {

/// What an error handler may take instead of `const std::string&`.
using ErrorCode = std::string_view;

/// The error of a step: what `IAsyncSteps::error` throws, what a promise is rejected with, what
/// `lastException` holds. Copies share their data. Identity is code(); never compare types across a
/// shared library. Guide: docs/errors.md
///
///     throw StepError("NotFound", "no user " + id);
class STEPTREE_VISIBLE StepError : public std::exception {
  public:
    explicit StepError(std::string_view code, std::string_view info = {},
                       std::exception_ptr cause = {})
        : data_(new detail::ErrorData) {
        data_->code = code.empty() ? errors::InternalError : code;
        data_->info = code.empty() ? std::string_view("an error code must not be empty") : info;
        data_->cause = std::move(cause);
        if (!data_->info.empty()) {
            data_->text = new std::string(data_->code + ": " + data_->info);
        }
    }
    /// For the runtime: takes over one reference.
    explicit StepError(detail::ErrorRef data) noexcept : data_(std::move(data)) {
        if (data_->ops != nullptr) data_->ops->escape(*data_.get());
    }
    /// The same; that a StepError refers to it is known.
    explicit StepError(detail::ErrorData* escaped) noexcept : data_(escaped) {}
    StepError(const StepError&) noexcept = default;
    StepError& operator=(const StepError&) noexcept = default;

    /// What handlers compare.
    const std::string& code() const noexcept { return data_->code; }
    /// '' where the program gave none.
    const std::string& info() const noexcept { return data_->info; }
    /// From the root: `page/1/|carts/#2` is step 1 of `page`, branch `carts`, round 2.
    const std::string& path() const noexcept {
        data_->describe();
        return data_->path;
    }
    /// The native exception behind it, or the error that it replaced in a handler; null if there is
    /// none.
    const std::exception_ptr& cause() const noexcept { return data_->cause; }
    /// Errors that happened in the same closing and were not the first, in event order; before them
    /// what it replaced in a handler, if that isn't its cause. There for as long as a StepError of
    /// this error.
    std::span<const StepError> also() const noexcept {
        if (data_->also == nullptr) return {};
        return data_->ops->also(*data_.get());
    }

    /// Of a DefenseRejected: the milliseconds after which somebody may be let in again; -1: not
    /// known.
    std::int64_t retryAfter() const noexcept { return data_->retryAfter; }
    /// Whether a guard or a channel of the runtime has refused: it's a DefenseRejected, Deadlock or
    /// Closed of theirs.
    bool refused() const noexcept { return data_->guardSize != 0; }
    /// The name of the one that has refused, as long as the error; empty: it has none, or nobody
    /// has.
    std::string_view guard() const noexcept {
        const std::string_view info = data_->info;
        if (data_->guardSize < 2) return {};
        return info.substr(info.find('\'') + 1, data_->guardSize - 1);
    }

    /// Of a timeout: what was waited for, `0/|cart sync: waits for mutex "db", and 2 more`: the
    /// first line in add order that did, and how many others; empty: nothing was. As long as the
    /// error. Guide: docs/hangs.md
    std::string_view waits() const noexcept {
        return data_->waits == nullptr ? std::string_view() : *data_->waits;
    }

    /// The code, and the info if there is one.
    const char* what() const noexcept override {
        data_->describe();
        return (data_->text == nullptr ? data_->code : *data_->text).c_str();
    }
    /// For the runtime.
    const detail::ErrorRef& data() const noexcept { return data_; }

  private:
    detail::ErrorRef data_;
};

namespace detail {

/// No other error goes with it.
inline bool goesAlone(const ErrorData& error) noexcept {
    return error.cause == nullptr && error.also == nullptr;
}

/// Causes of causes and `also` of `also`, however deep, need no native stack: what goes while
/// another one does waits for its turn.
[[gnu::noinline]] inline void disposeInTurn(ErrorData* error) noexcept {
    const auto disposeOne = [](ErrorData* one) noexcept {
        if (one->ops != nullptr) return one->ops->dispose(one);
        delete one;
    };
    if (goesAlone(*error)) return disposeOne(error);
    static thread_local ErrorData** waiting = nullptr;
    if (waiting != nullptr) {
        error->before = std::exchange(*waiting, error);
        return;
    }
    ErrorData* next = error;
    waiting = &next;
    while (ErrorData* const last = next) {
        next = last->before;
        disposeOne(last);
    }
    waiting = nullptr;
}

/// The engine's that go alone are let go first: the row error_nothrow.
[[gnu::noinline]] inline void dispose(ErrorData* error) noexcept {
    if (error->ops != nullptr && goesAlone(*error)) return error->ops->dispose(error);
    disposeInTurn(error);
}

inline void ErrorRef::release() noexcept {
    if (data_->refs.isOne() || data_->refs.drop()) dispose(data_);
}

}  // namespace detail

/// What `breakLoop` and `continueLoop` throw to leave a body. Not an error: swallowing it changes
/// nothing, since the step has taken note of the call before. Guide: docs/errors.md
///
///     try { asi.breakLoop(); } catch (const LoopControl&) { throw; }  // never swallow it
class STEPTREE_VISIBLE LoopControl {
  public:
    /// Of the loop; without one, of that which `label` names where it is thrown.
    LoopControl(bool isBreak, std::string_view label, std::uint64_t loop = 0)
        : isBreak_(isBreak), label_(label), loop_(loop) {}
    /// Whether it was breakLoop().
    bool isBreak() const noexcept { return isBreak_; }
    /// As it was given.
    const std::string& label() const noexcept { return label_; }
    /// For the engine: which loop it was called for, 0 for any. No other loop ever has that number.
    std::uint64_t loop() const noexcept { return loop_; }

  private:
    bool isBreak_;
    std::string label_;
    std::uint64_t loop_;
};

}  // namespace steptree
