#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/error_code.hpp>
#include <asio/system_error.hpp>

/// Where what is written once for both Asios is compiled for the standalone one.
namespace steptree::detail::standalone {

namespace asio = ::asio;

/// Of the AsioTool in whose pass this thread is; null: in none.
inline thread_local constinit const asio::any_io_executor* currentExecutor = nullptr;

}  // namespace steptree::detail::standalone
