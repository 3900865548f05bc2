#pragma once

#include <exception>
#include <system_error>
#include <type_traits>
#include <utility>

namespace steptree::detail {

/// One that is thrown over another.
template <class E>
struct AsioException : E, std::nested_exception {
    explicit AsioException(E&& error) : E(std::move(error)) {}
};

/// What an operation of Asio's fails with. Boost's system_error isn't the standard's, which is
/// where the runtime looks for a code: it has one as its cause. [error-58]
template <class E>
std::exception_ptr asioException(E error) {
    if constexpr (std::is_base_of_v<std::system_error, E>) {
        return std::make_exception_ptr(std::move(error));
    } else {
        try {
            throw std::system_error(std::error_code(error.code()));
        } catch (const std::system_error&) {
            return std::make_exception_ptr(AsioException<E>(std::move(error)));
        }
    }
}

}  // namespace steptree::detail
