#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/future.hpp"
#include "steptree/steps.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
class PluginCore;
}

/// What a plug-in can do.
struct PluginHandler {
    std::string name;
    std::string description;
    std::uint32_t least = 0;  // so many values it takes,
    std::uint32_t most = 0;   // at most
};

/// Where a plug-in that is loaded stands.
enum class PluginPhase {
    serves,   // takes calls
    leaves,   // takes none; steps of it are still open
    stopped,  // none is, and it has been told so; what is left keeps it from being unloaded
};

/// A plug-in that is loaded, and what still is of it.
struct PluginInfo {
    std::string name;
    std::string version;
    std::string path;
    std::uint64_t generation = 0;  // counts what the host has loaded, from 1 on
    PluginPhase phase = PluginPhase::serves;
    std::vector<PluginHandler> handlers;
    std::size_t steps = 0;        // calls that are open; snapshots say where: `greeter.greet`
    std::size_t functions = 0;    // bodies, handlers and callbacks that it has given
    std::size_t values = 0;       // opaque values of its kinds
    std::size_t completions = 0;  // that it keeps
};

/// How plug-ins are loaded. None is needed.
struct PluginHostOptions {
    /// Files are copied before they are loaded, so that new ones may be written over them: into a
    /// directory of its own in this one, where debuggers and profilers find them until they are
    /// unloaded. Empty: into that for temporary files, where they are removed once they are loaded.
    std::string directory{};
};

/// Loads plug-ins, shared objects that see `steptree/steptree.h` alone, in C or any other language,
/// and runs what they can as steps. One that is loaded again, by its name, replaces the old one:
/// calls that begin from now on take the new one, those that have begun end with the old one. A
/// plug-in is unloaded when nothing is left of it, from the tool. All calls may be made on any
/// thread, and flows of any tools may run its steps. Services that it offers are what plug-ins may
/// call. Link `steptree::c`. Where shared objects are of ELF: Linux, not macOS, not Windows.
/// Guide: docs/plug-in.md#a-host-for-plug-ins
///
///     PluginHost plugins(tool);
///     plugins.load("./greeter.so");
///     Future<Results> hello = run(tool, plugins.step("greeter", "greet").with(id));
class STEPTREE_VISIBLE PluginHost {
  public:
    /// Codes of its errors: of load(); of steps for want of a plug-in, a handler or a service.
    static constexpr const char* kRefused = "PluginRefused";
    static constexpr const char* kNoPlugin = "NoPlugin";
    static constexpr const char* kNoHandler = "NoHandler";
    static constexpr const char* kNoService = "NoService";

    /// What it does later it does from that tool, which has to outlive it.
    explicit PluginHost(Tool& tool, PluginHostOptions options = {});
    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;
    /// Unloads what nothing is left of. The rest stays in the process for ever: close its flows
    /// before. On the tool's thread, or when that doesn't run any more.
    ~PluginHost();

    /// Loads a plug-in, and starts it in the call. What is none, is built for another interface,
    /// says nothing sensible of itself or doesn't want to: throws a StepError PluginRefused, whose
    /// info has the path and the reason; nothing has changed then.
    ///
    ///     const PluginInfo loaded = plugins.load("./greeter.so");
    PluginInfo load(const std::string& path);

    /// A handler of a plug-in as a step value, which gives it the values before it, and leaves its
    /// own. It's looked up when it runs: NoPlugin, NoHandler, or InternalError for a number of
    /// values that it doesn't take, are errors of the step. Its name is `plugin.handler`.
    ///
    ///     asi.add(plugins.step("greeter", "greet").timeout(500ms));
    Step<AnyValues, AnyValues> step(std::string_view plugin, std::string_view handler) const;
    /// The same of one that leaves values of these types. The plug-in may leave others: who takes
    /// them fails with InternalError, which names both types. Those of C are `bool`,
    /// `std::int64_t`, `double`, `std::string`, and `Value` for all else. Guide:
    /// docs/plug-in.md#a-host-for-plug-ins
    ///
    ///     const auto greet = plugins.step<std::string>("greeter", "greet");
    ///     Future<std::string> hello = run(tool, greet.with(name));
    template <class T, class... More>
    Step<AnyValues, Values<T, More...>> step(std::string_view plugin,
                                             std::string_view handler) const {
        return Step<AnyValues, Values<T, More...>>(detail::StepValue(step(plugin, handler)));
    }

    /// From now on it takes no calls: NoPlugin. Settles from the tool when nothing of that name is
    /// loaded any more; with Canceled if the host goes before. It may be loaded again.
    ///
    ///     plugins.unload("greeter").onSettled([](auto&) { log("gone"); });
    Future<void> unload(std::string_view plugin);

    /// Plug-ins may call the step by that name, which isn't empty. It gets the values before the
    /// call, and leaves its own; it's a step of the caller's flow, with all deadlines and cancels
    /// around it. May be a handler of a plug-in. In the place of what was offered by that name, for
    /// calls that begin from now on; what has begun goes on. It lives until it's withdrawn, or the
    /// host goes, and its last call has ended. Guide: docs/plug-in.md#services-of-the-host
    ///
    ///     plugins.offer("echo", step([](IAsyncSteps&, std::string said) { return said; }));
    ///     plugins.offer("greet", plugins.step("greeter", "greet"));
    void offer(std::string_view name, Step<AnyValues, AnyValues> service);

    /// From now on no call of that service begins: NoService. What isn't offered: nothing.
    ///
    ///     plugins.withdraw("users.find");
    void withdraw(std::string_view name);

    /// All that is loaded, the oldest first, also what is to be unloaded.
    ///
    ///     for (const PluginInfo& plugin : plugins.list()) log(plugin.name, plugin.version);
    std::vector<PluginInfo> list() const;

  private:
    std::shared_ptr<detail::PluginCore> core_;
};

}  // namespace steptree
