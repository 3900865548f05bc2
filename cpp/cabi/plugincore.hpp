#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
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

    PluginInfo load(const std::string& path);
    /// Throws what is an error of the step.
    Call call(const std::string& plugin, const std::string& handler, std::size_t values) const;
    cabi::AnyStep step(std::string_view plugin, std::string_view handler);
    Future<void> unload(std::string_view name);
    std::vector<PluginInfo> list() const;
    const std::shared_ptr<cabi::Services>& services() const noexcept { return services_; }
    /// The host goes.
    void close() noexcept;

  private:
    using Owned = std::unique_ptr<cabi::Plugin>;

    bool keepsCopies() const noexcept { return !options_.directory.empty(); }
    std::string copyOf(const std::string& path, std::uint64_t generation);
    cabi::Plugin* serving(std::string_view name) const noexcept;
    cabi::Services::Ended leave(cabi::Plugin& plugin, PluginPhase phase);
    void checkHere() const;
    void checkSoon();
    void postCheck();
    void check();
    void stopUnused();
    void unloadUnused();

    mutable std::mutex mutex_;
    Tool* tool_;  // null: the host has gone
    PluginHostOptions options_;
    std::string directory_;  // of the copy; of all if they are kept; empty: not made yet
    std::uint64_t loaded_ = 0;
    const std::shared_ptr<cabi::Services> services_ = std::make_shared<cabi::Services>();
    std::vector<Owned> plugins_;
    std::vector<std::pair<std::string, Promise<void>>> unloads_;
};

}  // namespace steptree::detail
