#pragma once

#include <string_view>
#include <utility>

#include "steptree/detail/pluginerror.hpp"
#include "steptree/detail/pluginvalues.hpp"
#include "steptree/steptree.h"

// What a plug-in in C++ gets of a step: a part of steptree/plugin.hpp.

#pragma GCC visibility push(hidden)

namespace steptree::plugin {

/// The right to end a wait, once, from any thread. Copies are the same right. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     ends.success("done");
class Completion {
  public:
    Completion() noexcept = default;
    /// Takes it over.
    explicit Completion(steptree_completion raw) noexcept : raw_(raw) {}
    Completion(const Completion& other) noexcept : raw_(api->completion->keep(other.raw_)) {}
    Completion(Completion&& other) noexcept
        : raw_(std::exchange(other.raw_, steptree_completion{})) {}
    Completion& operator=(Completion other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Completion() {
        if (raw_.slot != nullptr) api->completion->drop(raw_);
    }

    /// With at most 4 values. Whether it has won.
    template <class... V>
    bool success(const V&... values) const {
        const steptree_value raw[] = {Value(values).raw()..., steptree_value{}};
        return api->completion->success(raw_, raw, sizeof...(V)) != 0;
    }
    /// With an error of the step. Whether it has won.
    bool error(std::string_view code, std::string_view info = {}) const {
        return api->completion->error(raw_, detail::textOf(code), detail::textOf(info)) != 0;
    }

  private:
    steptree_completion raw_{};
};

/// How a step closes. Guide: docs/plug-in.md#in-c-for-any-c
///
///     in.defer([](plugin::Step, plugin::Outcome outcome) { if (!outcome) rollBack(); });
class Outcome {
  public:
    explicit Outcome(const steptree_outcome* raw) noexcept : raw_(raw) {}

    /// Whether it ends well.
    explicit operator bool() const noexcept { return raw_->kind == STEPTREE_OK; }
    /// Of an error; `Canceled` of a cancel; else empty.
    std::string_view code() const noexcept { return detail::viewOf(raw_->code); }
    /// As the C interface has it.
    const steptree_outcome* raw() const noexcept { return raw_; }

  private:
    const steptree_outcome* raw_;
};

/// What all steps of a flow share, by keys. Guide: docs/plug-in.md#in-c-for-any-c
///
///     if (const plugin::Error error = in.state().set("user", name)) return error;
class State {
  public:
    /// Null: none, its calls do nothing.
    explicit State(steptree_state* raw) noexcept : raw_(raw) {}

    /// A copy, in the place of what the key has.
    Error set(std::string_view key, const Value& value) const {
        return raw_ == nullptr ? Error() : api->state->set(raw_, detail::textOf(key), &value.raw());
    }
    /// Lent until the key is set or erased, or the next `get`; nothing if there is none.
    View get(std::string_view key) const {
        steptree_value value{};
        const bool got =
            raw_ != nullptr && api->state->get(raw_, detail::textOf(key), &value) == nullptr;
        return got ? View(value) : View();
    }
    /// Whether there is a value, which tells none from a nothing.
    bool has(std::string_view key) const {
        return raw_ != nullptr && api->state->has(raw_, detail::textOf(key)) != 0;
    }
    /// What isn't there: nothing.
    Error erase(std::string_view key) const {
        return raw_ == nullptr ? Error() : api->state->erase(raw_, detail::textOf(key));
    }

  private:
    steptree_state* raw_;
};

}  // namespace steptree::plugin

#pragma GCC visibility pop
