#include "awaited.hpp"
#include "latch.hpp"
#include "level.hpp"
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

bool openAwait(Line& line, Step*& level, Budget&) noexcept {
    if (awaitOwn(line, openStep(line, level))) return false;
    return goOn(line, unwind(line, takeError(line)));
}

}  // namespace

extern constexpr Kind awaitKind{.check = &checkAwait, .open = &openAwait};

}  // namespace steptree::detail
