#pragma once

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>

#include "steptree/asynctool.hpp"
#include "steptree/detail/standaloneasio.hpp"
#include "steptree/error.hpp"

namespace steptree::detail::standalone {
#include "steptree/detail/asiotool.ipp"
}

namespace steptree {
using detail::standalone::AsioTool;
}
