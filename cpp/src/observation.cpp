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
    if (watch_ != nullptr) detail::endListening(*std::exchange(watch_, nullptr));
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
    auto watch = std::make_shared<detail::Watch>(*core_, options.bodies, std::move(observer));
    detail::observersIn(*core_).add(watch);
    return Observation(std::move(watch));
}

}  // namespace steptree
