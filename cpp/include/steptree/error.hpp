#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/codes.hpp"

namespace steptree {

/// What an error handler may take instead of `const std::string&`.
using ErrorCode = std::string_view;

class StepError;

namespace detail {

/// One error: shared by the engine and all copies of the exception.
struct ErrorData {
    std::atomic<std::uint32_t> refs{1};
    std::uint64_t order = 0;  // when it happened, for `also`
    std::string code;
    std::string info;
    std::string path;
    std::string text;           // what(), made when the first StepError is
    std::exception_ptr cause;   // given, or the error that it replaced, or the foreign exception
    std::exception_ptr native;  // the foreign exception that it stands for
    const ErrorData* origin = nullptr;  // of the StepError that was thrown, to know it again
    std::vector<StepError> also;
    std::uint32_t earlier = 0;  // so many of `also` are of an earlier closing, and come first
    bool sorted = true;         // whether `also` is in event order
};

class ErrorRef {
  public:
    ErrorRef() noexcept = default;
    explicit ErrorRef(ErrorData* owned) noexcept : data_(owned) {}
    ErrorRef(const ErrorRef& other) noexcept : data_(other.data_) {
        if (data_ != nullptr) data_->refs.fetch_add(1, std::memory_order_relaxed);
    }
    ErrorRef(ErrorRef&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    ErrorRef& operator=(ErrorRef other) noexcept {
        std::swap(data_, other.data_);
        return *this;
    }
    ~ErrorRef() { release(); }

    ErrorData* detach() noexcept { return std::exchange(data_, nullptr); }
    ErrorData* get() const noexcept { return data_; }
    ErrorData* operator->() const noexcept { return data_; }
    explicit operator bool() const noexcept { return data_ != nullptr; }

  private:
    inline void release() noexcept;

    ErrorData* data_ = nullptr;
};

}  // namespace detail

/// The error of a step: what `IAsyncSteps::error` throws, what a promise is rejected with, what
/// `lastException` holds. Copies share their data. Identity is code(); never compare types across a
/// shared library. [error-28]
class STEPTREE_VISIBLE StepError : public std::exception {
  public:
    explicit StepError(std::string_view code, std::string_view info = {},
                       std::exception_ptr cause = {})
        : data_(new detail::ErrorData) {
        data_->code = code.empty() ? errors::InternalError : code;
        data_->info = code.empty() ? std::string_view("an error code must not be empty") : info;
        data_->cause = std::move(cause);
        describe();
    }
    explicit StepError(detail::ErrorRef data) : data_(std::move(data)) { describe(); }
    StepError(const StepError&) noexcept = default;
    StepError& operator=(const StepError&) noexcept = default;

    const std::string& code() const noexcept { return data_->code; }
    /// '' where the program gave none.
    const std::string& info() const noexcept { return data_->info; }
    /// Step names from the root to where it was raised, joined by `/`. [error-30]
    const std::string& path() const noexcept { return data_->path; }
    /// The native exception behind it, or the error that it replaced in a handler; null if there is
    /// none.
    const std::exception_ptr& cause() const noexcept { return data_->cause; }
    /// Errors that happened in the same closing and were not the first, in event order. [error-40]
    const std::vector<StepError>& also() const noexcept { return data_->also; }

    const char* what() const noexcept override { return data_->text.c_str(); }
    const detail::ErrorRef& data() const noexcept { return data_; }

  private:
    void describe() {
        if (!data_->text.empty()) return;
        data_->text = data_->info.empty() ? data_->code : data_->code + ": " + data_->info;
    }

    detail::ErrorRef data_;
};

inline void detail::ErrorRef::release() noexcept {
    if (data_ == nullptr) return;
    if (data_->refs.load(std::memory_order_acquire) == 1 ||
        data_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete data_;
    }
}

/// What `breakLoop` and `continueLoop` throw to leave a body. Not an error: swallowing it changes
/// nothing, since the step has taken note of the call before. [model-21] [model-22]
class STEPTREE_VISIBLE LoopControl {
  public:
    LoopControl(bool isBreak, std::string_view label) : isBreak_(isBreak), label_(label) {}
    bool isBreak() const noexcept { return isBreak_; }
    const std::string& label() const noexcept { return label_; }

  private:
    bool isBreak_;
    std::string label_;
};

}  // namespace steptree
