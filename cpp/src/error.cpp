#include "error.hpp"

#include <algorithm>
#include <new>

#include "path.hpp"

/// The records of errors. Those that the engine makes live in the pool of their tool; one that a
/// StepError refers to may be let go of on any thread, and finds its way back through the inbox.
namespace steptree::detail {

namespace {

static_assert(sizeof(ErrorData) <= BlockPool::kSizes[BlockPool::kError]);

enum Described : std::uint8_t { kNotYet, kBusy, kDone };

void describeOnce(const ErrorData& error) noexcept {
    try {
        if (error.crumbCount != 0) error.path = textOf(error.crumbs, error.crumbCount);
        if (error.rooted) error.path = textOf(*error.root, error.path);
        if (!error.info.empty()) {
            error.text = std::make_unique<std::string>(error.code + ": " + error.info);
        }
    } catch (...) {
        if (error.rooted) error.path.clear();  // short of memory: it stays empty
    }
}

void describe(const ErrorData& error) noexcept {
    if (error.described.load(std::memory_order_acquire) == kDone) return;
    std::uint8_t seen = kNotYet;
    if (!error.described.compare_exchange_strong(seen, kBusy, std::memory_order_acquire)) {
        while (seen != kDone) {
            error.described.wait(seen, std::memory_order_acquire);
            seen = error.described.load(std::memory_order_acquire);
        }
        return;
    }
    describeOnce(error);
    error.described.store(kDone, std::memory_order_release);
    error.described.notify_all();
}

void escape(ErrorData& error) noexcept {
    if (error.home == nullptr || error.escaped) return;
    error.escaped = true;
    error.home->retain();
}

/// What was a record, on its way back. A tool that has gone frees its pool as a whole.
void returned(ToolCore& core, RemoteNode* node, bool alive) noexcept {
    if (alive) core.blocks.give(node, BlockPool::kError);
}

void giveBack(ErrorData* error) noexcept {
    ToolCore* const core = error->home;
    const bool escaped = error->escaped;
    if (error->rooted) release(error->root);
    error->~ErrorData();
    if (core == nullptr) {
        ::operator delete(error);
    } else if (!escaped) {
        core->blocks.give(error, BlockPool::kError);
    } else {
        if (core->onOwnThread()) {
            core->blocks.give(error, BlockPool::kError);
        } else {
            auto* node = ::new (static_cast<void*>(error)) RemoteNode;
            node->deliver = &returned;
            core->postRemote(*node);
        }
        core->release();
    }
}

constexpr ErrorOps kErrorOps{&describe, &escape, &giveBack};

bool isEarlier(const StepError& one, const StepError& other) noexcept {
    return one.data()->order < other.data()->order;
}

void* placeOfRecord(Flow& flow, ToolCore*& home) {
    ToolCore& core = *flow.tool;
    const bool pooled =
        !core.blocks.isReplaced() && ((flow.bits & kForeign) == 0 || core.onOwnThread());
    home = pooled ? &core : nullptr;
    return pooled ? core.blocks.take(BlockPool::kError) : ::operator new(sizeof(ErrorData));
}

}  // namespace

ErrorRef share(ErrorData* data) noexcept {
    data->refs.fetch_add(1, std::memory_order_relaxed);
    return ErrorRef(data);
}

ErrorRef raisedBy(Step& at, std::string_view code, std::string_view info) noexcept {
    Flow& flow = *at.line->flow;
    try {
        ToolCore* home;
        void* const place = placeOfRecord(flow, home);
        ErrorRef error(::new (place) ErrorData);
        error->ops = &kErrorOps;
        error->home = home;
        error->order = ++flow.share().order;
        error->code = code;
        if (!info.empty()) error->info = info;
        error->crumbCount = leaveCrumbs(at, error->crumbs);
        if (error->crumbCount == 0) [[unlikely]]
            error->rooted = (error->root = leaveText(at, error->path)) != nullptr;
        return error;
    } catch (...) {
        return share(flow.share().outOfMemory);
    }
}

void giveCause(ErrorData& error, std::exception_ptr cause) noexcept {
    if (cause != nullptr && !isPrepared(error)) error.cause = std::move(cause);
}

ErrorRef raisedBy(Step& at, const StepError& thrown) noexcept {
    ErrorRef error = raisedBy(at, thrown.code(), thrown.info());
    if (isPrepared(*error.get())) return error;
    error->cause = thrown.cause();
    error->origin = thrown.data().get();
    error->retryAfter = thrown.retryAfter();
    try {
        error->also = thrown.also();
        error->earlier = static_cast<std::uint32_t>(error->also.size());
    } catch (...) {
        return share(at.line->share().outOfMemory);
    }
    return error;
}

StepError stepErrorOf(ErrorData& error) noexcept {
    sortAlso(error);
    return StepError(share(&error));
}

std::exception_ptr exceptionOf(ErrorData& error) noexcept {
    if (error.native != nullptr) return error.native;
    try {
        return std::make_exception_ptr(stepErrorOf(error));
    } catch (...) {
        return std::current_exception();  // short of memory
    }
}

void replaces(ErrorData& error, ErrorData& replaced) noexcept {
    if (isPrepared(error) || error.origin == &replaced) return;
    const bool again = error.native != nullptr && error.native == replaced.native;
    try {
        if (again) {
            error.also = replaced.also;
            error.earlier = static_cast<std::uint32_t>(error.also.size());
        } else if (error.cause == nullptr) {
            error.cause = exceptionOf(replaced);
        }
    } catch (...) {
        return;  // short of memory: the error itself is what counts
    }
}

/// As one of ours, which knows what was before it.
void follows(ErrorData& error, ErrorData& before) noexcept {
    if (isAgain(error, before)) return replaces(error, before);
    if (isPrepared(error)) return;
    try {
        if (error.cause == nullptr) {
            error.cause = std::make_exception_ptr(stepErrorOf(before));
        } else {
            error.also.insert(error.also.begin(), stepErrorOf(before));
            ++error.earlier;
        }
    } catch (...) {
        return;  // short of memory: the error itself is what counts
    }
}

void addAlso(ErrorData& to, ErrorRef error) noexcept {
    if (isPrepared(to) || &to == error.get()) return;
    try {
        auto& list = to.also;
        if (list.size() > to.earlier && list.back().data()->order > error->order) to.sorted = false;
        list.emplace_back(std::move(error));
    } catch (...) {
        return;  // short of memory: the first error is what counts
    }
}

void addFailures(ErrorData& to, ErrorData* failures) noexcept {
    try {
        for (ErrorData* at = failures; at != nullptr && !isPrepared(to); at = at->before) {
            to.also.emplace_back(share(at));
        }
    } catch (...) {
        to.also.clear();  // short of memory: that all have failed is what counts
    }
    dropFailures(failures);
    std::sort(to.also.begin(), to.also.end(), isEarlier);
    to.earlier = static_cast<std::uint32_t>(to.also.size());
}

void dropFailures(ErrorData* failures) noexcept {
    while (failures != nullptr) {
        const ErrorRef error(failures);
        failures = std::exchange(failures->before, nullptr);
    }
}

void sortAlso(ErrorData& error) noexcept {
    if (std::exchange(error.sorted, true)) return;
    std::sort(error.also.begin() + error.earlier, error.also.end(), isEarlier);
}

}  // namespace steptree::detail
