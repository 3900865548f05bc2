#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugin.hpp"

namespace steptree::detail {

/// All that a host has loaded. A plug-in goes through its phases one after the other: it serves;
/// it leaves, until no step of it is open; it's stopped, until nothing of it is held; it goes.
class PluginCore : public std::enable_shared_from_this<PluginCore> {
  public:
    /// A call of a handler, which holds its plug-in.
    struct Call {
        cabi::Hold<cabi::HeldAs::step> hold;
        steptree_body body;
        void* data;
    };

    PluginCore(Tool& tool, PluginHostOptions options);
    PluginCore(const PluginCore&) = delete;
    PluginCore& operator=(const PluginCore&) = delete;
    ~PluginCore();

    /// `told` is called before anything has changed, and may throw.
    PluginInfo load(const std::string& path,
                    const std::function<void(const PluginInfo&)>& told = nullptr);
    /// Throws what is an error of the step.
    Call call(const std::string& plugin, const std::string& handler, std::size_t values) const;
    cabi::AnyStep step(std::string_view plugin, std::string_view handler);
    Future<void> unload(std::string_view name);
    std::vector<PluginInfo> list() const;
    const std::shared_ptr<cabi::Services>& services() const noexcept { return services_; }
    /// The host goes.
    void close() noexcept;

  private:
    struct Unloading {
        std::string name;
        Promise<void> gone;
    };
    // Lists, as what goes from one to another needs no memory.
    using Plugins = std::list<std::unique_ptr<cabi::Plugin>>;
    using Unloads = std::list<Unloading>;
    using LeftBy = std::function<void()>;

    bool keepsCopies() const noexcept { return !options_.directory.empty(); }
    cabi::CopyPlace placeFor(const std::string& path, std::uint64_t generation);
    void serve(Plugins& loaded, LeftBy oldLeftBy);
    void refuse(Plugins& loaded, bool isStarted, LeftBy leftBy) noexcept;
    cabi::Plugin* serving(std::string_view name) const noexcept;
    LeftBy checkingSoon();
    cabi::Services::Ended leave(cabi::Plugin& plugin, PluginPhase phase, LeftBy leftBy) noexcept;
    void checkHere() const;
    void checkSoon();
    void tryPost() noexcept;
    void postCheck();
    void check();
    cabi::Plugin* nextUnused() noexcept;
    void unloadUnused();

    mutable std::mutex mutex_;
    Tool* tool_;  // null: the host has gone
    PluginHostOptions options_;
    std::string directory_;  // of all copies, if they are kept; empty: not made yet
    std::uint64_t loaded_ = 0;
    const std::shared_ptr<cabi::Services> services_ = std::make_shared<cabi::Services>();
    Plugins plugins_;
    Unloads unloads_;
};

}  // namespace steptree::detail
