#include "plugin.hpp"

#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

#include "functions.hpp"
#include "pluginapi.hpp"

namespace steptree::cabi {

namespace {

/// What all plug-ins of this major number have.
constexpr std::size_t kLeastInfo = sizeof(steptree_plugin_info);
constexpr std::size_t kLeastHandler = sizeof(steptree_plugin_handler);

using Export = const steptree_plugin_info*();

[[noreturn]] void refusePlugin(const std::string& path, const std::string& why,
                               std::exception_ptr cause = {}) {
    throw StepError(PluginHost::kRefused, path + ": " + why, std::move(cause));
}

}  // namespace

void keepForEver(std::unique_ptr<steptree_plugin_host> host) noexcept {
    static std::mutex mutex;
    static steptree_plugin_host* all = nullptr;
    if (host == nullptr) return;
    const std::lock_guard locked(mutex);
    host->next = all;
    all = host.release();
}

Plugin::Plugin(const std::string& path, CopyPlace copy, std::uint64_t generation) : path_(path) {
    try {
        object_ = std::make_unique<SharedObject>(path, std::move(copy));
    } catch (const std::exception& error) {
        refusePlugin(path, error.what());
    }
    Export* const exported = object_->function<Export>("steptree_plugin");
    if (exported == nullptr) refuse("it is no plug-in, it has no steptree_plugin()");
    said_ = exported();
    if (said_ == nullptr) refuse("steptree_plugin() gives nothing");
    info_.path = path;
    info_.generation = generation;
    read(*said_);
    const AddressRange range = rangeAround(reinterpret_cast<std::uintptr_t>(exported));
    code_ = &Code::enter(range.begin, range.end);
}

Plugin::~Plugin() {
    if (code_ == nullptr) return;
    if (code_->isHeld()) {
        object_->abandon();
        keepForEver(std::move(host_));
    } else {
        code_->quit();  // before others may lie where it has been
    }
}

void Plugin::refuse(const std::string& why) const {
    refusePlugin(path_, why);
}

void Plugin::read(const steptree_plugin_info& info) {
    const char* why = nullptr;
    if (steptree_host(info.abi, &why) == nullptr) refuse(why);
    if (info.size < kLeastInfo || info.handler_size < kLeastHandler) {
        refuse("what it says of itself is shorter than this interface has it");
    }
    info_.name = view(info.name);
    info_.version = view(info.version);
    if (info_.name.empty()) refuse("it has no name");
    const char* at = reinterpret_cast<const char*>(info.handlers);
    for (std::uint32_t i = 0; i < info.count; ++i, at += info.handler_size) {
        addHandler(*reinterpret_cast<const steptree_plugin_handler*>(at));
    }
}

void Plugin::addHandler(const steptree_plugin_handler& of) {
    PluginHandler told{std::string(view(of.name)), std::string(view(of.description)), of.least,
                       of.most};
    const std::string which = "its handler '" + told.name + "' ";
    if (told.name.empty()) refuse("a handler has no name");
    if (of.body == nullptr) refuse(which + "has no body");
    if (of.least > of.most || of.most > detail::kMaxValues) {
        refuse(which + "takes " + std::to_string(of.least) + " to " + std::to_string(of.most) +
               " values, and 0 to 4 can be given");
    }
    if (handler(told.name) != nullptr) refuse(which + "is there twice");
    info_.handlers.push_back(told);
    handlers_.push_back({std::move(told), of.body, of.data});
}

void Plugin::start(std::unique_ptr<steptree_plugin_host> host) {
    host_ = std::move(host);
    if (said_->start == nullptr) return;
    const steptree_error* const error = said_->start(pluginApi(), host_.get(), said_->data);
    if (error == nullptr) return;
    const std::exception_ptr cause = exceptionOf(error);
    const steptree_text info = pluginApi()->error->info(error);
    const steptree_text code = pluginApi()->error->code(error);
    refusePlugin(path_,
                 "it doesn't start: " + std::string(view(code)) + " " + std::string(view(info)),
                 cause);
}

void Plugin::stop() const noexcept {
    if (said_->stop != nullptr) said_->stop(said_->data);
}

const Plugin::Handler* Plugin::handler(std::string_view name) const noexcept {
    for (const Handler& known : handlers_) {
        if (known.told.name == name) return &known;
    }
    return nullptr;
}

PluginInfo Plugin::info() const {
    PluginInfo info = info_;
    count(info);
    return info;
}

void Plugin::count(PluginInfo& info) const noexcept {
    info.phase = phase;
    info.steps = code_->held(HeldAs::step);
    info.functions = code_->held(HeldAs::function);
    info.values = code_->held(HeldAs::value);
    info.completions = code_->held(HeldAs::completion);
}

}  // namespace steptree::cabi
