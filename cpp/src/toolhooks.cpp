#include "steptree/detail/toolhooks.hpp"

#include <cstdio>
#include <cstdlib>

namespace steptree::detail {

bool ToolHooks::onWake(Function<void()> wake) {
    const std::lock_guard lock(mutex_);
    std::swap(wake_, wake);
    const bool wakes = static_cast<bool>(wake_);
    wakes_.store(wakes, std::memory_order_release);
    return wakes;
}

void ToolHooks::callWake() noexcept {
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
}

void ToolHooks::onError(ErrorHook hook) {
    auto shared = std::make_shared<ErrorHook>(std::move(hook));
    const std::lock_guard lock(mutex_);
    std::swap(onError_, shared);
}

void ToolHooks::failed(std::exception_ptr error) noexcept {
    std::shared_ptr<ErrorHook> hook;
    {
        const std::lock_guard lock(mutex_);
        hook = onError_;
    }
    if (hook != nullptr && *hook) {
        (*hook)(std::move(error));
        return;
    }
    try {
        std::rethrow_exception(std::move(error));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "steptree: exception out of a tool callback: %s\n", e.what());
    } catch (...) {
        std::fputs("steptree: exception of unknown type out of a tool callback\n", stderr);
    }
    std::abort();
}

}  // namespace steptree::detail
