#pragma once

#include "steptree/cvalue.hpp"
#include "steptree/snapshot.hpp"

/// Snapshots as values, with the keys of spec/snapshot.schema.json.
namespace steptree::cabi {

Value valueOf(const WaitSnapshot& wait);
Value valueOf(const FlowSnapshot& flow);
Value valueOf(const Snapshot& snapshot);

}  // namespace steptree::cabi
