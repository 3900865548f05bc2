#include <utility>

#include "misuse.hpp"
#include "ontool.hpp"
#include "telling.hpp"

/// Who observes a tool, and how that ends.
namespace steptree {

Observation::Observation(std::shared_ptr<detail::Watch> watch) noexcept
    : watch_(std::move(watch)) {}
Observation::Observation(Observation&& other) noexcept = default;
Observation& Observation::operator=(Observation&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    watch_ = std::move(other.watch_);
    return *this;
}
Observation::~Observation() {
    cancel();
}

void Observation::cancel() noexcept {
    if (watch_ == nullptr) return;
    const std::shared_ptr<detail::Watch> watch = std::move(watch_);
    if (watch->over.exchange(true)) return;
    detail::ToolCore& core = *watch->core;
    if (core.onOwnThread() && core.alive()) core.engine.observers->dropOver();
}

bool Observation::valid() const noexcept {
    return watch_ != nullptr && !watch_->over;
}

Observation Tool::observe(detail::Function<void(const FlowEvent&)> observer) {
    return observe(std::move(observer), {});
}

Observation Tool::observe(detail::Function<void(const FlowEvent&)> observer,
                          const ObserveOptions& options) {
    detail::checkThread(*core_, "observe");
    if (!observer) detail::misuse("observe: expected an observer, got an empty one");
    auto watch = std::make_shared<detail::Watch>();
    watch->tell = std::move(observer);
    watch->options = options;
    watch->core = detail::CoreRef(*core_);
    auto& observers = core_->engine.observers;
    if (observers == nullptr) observers.reset(new detail::Observers(*core_));
    observers->add(watch);
    return Observation(std::move(watch));
}

}  // namespace steptree
