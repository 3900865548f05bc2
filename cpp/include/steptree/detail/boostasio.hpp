#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#if __has_include(<boost/asio/cancellation_signal.hpp>)
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#endif

/// Where what is written once for both Asios is compiled for Boost's, as if it were the standalone
/// one.
namespace steptree::detail::boosted {

namespace asio {

using namespace ::boost::asio;
using ::boost::system::error_code;
using ::boost::system::system_error;

#if !__has_include(<boost/asio/cancellation_signal.hpp>)

// Before Boost 1.77 an operation can't be cancelled by itself: no slot is ever connected.
enum class cancellation_type { none, terminal };
struct cancellation_slot {
    static constexpr bool is_connected() noexcept { return false; }
    template <class Handler>
    void assign(Handler&&) const noexcept {}
    void clear() const noexcept {}
};
struct cancellation_signal {
    static cancellation_slot slot() noexcept { return {}; }
    void emit(cancellation_type) const noexcept {}
};
template <class Handler>
cancellation_slot get_associated_cancellation_slot(const Handler&) noexcept {
    return {};
}

#endif

}  // namespace asio

/// Of the AsioTool in whose pass this thread is; null: in none.
inline thread_local constinit const asio::any_io_executor* currentExecutor = nullptr;

}  // namespace steptree::detail::boosted
