#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/typedesc.hpp"
#include "steptree/error.hpp"

namespace steptree {

/// What all steps and branches of a flow share: values under text keys, and views of the error that
/// passes right now. Belongs to the flow, lives as long, kept from run to run. Tool's thread only.
/// A value whose type only a plug-in knows has to go before the plug-in does: see "Plug-ins" in
/// spec/cpp.md. Others may stay: of arithmetic types, std::string, std::vector<std::string>, and of
/// keys that the host was the first to write. Guide: docs/values.md#for-the-whole-flow
///
///     ++asi.state().get<int>("requests");
class STEPTREE_VISIBLE State {
  public:
    /// The value of `key`; made from `init` when absent. The reference stays good until the key is
    /// erased, or set() to another type. InternalError that names both types if it has another
    /// type.
    template <class T>
    T& get(std::string_view key, T init = {}) {
        if (void* there = typed(key, detail::TypeDescOf<T>::desc)) return *static_cast<T*>(there);
        return *static_cast<T*>(insert(key, detail::TypeDescOf<T>::desc, &init));
    }

    /// The value of `key`, null when absent.
    template <class T>
    T* find(std::string_view key) {
        return static_cast<T*>(typed(key, detail::TypeDescOf<T>::desc));
    }

    /// Replaces whatever `key` had. A value of the same type is assigned to, and references to it
    /// see the new one. One of another type is destroyed, as is one of a type that can't be
    /// assigned to: references to it end.
    template <class T>
    std::decay_t<T>& set(std::string_view key, T&& value) {
        using Value = std::decay_t<T>;
        Value copy(std::forward<T>(value));
        if constexpr (std::is_move_assignable_v<Value>) {
            const detail::TypeDesc* type = nullptr;
            void* const there = lookup(key, &type);
            if (there != nullptr && detail::sameType(type, &detail::TypeDescOf<Value>::desc)) {
                return *static_cast<Value*>(there) = std::move(copy);
            }
        }
        return *static_cast<Value*>(insert(key, detail::TypeDescOf<Value>::desc, &copy));
    }

    /// For the runtime: the value of `key`, whatever its type; null when absent.
    void* lookUp(std::string_view key, const detail::TypeDesc** type) noexcept {
        return lookup(key, type);
    }

    /// Whether there is such a key.
    virtual bool has(std::string_view key) const noexcept = 0;
    /// Destroys the value of that key; nothing if there is none.
    virtual void erase(std::string_view key) = 0;
    /// Erases every key, those that the caller doesn't know too.
    virtual void clear() = 0;

    /// The info of the error that is handled, in a handler, or a cancel handler of a frame that the
    /// error passes through; empty otherwise.
    virtual const std::string& errorInfo() const noexcept = 0;
    /// The native exception itself, or the StepError; null outside of handlers.
    virtual std::exception_ptr lastException() const = 0;
    /// The path of names or indices from the root to where the error was raised.
    virtual const std::string& asyncStack() const noexcept = 0;
    /// The same error with all that the engine knows of it; null while absent. Do not keep it.
    virtual const StepError* lastError() const = 0;

  protected:
    ~State() = default;

  private:
    virtual void* lookup(std::string_view key, const detail::TypeDesc** type) noexcept = 0;
    virtual void* insert(std::string_view key, const detail::TypeDesc& type, void* from) = 0;

    void* typed(std::string_view key, const detail::TypeDesc& wanted) {
        const detail::TypeDesc* type = nullptr;
        void* value = lookup(key, &type);
        if (value != nullptr && !detail::sameType(type, &wanted)) {
            throw StepError(errors::InternalError, "state '" + std::string(key) + "': expected a " +
                                                       wanted.text() + ", it is a " + type->text());
        }
        return value;
    }
};

}  // namespace steptree
