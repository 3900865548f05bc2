#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
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
#include "steptree/detail/boostasio.hpp"
#include "steptree/error.hpp"
#include "steptree/results.hpp"

namespace steptree::detail::boosted {
#include "steptree/detail/asioawait.ipp"
}

namespace steptree::boostasio {
using detail::boosted::AsioAwaited;
using detail::boosted::asioAwaited;
using detail::boosted::AsioDetached;
using detail::boosted::asioDetached;
}  // namespace steptree::boostasio

template <class R, class... V>
class boost::asio::async_result<steptree::detail::boosted::AsioAwaited, R(V...)>
    : public steptree::detail::boosted::AsioInitiation<steptree::detail::boosted::AsioAttached,
                                                       V...> {};
template <class R, class... V>
class boost::asio::async_result<steptree::detail::boosted::AsioDetached, R(V...)>
    : public steptree::detail::boosted::AsioInitiation<steptree::detail::boosted::AsioFree, V...> {
};

template <class Executor>
struct boost::asio::associated_executor<steptree::detail::boosted::AsioHandler, Executor>
    : steptree::detail::boosted::AsioHandlerExecutor<Executor> {};
