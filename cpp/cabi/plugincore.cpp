#include "plugincore.hpp"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "errors.hpp"
#include "functions.hpp"
#include "pluginapi.hpp"

namespace steptree::detail {

PluginCore::PluginCore(Tool& tool, PluginHostOptions options)
    : tool_(&tool), options_(std::move(options)) {}

PluginCore::~PluginCore() {
    if (!keepsCopies() || directory_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string PluginCore::copyOf(const std::string& path, std::uint64_t generation) {
    if (!keepsCopies() || directory_.empty()) {
        const std::filesystem::path around = keepsCopies()
                                                 ? std::filesystem::path(options_.directory)
                                                 : std::filesystem::temp_directory_path();
        std::string made = (around / "steptree-XXXXXX").string();
        if (mkdtemp(made.data()) == nullptr) {
            throw StepError(PluginHost::kRefused, path + ": no directory can be made in " +
                                                      around.string() + ": " +
                                                      std::generic_category().message(errno));
        }
        directory_ = std::move(made);
    }
    return (std::filesystem::path(directory_) /
            (std::to_string(generation) + "-" + std::filesystem::path(path).filename().string()))
        .string();
}

PluginInfo PluginCore::load(const std::string& path) {
    std::string copy;
    std::uint64_t generation = 0;
    {
        const std::lock_guard locked(mutex_);
        checkHere();
        generation = ++loaded_;
        copy = copyOf(path, generation);
    }
    auto plugin = std::make_unique<cabi::Plugin>(path, std::move(copy), keepsCopies(), generation);
    const cabi::Offerer offerer = plugin->asOfferer();
    cabi::Services::Ended ended;  // goes when nothing is locked
    services_->prepare(offerer);
    try {
        plugin->start(std::make_unique<steptree_plugin_host>(
            steptree_plugin_host{weak_from_this(), services_, offerer}));
        services_->open(offerer);
    } catch (...) {
        const std::lock_guard locked(mutex_);
        ended = leave(*plugins_.emplace_back(std::move(plugin)), PluginPhase::stopped);
        throw;
    }
    const std::lock_guard locked(mutex_);
    cabi::Plugin* const old = serving(plugin->name());
    PluginInfo info = plugin->info();
    plugins_.push_back(std::move(plugin));
    if (old != nullptr) ended = leave(*old, PluginPhase::leaves);
    return info;
}

void PluginCore::checkHere() const {
    if (tool_ == nullptr) cabi::misuse("the host of the plug-ins has gone");
}

cabi::Plugin* PluginCore::serving(std::string_view name) const noexcept {
    for (const Owned& plugin : plugins_) {
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
    for (const Owned& plugin : plugins_) all.push_back(plugin->info());
    return all;
}

}  // namespace steptree::detail
