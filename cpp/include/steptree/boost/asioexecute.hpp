#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <exception>
#include <type_traits>
#include <utility>

#include "steptree/detail/boostasio.hpp"
#include "steptree/iflow.hpp"

namespace steptree::detail::boosted {
#include "steptree/detail/asioexecute.ipp"
}

namespace steptree::boostasio {
using detail::boosted::asyncExecute;
}
