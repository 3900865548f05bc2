#pragma once

#include <memory>
#include <string_view>

#include "steptree/iflow.hpp"
#include "steptree/options.hpp"
#include "steptree/tool.hpp"

namespace conformance {

/// Makes the flows of the cases: of the kind that this run is about.
using MakeFlow = std::unique_ptr<steptree::IFlow> (*)(steptree::Tool&, steptree::Options);

/// "async" or "nitro"; null: there is no such kind.
MakeFlow flowsOfKind(std::string_view kind) noexcept;

}  // namespace conformance
