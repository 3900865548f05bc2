#include "steptree/asyncsteps.hpp"

#include <memory>

#include "cancel.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "onstack.hpp"
#include "ontool.hpp"

namespace steptree {

using detail::Flow;

namespace {

/// The owner of the flow goes.
[[gnu::noinline]] void leave(Flow& flow) {
    if (detail::isUnknownToTool(flow)) {
        detail::destroyFlow(flow);
        return;
    }
    const auto abandon = [&flow] {
        const detail::OnStack onStack(flow);
        flow.bits |= detail::kOrphan;
        if (flow.running) detail::requestCancel(flow, {});
    };
    if (detail::mustNotWait(*flow.tool)) {
        detail::later(*flow.tool, [abandon](bool) { abandon(); });
    } else {
        detail::waitFor(*flow.tool, abandon);
    }
}

}  // namespace

AsyncSteps::AsyncSteps(Tool& tool) : RootFlow(detail::keptFlow(tool.core())) {
    if (head_ == nullptr) [[unlikely]]
        make(tool);
}

void AsyncSteps::make(Tool& tool) {
    head_ = &detail::makeFlow(tool.core(), nullptr);
}

AsyncSteps::AsyncSteps(Tool& tool, Options options) : AsyncSteps(tool) {
    detail::checkFlowOptions(options);
    detail::flowExtrasOf(detail::asFlow(*head_)).options =
        std::make_shared<Options>(std::move(options));
}

AsyncSteps::~AsyncSteps() {
    if (!detail::keepFlow(detail::asFlow(*head_))) leave(detail::asFlow(*head_));
}

}  // namespace steptree
