#pragma once

#include <string_view>
#include <utility>

#include "steptree/detail/pluginerror.hpp"
#include "steptree/detail/pluginvalues.hpp"
#include "steptree/steptree.h"

// Step values of plug-ins in C++, and services: a part of steptree/plugin.hpp.

#pragma GCC visibility push(hidden)

namespace steptree::plugin {

namespace detail {

inline steptree_plugin_host* host = nullptr;

}  // namespace detail

/// A step that is described once, to be added any number of times: one of the host's services, or
/// one of the plug-in's own. What couldn't be made fails the step that it is added to. Any thread.
/// Guide: docs/plug-in.md#services-of-the-host
///
///     return in.add(plugin::host.service("users.find").with(args.text(0)).timeout(100));
class StepValue {
  public:
    StepValue() noexcept = default;
    StepValue(const StepValue& other) noexcept : raw_(other.raw_), why_(other.why_) {
        if (raw_ != nullptr) api->define->keep(raw_);
        if (why_ != nullptr) api->error->keep(why_);
    }
    StepValue(StepValue&& other) noexcept
        : raw_(std::exchange(other.raw_, nullptr)), why_(std::exchange(other.why_, nullptr)) {}
    StepValue& operator=(StepValue other) noexcept {
        std::swap(raw_, other.raw_);
        std::swap(why_, other.why_);
        return *this;
    }
    ~StepValue() {
        if (raw_ != nullptr) api->define->drop(raw_);
        if (why_ != nullptr) api->error->drop(why_);
    }

    /// The same with these values, at most 4, in the place of those that it would find.
    template <class... V>
    StepValue with(const V&... values) const {
        const steptree_value raw[] = {Value(values).raw()..., steptree_value{}};
        return changed([&](const steptree_definition** into) {
            return api->define->bound(raw_, raw, sizeof...(V), into);
        });
    }
    /// The same with a limit.
    StepValue timeout(double ms) const {
        return changed([&](const steptree_definition** into) {
            return api->define->timeout(raw_, ms, STEPTREE_NO_TEXT, into);
        });
    }
    /// The same by a name, which paths show.
    StepValue named(std::string_view name) const {
        return changed([&](const steptree_definition** into) {
            return api->define->named(raw_, detail::textOf(name), into);
        });
    }

    /// Of a function of the C interface that makes one.
    template <class Make>
    static StepValue made(Make make) {
        StepValue value;
        const steptree_error* const why = make(&value.raw_);
        if (why == nullptr) return value;
        api->error->keep(why);
        value.raw_ = nullptr;
        value.why_ = why;
        return value;
    }
    /// As the C interface has it; null: it couldn't be made.
    const steptree_definition* raw() const noexcept { return raw_; }
    /// Why it couldn't be made.
    Error refusal() const {
        const steptree_text none = detail::textOf("a step value that was moved from, or is empty");
        return why_ == nullptr
                   ? api->error->make(STEPTREE_NO_TEXT, none, nullptr)
                   : api->error->make(api->error->code(why_), api->error->info(why_), nullptr);
    }

  private:
    template <class Change>
    StepValue changed(Change change) const {
        return raw_ == nullptr ? *this : made(change);
    }

    const steptree_definition* raw_ = nullptr;
    const steptree_error* why_ = nullptr;
};

/// The host of the plug-in, once that has been started. Guide:
/// docs/plug-in.md#services-of-the-host
///
///     return in.add(plugin::host.service("greeting.for").with("de"));
class Host {
  public:
    /// A service, which is looked up when it runs: NoService is an error of the step. Made once, or
    /// for each call; what is kept has to be dropped when the plug-in is stopped.
    StepValue service(std::string_view name) const {
        return StepValue::made([&](const steptree_definition** into) {
            return api->host->service(raw(), detail::textOf(name), into);
        });
    }
    /// Others may call the step by that name, as long as the plug-in takes calls.
    Error offer(std::string_view name, const StepValue& value) const {
        if (value.raw() == nullptr) return value.refusal();
        return api->host->offer(raw(), detail::textOf(name), value.raw());
    }
    /// No call of it begins any more. What others offer stays.
    Error withdraw(std::string_view name) const {
        return api->host->withdraw(raw(), detail::textOf(name));
    }
    /// As the C interface has it.
    steptree_plugin_host* raw() const noexcept { return detail::host; }
};
/// That of this plug-in. Guide: docs/plug-in.md#services-of-the-host
///
///     const plugin::StepValue find = plugin::host.service("users.find");
inline constexpr Host host{};

}  // namespace steptree::plugin

#pragma GCC visibility pop
