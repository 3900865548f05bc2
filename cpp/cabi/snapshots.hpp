#pragma once

#include "steptree/cvalue.hpp"
#include "steptree/recorder.hpp"
#include "steptree/snapshot.hpp"

/// Snapshots and recordings as values, with the keys of spec/snapshot.schema.json and
/// spec/recording.schema.json.
namespace steptree::cabi {

Value valueOf(const WaitSnapshot& wait);
Value valueOf(const FlowSnapshot& flow);
Value valueOf(const Snapshot& snapshot);
Value valueOf(const RecordedEvent& event);

}  // namespace steptree::cabi
