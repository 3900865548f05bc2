#pragma once

#include <type_traits>
#include <utility>

#include "steptree/detail/derive.hpp"
#include "steptree/detail/gather.hpp"
#include "steptree/detail/inner.hpp"
#include "steptree/detail/recover.hpp"
#include "steptree/detail/stdfuture.hpp"
#include "steptree/detail/transform.hpp"
#include "steptree/promise.hpp"

namespace steptree {

/// Fails from inside of a combinator's function without a throw in sight: return it in place of the
/// value or the future that the function returns. Guide: docs/waiting.md#promises-and-futures
///
///     future.map([](int x) -> int {
///         if (x < 0) return WithFailure<MyFailure>("too small");
///         return x * 2;
///     })
///
/// Never keep one. E is the failure type of the future. Where no future is returned it is thrown:
/// an Error as its exception, so steps and tasks of a pool fail with its code, too.
template <class E = Error>
class WithFailure {
  public:
    template <class... A>
    requires std::is_constructible_v<E, A...>
    explicit WithFailure(A&&... arguments) : failure_(std::forward<A>(arguments)...) {}
    WithFailure(const WithFailure&) = delete;
    WithFailure& operator=(const WithFailure&) = delete;

    template <class T>
    operator T() && {
        if constexpr (detail::IsFuture<T>) {
            return T::failed(typename T::Failure(std::move(failure_)));
        } else if constexpr (std::is_same_v<E, Error>) {
            failure_.rethrow();
        } else {
            throw detail::RaisedFailure<E>{std::move(failure_)};
        }
    }

  private:
    E failure_;
};

}  // namespace steptree
