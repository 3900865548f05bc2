#include "steptree/tool.hpp"

#include <string>

#include "misuse.hpp"
#include "ontool.hpp"
#include "steptree/detail/toolcore.hpp"
#include "tooltask.hpp"

namespace steptree {

Handle::~Handle() {
    if (task_ != nullptr) task_->release();
}

void Handle::cancel() noexcept {
    if (task_ != nullptr) task_->cancel();
}

bool Handle::valid() const noexcept {
    return task_ != nullptr && task_->pending();
}

Tool::~Tool() {
    core_->leave();
}

Handle Tool::immediate(Callback callback) {
    if (!callback) detail::misuse("immediate: expected a callback, got an empty one");
    return Handle(
        detail::ToolTask::start(*core_, detail::ToolTask::kImmediate, std::move(callback)));
}

namespace {

/// Inlined it would give arm() a larger frame: the row deferred_cancel.
[[noreturn, gnu::noinline]] void refuseDeferred(std::int64_t ms) {
    if (ms >= 0) detail::misuse("deferred: expected a callback, got an empty one");
    const std::string got = ms == detail::kNoDuration ? "none" : std::to_string(ms);
    detail::misuse("deferred: expected a delay of at least 0 ms, got " + got);
}

}  // namespace

Handle Tool::arm(std::int64_t ms, Callback&& callback) {
    if (ms < 0 || !callback) [[unlikely]]
        refuseDeferred(ms);
    return Handle(detail::ToolTask::start(*core_, ms, std::move(callback)));
}

std::int64_t Tool::now() const noexcept {
    return core_->now();
}

double Tool::random() {
    detail::checkThread(*core_, "random");
    return core_->random();
}

std::size_t Tool::armedTimers() const {
    detail::checkThread(*core_, "armedTimers");
    return core_->armedTimers();
}

void Tool::onError(ErrorHook hook) {
    core_->onError(std::move(hook));
}

void Tool::releaseMemory() {
    detail::checkThread(*core_, "releaseMemory");
    core_->releaseFlows();
    core_->blocks.releaseMemory();
}

}  // namespace steptree
