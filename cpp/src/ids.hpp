#pragma once

#include <cstdint>

/// Numbers of what snapshots have shown once. GuardLook has those of guards.
namespace steptree::detail {

struct Flow;

/// Throws bad_alloc.
std::uint64_t idOf(Flow& flow);
/// Of a run that ends: nobody asks it later.
std::uint64_t idAtEnd(const Flow& flow) noexcept;

}  // namespace steptree::detail
