#pragma once

#include "steptree/abi.hpp"

namespace steptree::detail {

/// Tells threads apart that live at the same time. Null is none.
using ThreadId = const void*;

/// std::this_thread::get_id() is a call into another library, and this is asked for several times a
/// flow.
STEPTREE_VISIBLE inline ThreadId thisThread() noexcept {
#if defined(__x86_64__) && defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
    return __builtin_thread_pointer();
#endif
#endif
    static thread_local char here;
    return &here;
}

}  // namespace steptree::detail
