#include <string>
#include <utility>

#include "misuse.hpp"
#include "steptree/detail/toolcore.hpp"

/// Which thread drives a tool.
namespace steptree::detail {

void ToolCore::drive(const char* call) {
    if (!isHere() && !takesOver([this] { return !runsSomewhere(); })) drivenElsewhere(call);
    if (inCallback()) misuse(std::string(call) + ": called in a callback of the tool itself");
    if (engine.isTelling()) misuse(std::string(call) + ": called by an observer of the tool");
}

void ToolCore::drivenElsewhere(const char* call) {
    misuse(std::string(call) + ": another thread drives the tool at the moment");
}

void ToolCore::onCaller(Function<Caller()> caller) {
    hooks_.onCaller(std::move(caller));
    leaveToAll();
}

bool ToolCore::drivenHere() const noexcept {
    if (onOwnThread()) return true;
    if (!asksCaller()) return false;
    const Caller caller = this->caller();
    return caller == Caller::inside || (caller == Caller::outside && isLeft());
}

/// A driven tool that nobody has driven yet may be another thread's soon.
bool ToolCore::wouldWaitForItself() const noexcept {
    if (onOwnThread()) return clock_ == nullptr || !undriven();
    return caller() != Caller::outside;
}

}  // namespace steptree::detail
