#pragma once

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/dispatch.hpp>
#include <asio/executor_work_guard.hpp>
#include <exception>
#include <type_traits>
#include <utility>

#include "steptree/detail/standaloneasio.hpp"
#include "steptree/iflow.hpp"

namespace steptree::detail::standalone {
#include "steptree/detail/asioexecute.ipp"
}

namespace steptree {
using detail::standalone::asyncExecute;
}
