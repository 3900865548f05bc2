#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>

#include "steptree/asynctool.hpp"
#include "steptree/detail/boostasio.hpp"
#include "steptree/error.hpp"

namespace steptree::detail::boosted {
#include "steptree/detail/asiotool.ipp"
}

namespace steptree::boostasio {
using detail::boosted::AsioTool;
}
