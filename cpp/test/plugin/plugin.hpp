#pragma once

#include "steptree/iasyncsteps.hpp"
#include "steptree/local.hpp"
#include "steptree/mutex.hpp"

// What plugin_test.cpp and the plug-in agree on.

/// Uses what there is; ends with 6 as its value, and leaves the states "seen", "count" and "own".
extern "C" STEPTREE_VISIBLE void everything(steptree::IAsyncSteps& asi, steptree::Guard& guard);

/// Leaves a value of a type of its own only.
extern "C" STEPTREE_VISIBLE void leavesOwn(steptree::IAsyncSteps& asi);

/// Replaces the value of the state "host", which is a std::vector<int>.
extern "C" STEPTREE_VISIBLE void replaces(steptree::IAsyncSteps& asi);

/// Fails with a code, after it has recovered from an exception of a type of its own.
extern "C" STEPTREE_VISIBLE void fails(steptree::IAsyncSteps& asi);

/// Throws an exception of a type of its own.
extern "C" STEPTREE_VISIBLE void throws(steptree::IAsyncSteps& asi);

/// Waits in a coroutine until it times out, with all that is to be closed then.
extern "C" STEPTREE_VISIBLE void waits(steptree::IAsyncSteps& asi);

/// Finds "host" in the local, and sets it to "plug-in" for a step of its own.
extern "C" STEPTREE_VISIBLE void locals(steptree::IAsyncSteps& asi,
                                        const steptree::Local<std::string>& local);
