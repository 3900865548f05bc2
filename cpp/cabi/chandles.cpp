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

CTool::CTool(Tool& tool) : lent_(std::make_unique<OfHost>(tool)) {}
CTool::~CTool() = default;

}  // namespace steptree
