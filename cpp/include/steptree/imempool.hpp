#pragma once

#include <cstddef>

#include "steptree/abi.hpp"

namespace steptree {

/// Where the flows of a tool take their memory from, given to the tool when it is made; each block
/// that they need is one call. Without one a tool keeps free blocks of a few sizes, cut from slabs
/// of the heap; with STEPTREE_MEMPOOL=off in the environment each block is an allocation of its
/// own, as tools that look for misused memory want it.
///
/// From the pool come flows with their steps, captures and values. From the heap: captures of more
/// than 512 bytes, values of more than 32, state, errors, timers and immediates of the tool itself,
/// and the first memory of a flow that is made on another thread than its tool's. What completions
/// need belongs to the tool, so that they may be kept longer than any pool.
///
/// Not owned: it has to live until its tools and all their flows are gone. Called on the thread of
/// the tool, or of whoever destroys a flow whose tool has gone: a pool that serves tools of several
/// threads has to lock. Guide: docs/cpp.md#memory
///
///     struct Pool : IMemPool {
///         void* allocate(std::size_t size) override { return std::malloc(size); }
///         void deallocate(void* memory, std::size_t) noexcept override { std::free(memory); }
///     };
class STEPTREE_VISIBLE IMemPool {
  public:
    /// Memory of that size, aligned as `new` and malloc do it, to alignof(std::max_align_t). Throws
    /// std::bad_alloc, or returns null, when it has none: the call that needed it throws
    /// std::bad_alloc to its caller, which in a body or handler becomes an error of its step.
    virtual void* allocate(std::size_t size) = 0;

    /// Of what allocate() gave, with the size that was asked for.
    virtual void deallocate(void* memory, std::size_t size) noexcept = 0;

    /// The tool was asked to give back what it does not need: so is its pool.
    virtual void releaseMemory() noexcept {}

  protected:
    ~IMemPool() = default;
};

}  // namespace steptree
