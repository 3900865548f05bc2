#include "plugincore.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "errors.hpp"
#include "functions.hpp"
#include "pluginapi.hpp"

namespace steptree::detail {

PluginCore::PluginCore(Tool& tool, PluginHostOptions options)
    : tool_(&tool), options_(std::move(options)) {}

PluginCore::~PluginCore() {
    if (!directory_.empty()) ::rmdir(directory_.c_str());
}

namespace {

/// Has room for so much more. Made by mkdtemp().
std::string directoryIn(const std::filesystem::path& around, const std::string& path,
                        std::size_t more) {
    std::string made = (around / "steptree-XXXXXX").string();
    made.reserve(made.size() + more);
    if (mkdtemp(made.data()) != nullptr) return made;
    throw StepError(PluginHost::kRefused, path + ": no directory can be made in " +
                                              around.string() + ": " +
                                              std::generic_category().message(errno));
}

}  // namespace

/// Nothing fails once a directory is made: nobody would remove it.
cabi::CopyPlace PluginCore::placeFor(const std::string& path, std::uint64_t generation) {
    const std::string file =
        "/" + std::to_string(generation) + "-" + std::filesystem::path(path).filename().string();
    if (!keepsCopies()) {
        const std::filesystem::path around = std::filesystem::temp_directory_path();
        std::string place = directoryIn(around, path, file.size());
        place += file;
        return {std::move(place), true};
    }
    if (directory_.empty()) directory_ = directoryIn(options_.directory, path, 0);
    return {directory_ + file, false};
}

PluginInfo PluginCore::load(const std::string& path,
                            const std::function<void(const PluginInfo&)>& told) {
    cabi::CopyPlace place;
    std::uint64_t generation = 0;
    {
        const std::lock_guard locked(mutex_);
        checkHere();
        generation = ++loaded_;
        place = placeFor(path, generation);
    }
    Plugins loaded;
    loaded.push_back(std::make_unique<cabi::Plugin>(path, std::move(place), generation));
    cabi::Plugin& plugin = *loaded.front();
    const cabi::Offerer offerer = plugin.asOfferer();
    auto handle = std::make_unique<steptree_plugin_host>(
        steptree_plugin_host{weak_from_this(), services_, offerer});
    LeftBy leftBy = checkingSoon();
    LeftBy oldLeftBy = checkingSoon();
    PluginInfo info = plugin.info();
    checkSoon();  // when this has returned: there may be no memory to ask for it then
    services_->prepare(offerer);
    bool isStarted = false;
    try {
        plugin.start(std::move(handle));
        isStarted = true;
        plugin.count(info);
        if (told) told(info);
        serve(loaded, std::move(oldLeftBy));
    } catch (...) {
        refuse(loaded, isStarted, std::move(leftBy));
        throw;
    }
    return info;
}

/// From now on, in the place of one of its name. Throws before anything has changed: also if the
/// host has gone while the plug-in was started.
void PluginCore::serve(Plugins& loaded, LeftBy oldLeftBy) {
    cabi::Services::Ended replaced;  // these go when nothing is locked
    cabi::Services::Ended ended;
    const std::lock_guard locked(mutex_);
    checkHere();
    const cabi::Plugin& plugin = *loaded.front();
    cabi::Plugin* const old = serving(plugin.name());
    plugins_.splice(plugins_.end(), loaded);
    replaced = services_->open(plugin.asOfferer());
    if (old != nullptr) ended = leave(*old, PluginPhase::leaves, std::move(oldLeftBy));
}

/// What is held of it stays until it's let go, as of one that has served. If the host has gone
/// nobody else stops it.
void PluginCore::refuse(Plugins& loaded, bool isStarted, LeftBy leftBy) noexcept {
    cabi::Plugin& plugin = *loaded.front();
    cabi::Services::Ended ended = services_->end(plugin.asOfferer());
    ended = {};
    if (isStarted || plugin.code().isHeld()) {
        const std::lock_guard locked(mutex_);
        if (tool_ != nullptr) {
            plugins_.splice(plugins_.end(), loaded);
            ended = leave(plugin, isStarted ? PluginPhase::leaves : PluginPhase::stopped,
                          std::move(leftBy));
            return;
        }
    }
    if (isStarted) plugin.stop();
    loaded.clear();
}

void PluginCore::checkHere() const {
    if (tool_ == nullptr) cabi::misuse("the host of the plug-ins has gone");
}

cabi::Plugin* PluginCore::serving(std::string_view name) const noexcept {
    for (const auto& plugin : plugins_) {
        if (plugin->phase == PluginPhase::serves && plugin->name() == name) return plugin.get();
    }
    return nullptr;
}

static std::string rangeOf(const PluginHandler& of) {
    const std::string most = std::to_string(of.most);
    return of.least == of.most ? most : std::to_string(of.least) + " to " + most;
}

PluginCore::Call PluginCore::call(const std::string& name, const std::string& handler,
                                  std::size_t values) const {
    const std::lock_guard locked(mutex_);
    const cabi::Plugin* const plugin = serving(name);
    if (plugin == nullptr) {
        throw StepError(PluginHost::kNoPlugin, "no plug-in '" + name + "' is loaded");
    }
    const cabi::Plugin::Handler* const found = plugin->handler(handler);
    if (found == nullptr) {
        throw StepError(PluginHost::kNoHandler,
                        "the plug-in '" + name + "' has no handler '" + handler + "'");
    }
    const PluginHandler& told = found->told;
    if (values < told.least || values > told.most) {
        throw StepError(errors::InternalError, name + "." + handler + ": expected " +
                                                   rangeOf(told) + " values, got " +
                                                   std::to_string(values));
    }
    return {cabi::Hold<cabi::HeldAs::step>(&plugin->code()), found->body, found->data};
}

cabi::AnyStep PluginCore::step(std::string_view plugin, std::string_view handler) {
    const auto body = [core = shared_from_this(), plugin = std::string(plugin),
                       handler = std::string(handler)](IAsyncSteps& asi, const Results& values) {
        // The hold goes with the step, after all that is inside of it.
        const auto& call = asi.stack<Call>(core->call(plugin, handler, values.size()));
        cabi::ofPlugin().set(asi, call.hold.code());
        cabi::callWith(const_cast<Results&>(values), call.body, asi, call.data);
    };
    return steptree::step<AnyValues, AnyValues>(body).named(std::string(plugin) + "." +
                                                            std::string(handler));
}

std::vector<PluginInfo> PluginCore::list() const {
    const std::lock_guard locked(mutex_);
    std::vector<PluginInfo> all;
    all.reserve(plugins_.size());
    for (const auto& plugin : plugins_) all.push_back(plugin->info());
    return all;
}

}  // namespace steptree::detail
