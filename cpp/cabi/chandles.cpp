#include "steptree/chandles.hpp"

#include "tools.hpp"

namespace steptree {

namespace {

class OfHost final : public steptree_tool {
  public:
    explicit OfHost(Tool& of) noexcept : of_(of) {}
    Tool& tool() noexcept override { return of_; }

  private:
    Tool& of_;
};

}  // namespace

namespace cabi {

namespace {

class SameTool : public Tool {
  public:
    explicit SameTool(detail::ToolCore& core) noexcept : Tool(&core) {}
};

/// Its tool is never destroyed: that would end the one whose core it has.
class OfCore final : public steptree_tool {
  public:
    explicit OfCore(detail::ToolCore& core) noexcept : tool_(core) {}
    ~OfCore() override {}
    Tool& tool() noexcept override { return tool_; }

  private:
    union {
        SameTool tool_;
    };
};

}  // namespace

std::unique_ptr<steptree_tool> lentTool(detail::ToolCore& core) {
    return std::make_unique<OfCore>(core);
}

}  // namespace cabi

CTool::CTool(Tool& tool) : lent_(std::make_unique<OfHost>(tool)) {}
CTool::~CTool() = default;

}  // namespace steptree
