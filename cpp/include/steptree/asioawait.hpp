#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_signal.hpp>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steptree/codes.hpp"
#include "steptree/completion.hpp"
#include "steptree/detail/asioexception.hpp"
#include "steptree/detail/standaloneasio.hpp"
#include "steptree/error.hpp"
#include "steptree/results.hpp"

namespace steptree::detail::standalone {
#include "steptree/detail/asioawait.ipp"
}

namespace steptree {
using detail::standalone::AsioAwaited;
using detail::standalone::asioAwaited;
using detail::standalone::AsioDetached;
using detail::standalone::asioDetached;
}  // namespace steptree

template <class R, class... V>
class asio::async_result<steptree::detail::standalone::AsioAwaited, R(V...)>
    : public steptree::detail::standalone::AsioInitiation<
          steptree::detail::standalone::AsioAttached, V...> {};
template <class R, class... V>
class asio::async_result<steptree::detail::standalone::AsioDetached, R(V...)>
    : public steptree::detail::standalone::AsioInitiation<steptree::detail::standalone::AsioFree,
                                                          V...> {};

template <class Executor>
struct asio::associated_executor<steptree::detail::standalone::AsioHandler, Executor>
    : steptree::detail::standalone::AsioHandlerExecutor<Executor> {};
