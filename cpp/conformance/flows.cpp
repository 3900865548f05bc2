#include "flows.hpp"

#include <utility>

#include "steptree/asyncsteps.hpp"
#include "steptree/nitrosteps.hpp"

namespace conformance {

using namespace steptree;

namespace {

/// Room for all but the cases that say they exceed it.
using Nitro =
    NitroSteps<MaxSteps<1200>, MaxCapture<200>, MaxLoops<300>, MaxParallels<50>, MaxTimeouts<100>,
               MaxCancels<100>, MaxAwaits<56>, MaxBranches<100>, MaxBranchSteps<24>, MaxStack<1000>,
               MaxSyncs<8>, MaxDefers<16>, MaxMaps<4>, MaxRetries<2>, MaxSignals<8>>;

template <class Flow>
std::unique_ptr<IFlow> make(Tool& tool, Options options) {
    return std::make_unique<Flow>(tool, std::move(options));
}

}  // namespace

MakeFlow flowsOfKind(std::string_view kind) noexcept {
    if (kind == "async") return &make<AsyncSteps>;
    if (kind == "nitro") return &make<Nitro>;
    return nullptr;
}

}  // namespace conformance
