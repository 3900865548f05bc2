#include "error.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "path.hpp"

/// The records of errors. Those that the engine makes live in the pool of their tool; one that a
/// StepError refers to may be let go of on any thread, and finds its way back through the inbox.
namespace steptree::detail {

struct Joined {
    std::vector<StepError> list;
};

namespace {

static_assert(sizeof(ErrorData) <= BlockPool::kSizes[BlockPool::kError]);

enum Described : std::uint8_t { kNotYet, kBusy, kDone };

void describeOnce(const ErrorData& error) noexcept {
    try {
        if (error.crumbCount != 0 || error.rooted) error.path = whereOf(error);
        if (!error.info.empty()) {
            error.text = new std::string(error.code + ": " + error.info);
        }
    } catch (...) {
        if (error.rooted) error.path.clear();  // short of memory: it stays empty
    }
}

void describe(const ErrorData& error) noexcept {
    const std::atomic_ref<std::uint8_t> described(error.described);
    if (described.load(std::memory_order_acquire) == kDone) return;
    std::uint8_t seen = kNotYet;
    if (!described.compare_exchange_strong(seen, kBusy, std::memory_order_acquire)) {
        while (seen != kDone) {
            described.wait(seen, std::memory_order_acquire);
            seen = described.load(std::memory_order_acquire);
        }
        return;
    }
    describeOnce(error);
    described.store(kDone, std::memory_order_release);
    described.notify_all();
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
    delete error->also;
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

std::span<const StepError> alsoOf(const ErrorData& error) noexcept {
    if (error.also == nullptr) return {};
    return error.also->list;
}
std::vector<StepError>& keptAlso(ErrorData& error) {
    if (error.also == nullptr) error.also = new Joined;
    return error.also->list;
}
void copyAlso(ErrorData& to, std::span<const StepError> from) {
    if (to.also != nullptr || !from.empty()) keptAlso(to).assign(from.begin(), from.end());
    to.earlier = static_cast<std::uint32_t>(from.size());
}

constexpr ErrorOps kErrorOps{&describe, &escape, &giveBack, &alsoOf};

/// Of an error that comes from another tree.
constexpr ErrorOps kElsewhere{[](const ErrorData&) noexcept {}, [](ErrorData&) noexcept {},
                              [](ErrorData* error) noexcept { delete error; }, &alsoOf};

/// The way to the step, then the one in the other tree.
void leadOn(ErrorData& error, const std::string& inside) {
    if (error.crumbCount != 0) error.path = textOf(error.crumbs, error.crumbCount);
    error.crumbCount = 0;
    if (!error.path.empty()) error.path += '/';
    error.path += inside;
}

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
    data->refs.add();
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

StepError raisedElsewhere(std::string_view code, std::string_view info, std::string path,
                          std::exception_ptr cause) {
    StepError made(code, info, std::move(cause));
    made.data()->path = std::move(path);
    made.data()->ops = &kElsewhere;
    return made;
}

std::string whereOf(const ErrorData& error) {
    if (error.crumbCount != 0) return textOf(error.crumbs, error.crumbCount);
    return error.rooted ? textOf(*error.root, error.path) : error.path;
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
    error->guardSize = thrown.data()->guardSize;
    try {
        if (!thrown.waits().empty()) error->waits = new std::string(thrown.waits());
        copyAlso(*error.get(), thrown.also());
        if (thrown.data()->ops == &kElsewhere) [[unlikely]]
            leadOn(*error.get(), thrown.data()->path);
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

namespace {

/// Whether that is what the program was shown of the error.
bool isShown(const std::exception_ptr& exception, const ErrorData& error) {
    if (exception == error.native) return true;
    try {
        std::rethrow_exception(exception);
    } catch (const StepError& shown) {
        return shown.data().get() == &error;
    } catch (...) {
        return false;
    }
}

/// What was before it is its cause; if it has one already, the first of its also.
void putBefore(ErrorData& error, ErrorData& before, bool asOurs) noexcept {
    if (isPrepared(error) || error.origin == &before) return;
    try {
        if (isAgain(error, before)) {
            copyAlso(error, alsoOf(before));
        } else if (error.cause == nullptr) {
            error.cause =
                asOurs ? std::make_exception_ptr(stepErrorOf(before)) : exceptionOf(before);
        } else if (!isShown(error.cause, before)) {
            std::vector<StepError>& list = keptAlso(error);
            list.insert(list.begin(), stepErrorOf(before));
            ++error.earlier;
        }
    } catch (...) {
        return;  // short of memory: the error itself is what counts
    }
}

}  // namespace

/// An exception that isn't ours can't tell what was beside it.
void replaces(ErrorData& error, ErrorData& replaced) noexcept {
    putBefore(error, replaced, replaced.also != nullptr);
}

/// As one of ours, which knows what was before it.
void follows(ErrorData& error, ErrorData& before) noexcept {
    putBefore(error, before, true);
}

void addAlso(ErrorData& to, ErrorRef error) noexcept {
    if (isPrepared(to) || &to == error.get()) return;
    try {
        std::vector<StepError>& list = keptAlso(to);
        if (list.size() > to.earlier && list.back().data()->order > error->order) to.sorted = false;
        list.emplace_back(std::move(error));
    } catch (...) {
        return;  // short of memory: the first error is what counts
    }
}

void addFailures(ErrorData& to, ErrorData* failures) noexcept {
    try {
        for (ErrorData* at = failures; at != nullptr && !isPrepared(to); at = at->before) {
            keptAlso(to).emplace_back(share(at));
        }
    } catch (...) {
        if (to.also != nullptr) to.also->list.clear();  // that all have failed is what counts
    }
    dropFailures(failures);
    if (to.also == nullptr) return;
    auto& list = to.also->list;
    std::sort(list.begin(), list.end(), isEarlier);
    to.earlier = static_cast<std::uint32_t>(list.size());
}

void dropFailures(ErrorData* failures) noexcept {
    while (failures != nullptr) {
        const ErrorRef error(failures);
        failures = std::exchange(failures->before, nullptr);
    }
}

void sortAlso(ErrorData& error) noexcept {
    if (std::exchange(error.sorted, true)) return;
    auto& list = error.also->list;
    std::sort(list.begin() + error.earlier, list.end(), isEarlier);
}

}  // namespace steptree::detail
