#pragma once

#include <memory>

#include "steptree/iasyncsteps.hpp"
#include "steptree/iflow.hpp"
#include "steptree/steptree.h"
#include "steptree/tool.hpp"

/// What a program in C++ gives to one in C, see spec/abi.md. Link `steptree::c`.
namespace steptree {

/// The accessor, as C has it: as long as the step is open.
///
///     raise = plugin->greet(cHandle(asi), api);
inline steptree_step* cHandle(IAsyncSteps& asi) noexcept {
    return reinterpret_cast<steptree_step*>(static_cast<detail::StepSink*>(&asi));
}

/// A flow, as C has it; who has it in C++ goes on owning it.
inline steptree_flow* cHandle(IFlow& flow) noexcept {
    return reinterpret_cast<steptree_flow*>(static_cast<detail::StepSink*>(&flow));
}

/// Lends a tool to C, which may not drop it: as long as this lives.
///
///     CTool lent(tool);
///     plugin->start(lent.handle());
class STEPTREE_VISIBLE CTool {
  public:
    explicit CTool(Tool& tool);
    CTool(const CTool&) = delete;
    CTool& operator=(const CTool&) = delete;
    ~CTool();

    steptree_tool* handle() const noexcept { return lent_.get(); }

  private:
    std::unique_ptr<steptree_tool> lent_;
};

}  // namespace steptree
