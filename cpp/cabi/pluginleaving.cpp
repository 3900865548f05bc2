#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plugincore.hpp"

/// How plug-ins leave, and go. Their code, and that of who waits for it, runs outside of the lock.
namespace steptree::detail {

Future<void> PluginCore::unload(std::string_view name) {
    cabi::Services::Ended ended;
    const std::lock_guard locked(mutex_);
    checkHere();
    Promise<void> promise;
    Future<void> future = promise.future();
    unloads_.emplace_back(name, std::move(promise));
    if (cabi::Plugin* const plugin = serving(name)) {
        ended = leave(*plugin, PluginPhase::leaves);
    }
    postCheck();
    return future;
}

/// Under the lock, which checkSoon() takes later.
cabi::Services::Ended PluginCore::leave(cabi::Plugin& plugin, PluginPhase phase) {
    plugin.phase = phase;
    plugin.code().leave([weak = weak_from_this()] {
        if (const auto core = weak.lock()) core->checkSoon();
    });
    postCheck();
    return services_->end(plugin.asOfferer());
}

void PluginCore::checkSoon() {
    const std::lock_guard locked(mutex_);
    postCheck();
}

void PluginCore::postCheck() {
    if (tool_ == nullptr) return;
    tool_->immediate([weak = weak_from_this()] {
        if (const auto core = weak.lock()) core->check();
    });
}

/// On the tool's thread, and not inside of any code of a plug-in.
void PluginCore::check() {
    stopUnused();
    unloadUnused();
}

void PluginCore::stopUnused() {
    std::vector<const cabi::Plugin*> unused;
    {
        const std::lock_guard locked(mutex_);
        for (const Owned& plugin : plugins_) {
            if (plugin->phase != PluginPhase::leaves) continue;
            if (plugin->code().held(cabi::HeldAs::step) != 0) continue;
            plugin->phase = PluginPhase::stopped;
            unused.push_back(plugin.get());
        }
    }
    for (const cabi::Plugin* plugin : unused) plugin->stop();
}

void PluginCore::unloadUnused() {
    std::vector<Owned> unused;
    std::vector<Promise<void>> settled;
    {
        const std::lock_guard locked(mutex_);
        const auto isUsed = [](const Owned& plugin) {
            return plugin->phase != PluginPhase::stopped || plugin->code().isHeld();
        };
        const auto from = std::stable_partition(plugins_.begin(), plugins_.end(), isUsed);
        std::move(from, plugins_.end(), std::back_inserter(unused));
        plugins_.erase(from, plugins_.end());
    }
    unused.clear();
    {
        const std::lock_guard locked(mutex_);
        const auto isLoaded = [this](const auto& unload) {
            return std::any_of(plugins_.begin(), plugins_.end(),
                               [&](const Owned& plugin) { return plugin->name() == unload.first; });
        };
        const auto from = std::stable_partition(unloads_.begin(), unloads_.end(), isLoaded);
        for (auto unload = from; unload != unloads_.end(); ++unload) {
            settled.push_back(std::move(unload->second));
        }
        unloads_.erase(from, unloads_.end());
    }
    for (Promise<void>& promise : settled) promise.success();
}

void PluginCore::close() noexcept {
    services_->clear();
    {
        const std::lock_guard locked(mutex_);
        for (const Owned& plugin : plugins_) {
            if (plugin->phase == PluginPhase::serves) plugin->phase = PluginPhase::leaves;
        }
        tool_ = nullptr;
    }
    check();
    std::vector<Owned> held;
    std::vector<std::pair<std::string, Promise<void>>> unsettled;
    const std::lock_guard locked(mutex_);
    held.swap(plugins_);
    unsettled.swap(unloads_);
}

}  // namespace steptree::detail
