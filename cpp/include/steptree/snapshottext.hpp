#pragma once

#include <cstddef>
#include <string>

#include "steptree/snapshot.hpp"

namespace steptree {

/// Of the text of a snapshot.
struct SnapshotTextOptions {
    /// Whether it's for a terminal that shows colours.
    bool color = false;
    /// How many lines of text it has at most; 0: any number. What is left out is counted in one
    /// more.
    std::size_t max = 0;
};

/// A snapshot as text: a tree of the lines of each flow, with path, kind and wait of the innermost
/// step; of a tool also its guards, and circles of lines of which each waits for a guard that the
/// next one has. From any thread.
/// Guide: docs/hangs.md#find-it-what-each-waits-for
///
///     std::cerr << snapshotText(tool.snapshot()) << std::endl;
STEPTREE_VISIBLE std::string snapshotText(const Snapshot& shown,
                                          const SnapshotTextOptions& options = {});
/// The same of one flow.
STEPTREE_VISIBLE std::string snapshotText(const FlowSnapshot& shown,
                                          const SnapshotTextOptions& options = {});

}  // namespace steptree
