#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "plugincore.hpp"

/// How plug-ins leave, and go. Their code, and that of who waits for it, runs outside of the lock.
namespace steptree::detail {

Future<void> PluginCore::unload(std::string_view name) {
    LeftBy leftBy = checkingSoon();
    Unloads unloading;
    unloading.push_back({std::string(name), {}});
    Future<void> future = unloading.front().gone.future();
    cabi::Services::Ended ended;
    const std::lock_guard locked(mutex_);
    checkHere();
    postCheck();  // which waits for the lock
    unloads_.splice(unloads_.end(), unloading);
    if (cabi::Plugin* const plugin = serving(name)) {
        ended = leave(*plugin, PluginPhase::leaves, std::move(leftBy));
    }
    return future;
}

/// What is called when no step of a plug-in is open, or nothing of it is held.
PluginCore::LeftBy PluginCore::checkingSoon() {
    return [weak = weak_from_this()] {
        const auto core = weak.lock();
        if (core == nullptr) return;
        const std::lock_guard locked(core->mutex_);
        core->tryPost();
    };
}

/// Under the lock, which checkSoon() takes later.
cabi::Services::Ended PluginCore::leave(cabi::Plugin& plugin, PluginPhase phase,
                                        LeftBy leftBy) noexcept {
    plugin.phase = phase;
    plugin.code().leave(std::move(leftBy));
    tryPost();
    return services_->end(plugin.asOfferer());
}

void PluginCore::checkSoon() {
    const std::lock_guard locked(mutex_);
    postCheck();
}

/// Without memory it's left to the next check.
void PluginCore::tryPost() noexcept {
    try {
        postCheck();
    } catch (const std::bad_alloc&) {
    }
}

void PluginCore::postCheck() {
    if (tool_ == nullptr) return;
    tool_->immediate([weak = weak_from_this()] {
        if (const auto core = weak.lock()) core->check();
    });
}

/// On the tool's thread, and not inside of any code of a plug-in.
void PluginCore::check() {
    while (const cabi::Plugin* const unused = nextUnused()) unused->stop();
    unloadUnused();
}

/// One that leaves, and has no open step: it's to be stopped.
cabi::Plugin* PluginCore::nextUnused() noexcept {
    const std::lock_guard locked(mutex_);
    for (const auto& plugin : plugins_) {
        if (plugin->phase != PluginPhase::leaves) continue;
        if (plugin->code().held(cabi::HeldAs::step) != 0) continue;
        plugin->phase = PluginPhase::stopped;
        return plugin.get();
    }
    return nullptr;
}

namespace {

/// Moves those that are so from one list to the end of another.
template <class List, class Is>
void moveIf(List& from, List& to, Is is) {
    for (auto at = from.begin(); at != from.end();) {
        const auto next = std::next(at);
        if (is(*at)) to.splice(to.end(), from, at);
        at = next;
    }
}

}  // namespace

void PluginCore::unloadUnused() {
    Plugins unused;
    Unloads settled;
    {
        const std::lock_guard locked(mutex_);
        moveIf(plugins_, unused, [](const auto& plugin) {
            return plugin->phase == PluginPhase::stopped && !plugin->code().isHeld();
        });
    }
    unused.clear();
    {
        const std::lock_guard locked(mutex_);
        moveIf(unloads_, settled, [this](const Unloading& of) {
            return std::none_of(plugins_.begin(), plugins_.end(),
                                [&](const auto& plugin) { return plugin->name() == of.name; });
        });
    }
    for (Unloading& unload : settled) unload.gone.success();
}

void PluginCore::close() noexcept {
    services_->clear();
    {
        const std::lock_guard locked(mutex_);
        for (const auto& plugin : plugins_) {
            if (plugin->phase == PluginPhase::serves) plugin->phase = PluginPhase::leaves;
        }
        tool_ = nullptr;
    }
    check();
    Plugins held;
    Unloads unsettled;
    const std::lock_guard locked(mutex_);
    held.swap(plugins_);
    unsettled.swap(unloads_);
}

}  // namespace steptree::detail
