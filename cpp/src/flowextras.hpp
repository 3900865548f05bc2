#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "steptree/options.hpp"
#include "steptree/state.hpp"
#include "tree.hpp"

namespace steptree::detail {

struct Remains;

/// The values of a flow's state, and the views of the error that passes through it.
class StateImpl final : public State {
  public:
    explicit StateImpl(Flow& flow) noexcept : flow_(flow) {}
    StateImpl(const StateImpl&) = delete;
    StateImpl& operator=(const StateImpl&) = delete;
    ~StateImpl();

    bool has(std::string_view key) const noexcept override;
    void erase(std::string_view key) override;
    void clear() override;
    const std::string& errorInfo() const noexcept override;
    std::exception_ptr lastException() const override;
    const std::string& asyncStack() const noexcept override;
    const StepError* lastError() const override;

  private:
    struct Entry {
        const TypeDesc* type;
        void* value;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    void* lookup(std::string_view key, const TypeDesc** type) noexcept override;
    void* insert(std::string_view key, const TypeDesc& type, void* from) override;
    void erase(Entries::iterator entry) noexcept;
    static void drop(const Entry& entry) noexcept;
    ErrorData* error() const noexcept;

    Flow& flow_;
    Entries entries_;
    mutable std::optional<StepError> last_;
};

/// Called when the signal of a flow that runs is stopped, on whatever thread.
struct StopCallback {
    Flow* flow;
    const bool* hears;
    Canceller canceller;

    void operator()() const noexcept;
};

/// What few flows use.
struct FlowExtras {
    explicit FlowExtras(Flow& flow) noexcept : state(flow) {}

    std::shared_ptr<const Options> options;
    StateImpl state;
    std::string reason;          // of the cancel that is latched
    End* ends = nullptr;         // see endsOf()
    Slot* cancelSlot = nullptr;  // of the cancellers of this run or the next one; with kCanceller
    std::optional<std::stop_callback<StopCallback>> stopCallback;  // with kCanceller
    Remains* remains = nullptr;  // what was abandoned, see outliving.hpp
    std::uint64_t number = 0;    // in snapshots; 0: it was in none yet
    bool hears = false;  // it is registered: a stop on the tool's thread can't be one of another
};

FlowExtras& flowExtrasOf(Flow& flow);

// ---- signal.cpp
/// Takes what cancelOnStop() needs, for a flow that is idle. Tool's thread.
void prepareSignal(Flow& flow);
/// A flow that has started ends with the signal. Tool's thread.
void cancelOnStop(Flow& flow, std::stop_token signal) noexcept;

/// InternalError if one of them can't be.
void checkFlowOptions(const Options& options);

/// How this run of the flow ends, and earlier ones that are not told yet.
inline End* endsOf(const Flow& flow) noexcept {
    if (flow.rare == 0) return nullptr;
    const std::uintptr_t rest = flow.rest();
    if ((rest & Flow::kEnds) != 0) return reinterpret_cast<End*>(rest - Flow::kEnds);
    if (const FixedParts* fixed = flow.fixed()) return fixed->ends;
    return rest != 0 ? flow.flowExtras()->ends : nullptr;
}
inline void setEnds(Flow& flow, End* ends) noexcept {
    if (FixedParts* fixed = flow.fixed()) {
        fixed->ends = ends;
    } else if (FlowExtras* extras = flow.flowExtras()) {
        extras->ends = ends;
    } else {
        flow.setRest(ends != nullptr ? reinterpret_cast<std::uintptr_t>(ends) + Flow::kEnds : 0);
    }
}

}  // namespace steptree::detail
