#pragma once

// What most tests include: it is compiled once for all of them, see UnitTests.cmake.
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "catch.hpp"
#include "futures.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/task.hpp"
#include "steptree/throttle.hpp"
