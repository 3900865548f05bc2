#pragma once

#if defined(__SANITIZE_THREAD__)
#define STEPTREE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STEPTREE_TSAN 1
#endif
#endif

#ifdef STEPTREE_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace steptree::detail {

/// The base of what lies in the queue. The queue uses a block again when a counter says that all of
/// it was taken out; the order that this gives is one of fences and of releases without an acquire,
/// which ThreadSanitizer doesn't know. It is told here; otherwise this is nothing.
class SlotOrder {
  public:
#ifdef STEPTREE_TSAN
    SlotOrder() noexcept {
        __tsan_acquire(this);
    }
    SlotOrder(SlotOrder&&) noexcept {
        __tsan_acquire(this);
    }
    SlotOrder& operator=(SlotOrder&&) noexcept {
        return *this;
    }
    ~SlotOrder() {
        __tsan_release(this);
    }
#endif
};

}  // namespace steptree::detail
