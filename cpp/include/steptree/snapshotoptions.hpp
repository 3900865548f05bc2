#pragma once

namespace steptree {

/// Of snapshot().
struct SnapshotOptions {
    /// Whether steps say where their bodies, which are lambdas, were written. It's known if the
    /// program that adds them was compiled without NDEBUG, or with STEPTREE_SOURCES=1: the line of
    /// the call that was given the body. Where a lambda is one of several parts, or was added in
    /// several places, g++ knows the function only. Guide: docs/hangs.md#where-it-was-written
    bool locate = false;
};

}  // namespace steptree
