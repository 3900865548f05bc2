#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptree/detail/refcount.hpp"
#include "steptree/error.hpp"
#include "steptree/steptree.h"

struct steptree_error;

namespace steptree::cabi {

/// C may keep each error that it's lent, so none is a part of anything else.
struct DropError {
    void operator()(const steptree_error* error) const noexcept;
};
using OwnedError = std::unique_ptr<const steptree_error, DropError>;

}  // namespace steptree::cabi

/// An error as C sees it: a StepError, or an exception that is none. Of what hangs on it, handles
/// are made when they are asked for, which any thread may do.
struct steptree_error {
    explicit steptree_error(const steptree::StepError& given);
    explicit steptree_error(std::exception_ptr given);
    /// With what a hook is told.
    steptree_error(std::exception_ptr given, const std::string& itsCode, const std::string& itsInfo,
                   const std::string& itsPath);

    mutable steptree::detail::RefCount refs;
    std::optional<steptree::StepError> step;  // nothing: it is foreign
    std::exception_ptr thrown;                // null: `step` alone is known
    std::exception_ptr nested;                // of a foreign one: what it wraps
    std::string code;
    std::string info;
    std::string path;

    mutable std::mutex mutex;
    mutable steptree::cabi::OwnedError cause;
    mutable std::vector<steptree::cabi::OwnedError> also;
};

namespace steptree::cabi {

template <class... Of>
OwnedError makeError(Of&&... of) {
    return OwnedError(new steptree_error(std::forward<Of>(of)...));
}

/// Errors that the runtime owns until there is another one of that sort on this thread.
enum class LentAs { failure, handled, thrown };
const steptree_error* lend(LentAs sort, OwnedError error) noexcept;
/// A failure, for what is being handled.
const steptree_error* failed() noexcept;
/// The last failure.
const steptree_error* lastOne() noexcept;

/// As long as it lives errors that are lent take the place of no older ones: a call that runs
/// functions of the program inside of itself.
class Sheltered {
  public:
    Sheltered() noexcept { swap(); }
    Sheltered(const Sheltered&) = delete;
    Sheltered& operator=(const Sheltered&) = delete;
    ~Sheltered() { swap(); }

  private:
    void swap() noexcept;

    OwnedError kept_[3];
};

/// An error with a code that is an object of another language, which `object` gives. Programs see
/// that cause, or none.
OwnedError errorFor(std::string_view code, std::string_view info, steptree_opaque object,
                    const steptree_error* cause);

/// As C++ has it.
std::exception_ptr exceptionOf(const steptree_error* error);
/// Throws what a function of C has returned.
[[noreturn]] void rethrow(const steptree_error& error);
inline void raise(const steptree_error* error) {
    if (error != nullptr) [[unlikely]]
        rethrow(*error);
}

/// A call of C: what is thrown is returned. What failed() returns isn't kept over the end of the
/// `catch`, which would take room in the frame: 2 instructions in step_c.
template <class Call>
const steptree_error* attempt(Call&& call) noexcept {
    try {
        call();
        return nullptr;
    } catch (...) {
        failed();
    }
    return lastOne();
}

[[noreturn]] inline void misuse(const char* text) {
    throw StepError(errors::InternalError, text);
}

}  // namespace steptree::cabi
