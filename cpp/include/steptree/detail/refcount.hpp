#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cstdint>

namespace steptree::detail {

/// Of a program without a second thread, which needs no locked counting: as std::shared_ptr.
inline bool isAlone() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

/// How many refer to an object; any thread may count. It does what std::atomic would: that brings
/// <atomic>, which is 4,700 lines for everybody who includes the contract.
class RefCount {
  public:
    void add() noexcept {
        if (isAlone()) {
            ++count_;
        } else {
            __atomic_fetch_add(&count_, 1, __ATOMIC_RELAXED);
        }
    }
    /// Whether that was the last one.
    bool drop() noexcept {
        if (isAlone()) return --count_ == 0;
        return __atomic_fetch_sub(&count_, 1, __ATOMIC_ACQ_REL) == 1;
    }
    bool isOne() const noexcept { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE) == 1; }

  private:
    std::uint32_t count_ = 1;
};

}  // namespace steptree::detail
