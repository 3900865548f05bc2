#pragma once

#include "steptree/abi.hpp"
#include "steptree/detail/definition.hpp"
#include "steptree/detail/statebase.hpp"
#include "steptree/iflow.hpp"
#include "steptree/promise.hpp"
#include "steptree/startoptions.hpp"

namespace steptree::detail {

class ToolCore;

/// Runs a step in a flow of its own, which goes when it has ended, or with its tool.
STEPTREE_VISIBLE void startOwned(ToolCore& core, const Definition& step, StartOptions options);
STEPTREE_VISIBLE void startOwned(ToolCore& core, const Definition& step);

/// What is done with the promise of a flow, which is one word, when that has ended.
struct RunOps {
    void (*settle)(void* promise, Outcome& outcome);
    void (*destroy)(void* promise) noexcept;
};
template <class T>
struct RunPromise {
    static_assert(sizeof(Promise<T>) == sizeof(void*));

    static Promise<T>& at(void* place) noexcept { return *static_cast<Promise<T>*>(place); }
    static void settle(void* promise, Outcome& outcome) { IFlow::settle(at(promise), outcome); }
    static void destroy(void* promise) noexcept { at(promise).~Promise<T>(); }
    static constexpr RunOps ops{&settle, &destroy};
};

/// The same for run(): gives the place where the promise is to be made at once. Null: this isn't
/// the tool's thread.
STEPTREE_VISIBLE void* runOwned(ToolCore& core, const Definition& step, const RunOps& ops);
/// For the promise of such a flow.
STEPTREE_VISIBLE Settler settlerOf(const ToolCore& core) noexcept;

}  // namespace steptree::detail
