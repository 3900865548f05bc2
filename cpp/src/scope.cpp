#include "steptree/scope.hpp"

#include <atomic>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "cancel.hpp"
#include "end.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "misuse.hpp"
#include "onstack.hpp"
#include "ontool.hpp"
#include "ownedflow.hpp"
#include "steptree/detail/coreref.hpp"
#include "tooltask.hpp"

/// A flow is one of the scope until its end is told: so whoever hears that the scope has ended has
/// heard of all its flows.
namespace steptree {

namespace detail {

/// Tool's thread only, but for `core`, `options` and reading `drains` and `flows`.
struct ScopeState {
    ScopeState(ToolCore& core, std::shared_ptr<const Options> options) noexcept
        : core(core), options(std::move(options)) {}

    CoreRef core;
    const std::shared_ptr<const Options> options;
    List<RunNode> ends;  // of its flows that run
    std::atomic<std::size_t> flows = 0;
    std::size_t met = 0;  // how many flows closing it has met
    std::vector<Promise<std::size_t>> waiting;
    Handle limit;
    std::atomic<bool> drains = false;
    bool closed = false;
    bool left = false;  // its Scope is gone

    void leave() noexcept;
    void endAll(std::string_view reason) noexcept;
    void close(std::string_view reason) noexcept;
    Future<std::size_t> ended(const std::shared_ptr<ScopeState>& self);
};

namespace {

/// One flow's. Its end is told, or it is dropped with the tool.
class Member {
  public:
    explicit Member(std::shared_ptr<ScopeState> scope) noexcept : scope_(std::move(scope)) {
        ++scope_->flows;
    }
    Member(Member&& other) noexcept = default;
    Member& operator=(Member&&) = delete;
    ~Member() { leave(); }

    void operator()(Outcome&) noexcept { leave(); }

  private:
    void leave() noexcept {
        if (const auto scope = std::exchange(scope_, nullptr)) scope->leave();
    }

    std::shared_ptr<ScopeState> scope_;
};

}  // namespace

void ScopeState::leave() noexcept {
    if (--flows > 0 || !drains) return;
    limit.cancel();
    std::vector<Promise<std::size_t>> told;
    told.swap(waiting);
    if (!core->alive()) return;  // a promise that is dropped says so itself
    for (Promise<std::size_t>& each : told) each.success(met);
}

/// What a cancel handler does may end others, or destroy the Scope.
void ScopeState::endAll(std::string_view reason) noexcept {
    List<RunNode> rest;
    rest.append(ends);
    while (RunNode* const end = rest.pop()) {
        ends.push(*end);
        Flow& flow = flowOfEnd(*end);
        const OnStack onStack(flow);
        if (left) {
            abandon(flow);
        } else {
            requestCancel(flow, reason);
        }
    }
}

void ScopeState::close(std::string_view reason) noexcept {
    drains = true;
    limit.cancel();
    if (std::exchange(closed, true)) return;
    met = flows;
    endAll(reason);
}

Future<std::size_t> ScopeState::ended(const std::shared_ptr<ScopeState>& self) {
    Promise<std::size_t> promise;
    promise.settledBy({core.get(), &ToolCore::mayWait});
    Future<std::size_t> future = promise.future();
    if (flows > 0) {
        waiting.push_back(std::move(promise));
    } else if (!core->alive()) {
        promise.success(met);
    } else {
        tellSoon(makeTold(*core, [promise = std::move(promise), self](Outcome&) mutable {
            promise.success(self->met);
        }));
    }
    return future;
}

}  // namespace detail

using detail::ScopeState;

namespace {

/// What it throws on the tool's thread is the caller's.
template <class Act>
void onToolOf(ScopeState& scope, const char* call, Act act) {
    std::exception_ptr thrown;
    detail::onTool(*scope.core, call, [&] {
        try {
            act();
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    if (thrown != nullptr) std::rethrow_exception(thrown);
}

/// In the place of what comes too late.
const detail::Definition& refusing() {
    static const Step<> made = step([](IAsyncSteps& asi) {
        asi.errorNoThrow(errors::Closed, "the scope drains, or is closed");
    });
    return made.definition();
}

}  // namespace

Scope::Scope(Tool& tool, std::shared_ptr<const Options> options) {
    if (options != nullptr) detail::checkFlowOptions(*options);
    state_ = std::make_shared<ScopeState>(tool.core(), std::move(options));
}

Scope::~Scope() {
    const auto leave = [state = state_] {
        state->left = state->closed = true;
        state->drains = true;
        state->limit.cancel();
        state->endAll({});
    };
    if (detail::mustNotWait(core())) {
        detail::later(core(), [leave](bool) { leave(); });
    } else {
        detail::waitFor(core(), leave);
    }
}

detail::ToolCore& Scope::core() const noexcept {
    return *state_->core;
}

void Scope::startIn(const detail::Definition& step, StartOptions options, const char* call) {
    onToolOf(*state_, call, [&] {
        if (!core().alive()) detail::misuse(std::string(call) + ": the tool of the scope is gone");
        const bool drains = state_->drains;
        if (options.options == nullptr) options.options = state_->options;
        detail::OwnedFlow owned = detail::makeOwned(core(), drains ? refusing() : step, options);
        if (drains) return detail::release(owned, options);
        detail::MadeEnd left = detail::makeTold(core(), detail::Member(state_));
        detail::Flow& flow = *owned;
        const detail::OnStack onStack(flow);
        detail::tellWhenClosed(flow, std::move(left), state_->ends);
        detail::release(owned, options);  // who observes that may close the scope, or destroy it
    });
}

bool Scope::draining() const noexcept {
    return state_->drains;
}

std::size_t Scope::size() const noexcept {
    return state_->flows;
}

Future<std::size_t> Scope::close(std::string_view reason) {
    Future<std::size_t> future;
    onToolOf(*state_, "close", [&, state = state_] {
        future = state->ended(state);
        state->close(reason);
    });
    return future;
}

Future<std::size_t> Scope::drainFor(std::int64_t ms, std::string_view reason) {
    if (ms < 0) detail::misuse("drain: expected a time of at least 0 ms");
    Future<std::size_t> future;
    onToolOf(*state_, "drain", [&, state = state_] {
        Handle limit;
        if (!state->closed && state->flows > 0) {
            limit = Handle(detail::ToolTask::start(
                *state->core, ms, [state, reason = std::string(reason)] { state->close(reason); }));
        }
        try {
            future = state->ended(state);
        } catch (...) {
            limit.cancel();
            throw;
        }
        state->drains = true;
        state->limit.cancel();
        state->limit = std::move(limit);
    });
    return future;
}

}  // namespace steptree
