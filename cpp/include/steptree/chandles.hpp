#pragma once

#include <memory>

#include "steptree/iasyncsteps.hpp"
#include "steptree/iflow.hpp"
#include "steptree/steptree.h"
#include "steptree/tool.hpp"

/// What a program in C++ gives to one in C, see spec/abi.md. Link `steptree::c`.
namespace steptree {

/// The accessor, as C has it: as long as the step is open. Guide: docs/plug-in.md#in-c
///
///     addStepsOfC(cHandle(asi));
inline steptree_step* cHandle(IAsyncSteps& asi) noexcept {
    return reinterpret_cast<steptree_step*>(static_cast<detail::StepSink*>(&asi));
}

/// A flow, as C has it; who has it in C++ goes on owning it. Guide: docs/plug-in.md#in-c
///
///     bool runs = steptree_host(STEPTREE_ABI, nullptr)->flow->running(cHandle(flow)) != 0;
inline steptree_flow* cHandle(IFlow& flow) noexcept {
    return reinterpret_cast<steptree_flow*>(static_cast<detail::StepSink*>(&flow));
}

/// Lends a tool to C, which may not drop it: as long as this lives. Guide: docs/plug-in.md#in-c
///
///     CTool lent(tool);
///     std::int64_t now = steptree_host(STEPTREE_ABI, nullptr)->tool->now(lent.handle());
class STEPTREE_VISIBLE CTool {
  public:
    explicit CTool(Tool& tool);
    CTool(const CTool&) = delete;
    CTool& operator=(const CTool&) = delete;
    ~CTool();

    /// The tool, as C has it.
    steptree_tool* handle() const noexcept { return lent_.get(); }

  private:
    std::unique_ptr<steptree_tool> lent_;
};

}  // namespace steptree
