#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "steptree/promise.hpp"

namespace steptree {

/// A future that can be cancelled from where it is: whoever hands one out agrees to that. It is
/// made of the promise; what combinators make of it are plain futures, whose cancellation doesn't
/// reach the promise. For the promise it's a hint: its cancel hook is called, or it looks at
/// settled(). Guide: docs/waiting.md#promises-and-futures
///
///     CancelableFuture<int> future(promise);
///     future.cancel();
template <class T = void, class E = Error>
class CancelableFuture : public Future<T, E> {
  public:
    CancelableFuture() = default;
    explicit CancelableFuture(const Promise<T, E>& promise) : Future<T, E>(promise.future()) {}

    /// Has settled when it returns: by the promise's cancel hook, else failed with `Canceled`.
    void cancel() const { this->cancelState(true); }

    /// The same without asking the hook: failed with that, unless it had settled before.
    void cancel(E failure) const { this->failState(std::move(failure)); }

    /// cancel() when the token is stopped, on the thread that stops it; now, if it was. The token
    /// is let go when the future has settled.
    const CancelableFuture& cancelOn(std::stop_token token) const {
        const auto cancelling = [future = *this] { future.cancel(); };
        using Callback = std::stop_callback<std::decay_t<decltype(cancelling)>>;
        auto callback = std::make_shared<std::optional<Callback>>();
        callback->emplace(std::move(token), cancelling);
        this->onSettled([callback](const Future<T, E>&) { callback->reset(); });
        return *this;
    }
};

}  // namespace steptree
