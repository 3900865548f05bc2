#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "flows.hpp"
#include "memory.hpp"
#include "promise.hpp"
#include "steptree/channel.hpp"
#include "steptree/detail/keyguard.hpp"
#include "steptree/gate.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/isync.hpp"
#include "steptree/lease.hpp"
#include "steptree/local.hpp"
#include "steptree/mutex.hpp"
#include "steptree/observe.hpp"
#include "steptree/recorder.hpp"
#include "steptree/retry.hpp"
#include "steptree/scope.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/stallwatch.hpp"
#include "steptree/virtualtool.hpp"
#include "value.hpp"

namespace conformance {

/// A part of a program; null if it is left out. Programs outlive all that refers to them.
inline const Json& part(const Json& of, const std::string& key) {
    static const Json none;
    const auto found = of.find(key);
    return found == of.end() ? none : *found;
}

inline bool isText(const Json& json, const char* text) {
    return json.is_string() && json.get_ref<const std::string&>() == text;
}

/// Text that may be left out.
inline std::string textOf(const Json& of, const char* key) {
    const Json& text = part(of, key);
    return text.is_string() ? text.get<std::string>() : "";
}

/// A case that can't be run.
struct Fault : std::runtime_error {
    using runtime_error::runtime_error;
};

/// Whose actions they are; outside of bodies there is no accessor.
struct Context {
    steptree::IAsyncSteps* asi = nullptr;
    std::string id;
    bool outside = false;       // the accessor's step is not the one whose code runs
    bool prolonged = false;     // its body returns a promise
    bool gone = false;          // the accessor is no more
    std::string outcome = "-";  // what a deferred function or unlock() is told
};

/// One run of a flow: its end is told once, or never if the flow was never to run or has gone.
struct Execution {
    std::string flow;
    int told = 0;
    bool refused = false;
    bool gone = false;
};

/// A signal of a step, or one that a case aborts by name.
struct Signal {
    std::stop_source source{std::nostopstate};
    std::stop_token token{};
};
using Listener = std::stop_callback<std::function<void()>>;

/// One of the library, or the case's own.
using AnyGuard = std::variant<std::shared_ptr<steptree::Guard>, std::shared_ptr<steptree::ISync>,
                              std::shared_ptr<steptree::KeyedGuard>>;

struct Made;

/// All that one case has: its tool, flows, promises and kept things by name, and the trace.
class World {
  public:
    World(MakeFlow makeFlow, const Json& program);
    /// Cancel handlers of what still waits do nothing any more.
    ~World() { over_ = true; }

    /// Adds a line of these parts to the trace.
    template <class... Part>
    void log(const Part&... parts) {
        const Quiet quiet;
        std::string line;
        static_cast<void>((line.append(parts), ...));
        write(std::move(line));
    }
    bool ended() const { return over_ || trace.size() > kLongestTrace; }

    /// The case does nothing more, and its flows are cancelled.
    void stop();
    steptree::IFlow& makeFlow(const std::string& name, const Json& options);
    steptree::Options optionsOf(const std::string& name, const Json& options);
    /// A new instance has its maker's hooks.
    void adopt(const std::string& name, std::unique_ptr<steptree::IFlow> flow);
    steptree::IFlow& flow(const std::string& name);
    steptree::Channel<Value>& channel(const std::string& name) { return *found(channels, name); }
    /// The signal of that name: a step's, or one from outside, made when it is first mentioned.
    Signal& signal(const std::string& name);
    /// The scope of that name, made when it is first mentioned.
    steptree::Scope& scope(const std::string& name);
    /// One with options, before it is mentioned elsewhere.
    void makeScope(const std::string& name, const Json& options);
    /// The local of that name.
    const steptree::Local<Value>& local(const std::string& name) {
        const Quiet quiet;
        return locals_.try_emplace(name, "").first->second;
    }
    /// The flow that was started last has a signal by which the case ends it, and no other one.
    void endsItself();
    /// Whether a signal that the case knows ends it.
    bool listens(const steptree::FlowSnapshot& flow) const {
        if (!flow.signal || endedHere_.contains(flow.id)) return false;
        const bool isUncounted =
            endedHere_.size() == kMostStarted && flow.id > *endedHere_.rbegin();
        return !isUncounted;
    }
    /// Throws Fault unless each run has been told its end once, or still runs.
    void checkRuns();
    /// The promise of that name, made when it is first mentioned.
    NamedPromise promise(const std::string& name);
    /// Whether steps await it as a NamedOperation.
    bool isOperation(const std::string& name) const { return operations_.contains(name); }

    template <class T>
    static T& found(std::map<std::string, T>& things, const std::string& name) {
        const auto thing = things.find(name);
        if (thing == things.end()) throw Fault("nothing is called '" + name + "'");
        return thing->second;
    }

    // These outlive the tool: what that drops may still log, and is told an end.
    std::vector<std::string> trace;
    std::deque<Execution> runs;  // whose end somebody wants to know
    steptree::VirtualTool tool;
    std::map<std::string, Context> contexts;
    std::map<std::string, steptree::Completion> completions;
    std::map<std::string, steptree::Handle> handles;
    std::map<std::string, AnyGuard> guards;
    std::map<std::string, std::vector<steptree::Lease>> leases;  // by guard, newest last
    std::map<std::string, std::shared_ptr<steptree::Mutex>> mutexes;
    std::map<std::string, std::shared_ptr<steptree::Gate>> gates;
    /// wait(asi) of a gate or a barrier.
    std::map<std::string, std::function<void(steptree::IAsyncSteps&)>> waitings;
    /// Of a Keyed: the guard of a key.
    std::map<std::string, std::function<AnyGuard(const std::string& key)>> keyed;
    /// What a guard says of itself, and that of a key.
    std::map<std::string, std::function<std::string()>> sayings;
    std::map<std::string, std::function<std::string(const std::string& key)>> keySayings;
    /// Step values are being made, before anything runs.
    bool defining = false;
    std::map<std::string, std::shared_ptr<steptree::Channel<Value>>> channels;
    std::map<std::string, std::shared_ptr<steptree::RetryBudget>> budgets;
    std::map<std::string, Signal> signals;
    std::stop_source ending;  // of flows that are the tool's alone
    std::vector<std::unique_ptr<Listener>> listeners;
    steptree::Observation watching;  // of the tool
    std::map<std::string, steptree::FlightRecorder> recorders;
    std::optional<steptree::StallWatch> stalls;
    steptree::IAsyncSteps* current = nullptr;  // whose code runs
    std::string fault;                         // what kept the case from being run
    std::vector<std::string> names;            // of flows, in order
    Made* made = nullptr;                      // null: all is made when it runs

  private:
    static constexpr std::size_t kLongestTrace = 10'000;

    void write(std::string line);
    void add(std::string line);

    MakeFlow makeFlow_;
    bool looks_;  // it takes snapshots
    /// A program that starts more than that starts flows for ever, and gives those no signals.
    static constexpr std::size_t kMostStarted = 500;
    std::set<std::uint64_t> endedHere_;
    std::map<std::string, NamedPromise> promises_;
    std::map<std::string, steptree::Scope> scopes_;
    std::map<std::string, steptree::Local<Value>> locals_;
    std::set<std::string> cancellable_;
    std::set<std::string> operations_;
    std::int64_t time_ = 0;
    bool over_ = false;
    std::map<std::string, std::unique_ptr<steptree::IFlow>> flows_;
};

}  // namespace conformance
