#pragma once

/// Tests of Asio's bridge are written for the standalone Asio, and compiled for Boost's as well.
#if defined(STEPTREE_TEST_BOOST)

#include <utility>
// Boost 1.74 forgets the former.
#include <boost/asio.hpp>

#include "steptree/boost/asioawait.hpp"
#include "steptree/boost/asioexecute.hpp"
#include "steptree/boost/asiotool.hpp"

#define WITH_ASIO ", Boost"
namespace asio = boost::asio;
using namespace steptree;
using namespace steptree::boostasio;
using AsioSystemError = boost::system::system_error;
#if __has_include(<boost/asio/cancellation_signal.hpp>)
#define ASIO_HAS_SLOTS
#endif
#if defined(BOOST_ASIO_HAS_CO_AWAIT) && !defined(ASIO_HAS_CO_AWAIT)
#define ASIO_HAS_CO_AWAIT
#endif

#else

#include <asio.hpp>

#include "steptree/asioawait.hpp"
#include "steptree/asioexecute.hpp"
#include "steptree/asiotool.hpp"

#define WITH_ASIO ""
using namespace steptree;
using AsioSystemError = std::system_error;
#define ASIO_HAS_SLOTS

#endif
