#include "awaited.hpp"
#include "misuse.hpp"
#include "unwind.hpp"

/// Steps that only wait for an awaitable.
namespace steptree::detail {

namespace {

void checkAwait(const Line& line, const StepSpec& spec) {
    if (spec.of.core == nullptr) return;
    if (spec.runs) misuse("await: the flow is running");
    if (spec.of.core != line.flow->tool) misuse("await: the flow is of another tool");
}

Answer openAwait(Line& line, Step& step) noexcept {
    return awaitOwn(line, step) ? Answer::pending : fail(line);
}

}  // namespace

extern constexpr Kind awaitKind{.check = &checkAwait, .open = &openAwait, .name = "await"};

}  // namespace steptree::detail
