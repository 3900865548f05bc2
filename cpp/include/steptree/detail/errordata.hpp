#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "steptree/detail/refcount.hpp"

namespace steptree {

class StepError;

namespace detail {

class ToolCore;
struct ErrorData;
struct Joined;

/// What the engine does for the errors that it makes.
struct ErrorOps {
    void (*describe)(const ErrorData&) noexcept;  // any thread: makes `path` and `text`
    void (*escape)(ErrorData&) noexcept;          // a StepError refers to it from now on
    void (*dispose)(ErrorData*) noexcept;         // nothing refers to it any more
    std::span<const StepError> (*also)(const ErrorData&) noexcept;
};

struct PathRoot;

/// The way from the root to a step in numbers, innermost first: kind and number in one word. Only
/// names need the text at once, and ways that are longer than this.
struct Crumbs {
    static constexpr std::size_t kMost = 12;
    static constexpr int kKindShift = 30;  // above are a PathElement's two bits

    std::uint32_t at[kMost];
};

/// One error: shared by the engine and all copies of the exception. The engine's live in their
/// tool's pool; while no StepError refers to one it is the tool's thread's alone.
struct ErrorData {
    RefCount refs;
    mutable std::uint8_t described = 0;  // of error.cpp, atomic there
    bool sorted = true;                  // whether `also` is in event order
    bool escaped = false;
    std::uint8_t crumbCount = 0;    // until `path` is made
    std::uint32_t earlier = 0;      // so many of `also` are of an earlier closing, and come first
    bool rooted = false;            // `path` goes on from `root`, until it is made
    std::uint32_t guardSize = 0;    // of a refusal: that of the name in quotes in `info`, plus 1
    std::uint64_t order = 0;        // when it happened, for `also`
    std::int64_t retryAfter = -1;   // ms, of a refusal; -1: not known
    const ErrorOps* ops = nullptr;  // null: made by a program, on the heap
    ToolCore* home = nullptr;       // whose pool it is of; null: the heap
    std::string code;
    std::string info;
    mutable std::string path;
    mutable const std::string* text = nullptr;  // what(), if it isn't the code
    const std::string* waits = nullptr;         // of a timeout: what was waited for
    std::exception_ptr cause;     // given, or the error that it replaced, or the foreign exception
    std::exception_ptr native;    // the foreign exception that it stands for
    ErrorData* before = nullptr;  // of branches of an any, attempts: the one that failed before
    const ErrorData* origin = nullptr;  // of the StepError that was thrown, to know it again
    Joined* also = nullptr;             // the engine's: see error.cpp
    union {
        Crumbs crumbs;         // crumbCount of them
        const PathRoot* root;  // if rooted
    };

    ErrorData() noexcept {}
    ErrorData(const ErrorData&) = delete;
    ErrorData& operator=(const ErrorData&) = delete;
    ~ErrorData() {
        delete text;
        delete waits;
    }
    void describe() const noexcept {
        if (ops != nullptr) ops->describe(*this);
    }
};

class ErrorRef {
  public:
    ErrorRef() noexcept = default;
    explicit ErrorRef(ErrorData* owned) noexcept : data_(owned) {}
    ErrorRef(const ErrorRef& other) noexcept : data_(other.data_) {
        if (data_ != nullptr) data_->refs.add();
    }
    ErrorRef(ErrorRef&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    ErrorRef& operator=(ErrorRef other) noexcept {
        std::swap(data_, other.data_);
        return *this;
    }
    ~ErrorRef() {
        if (data_ != nullptr) release();
    }

    ErrorData* detach() noexcept { return std::exchange(data_, nullptr); }
    ErrorData* get() const noexcept { return data_; }
    ErrorData* operator->() const noexcept { return data_; }
    explicit operator bool() const noexcept { return data_ != nullptr; }

  private:
    void release() noexcept;  // in error.hpp

    ErrorData* data_ = nullptr;
};

}  // namespace detail
}  // namespace steptree
