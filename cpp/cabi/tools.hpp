#pragma once

#include <memory>

#include "steptree/steptree.h"
#include "steptree/tool.hpp"

namespace steptree {
class AsyncTool;
class VirtualTool;
}  // namespace steptree

/// A tool as C has it: one that it has made, or one that is lent.
struct steptree_tool {
    steptree_tool() = default;
    steptree_tool(const steptree_tool&) = delete;
    steptree_tool& operator=(const steptree_tool&) = delete;
    virtual ~steptree_tool() = default;

    virtual steptree::Tool& tool() noexcept = 0;
    virtual steptree::VirtualTool* virtualTool() noexcept { return nullptr; }
    virtual steptree::AsyncTool* asyncTool() noexcept { return nullptr; }
};

namespace steptree::cabi {

/// The tool of flows that have it only as the engine does. It isn't this one's to end.
std::unique_ptr<steptree_tool> lentTool(detail::ToolCore& core);

}  // namespace steptree::cabi
