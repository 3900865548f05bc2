#pragma once

#include <concepts>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/error.hpp"

namespace steptree {

/// Why a future has failed, unless its type says otherwise: an exception, as flows fail with.
/// Copies share it. Guide: docs/waiting.md#promises-and-futures
///
///     promise.fail(Error("NotFound", "no user " + id));
class Error {
  public:
    /// Null: InternalError to the caller.
    Error(std::exception_ptr exception) : exception_(std::move(exception)) {
        if (exception_ == nullptr) {
            throw StepError(errors::InternalError, "expected an exception, got null");
        }
    }
    Error(std::nullptr_t) : Error(std::exception_ptr()) {}
    Error(const StepError& error) : exception_(std::make_exception_ptr(error)) {}
    /// A StepError.
    explicit Error(std::string_view code, std::string_view info = {}, std::exception_ptr cause = {})
        : Error(StepError(code, info, std::move(cause))) {}

    /// Never null.
    const std::exception_ptr& exception() const noexcept { return exception_; }

    /// Of a StepError; `InternalError` for any other exception.
    std::string code() const {
        return read([](const StepError& e) { return e.code(); },
                    [](std::string_view) { return std::string(errors::InternalError); });
    }

    /// Of a StepError; what() of any other exception, if it has one.
    std::string info() const {
        return read([](const StepError& e) { return e.info(); },
                    [](std::string_view what) { return std::string(what); });
    }

    /// Throws the exception.
    [[noreturn]] void rethrow() const { std::rethrow_exception(exception_); }

    /// The same exception, not one that is like it.
    friend bool operator==(const Error& a, const Error& b) noexcept {
        return a.exception_ == b.exception_;
    }

  private:
    template <class OfStep, class OfOther>
    std::string read(OfStep ofStep, OfOther ofOther) const {
        try {
            std::rethrow_exception(exception_);
        } catch (const StepError& e) {
            return ofStep(e);
        } catch (const std::exception& e) {
            return ofOther(e.what());
        } catch (...) {
            return ofOther("");
        }
    }

    std::exception_ptr exception_;
};

/// How a failure type of one's own gets on with exceptions; specialize it for that type. Neither
/// function may throw.
///
///     template <>
///     struct steptree::FailureTraits<MyFailure> {
///         // Functions given to combinators throw, promises are dropped (`Canceled`).
///         static MyFailure fromException(std::exception_ptr exception);
///         // A step awaits the future, get() throws, a std::future is made of it.
///         static std::exception_ptr toException(const MyFailure& failure);
///     };
///
/// As it is, it serves types that are made of a std::exception_ptr, and classes of exceptions.
template <class E>
struct FailureTraits {
    /// The failure for an exception.
    static E fromException(
        std::exception_ptr exception) requires std::is_constructible_v<E, std::exception_ptr> {
        return E(std::move(exception));
    }
    /// The exception for a failure.
    static std::exception_ptr toException(const E& failure) requires
        std::is_base_of_v<std::exception, E> || std::is_same_v<E, std::exception_ptr> {
        if constexpr (std::is_same_v<E, std::exception_ptr>) {
            return failure;
        } else {
            return std::make_exception_ptr(failure);
        }
    }
};

/// Of Error.
template <>
struct FailureTraits<Error> {
    /// The failure for an exception.
    static Error fromException(std::exception_ptr exception) { return Error(std::move(exception)); }
    /// The exception for a failure.
    static std::exception_ptr toException(const Error& error) { return error.exception(); }
};

namespace detail {

template <class E>
concept FromException = requires(std::exception_ptr exception) {
    { FailureTraits<E>::fromException(exception) } -> std::convertible_to<E>;
};

template <class E>
concept ToException = requires(const E& failure) {
    { FailureTraits<E>::toException(failure) } -> std::convertible_to<std::exception_ptr>;
};

template <class E>
E failureOf(std::exception_ptr exception) {
    static_assert(FromException<E>,
                  "FailureTraits<E> has to be specialized, with fromException(std::exception_ptr): "
                  "functions throw, and promises are dropped");
    return FailureTraits<E>::fromException(std::move(exception));
}

template <class E>
std::exception_ptr exceptionOf(const E& failure) {
    static_assert(ToException<E>,
                  "FailureTraits<E> has to be specialized, with toException(const E&): what steps "
                  "and std::futures fail with is an exception");
    return FailureTraits<E>::toException(failure);
}

/// For those who can do without the failure itself.
template <class E>
[[noreturn]] void throwFailure(const E& failure) {
    if constexpr (ToException<E>) {
        std::rethrow_exception(FailureTraits<E>::toException(failure));
    } else {
        throw StepError(errors::InternalError, "the future has failed, failureReason() says why");
    }
}

}  // namespace detail
}  // namespace steptree
