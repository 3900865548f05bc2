#pragma once

#include <optional>

#include "steptree/channel.hpp"
#include "steptree/cvalue.hpp"

/// A channel as C has it: for flows of one thread, or of any.
struct steptree_channel {
    steptree_channel() = default;
    steptree_channel(const steptree_channel&) = delete;
    steptree_channel& operator=(const steptree_channel&) = delete;
    virtual ~steptree_channel() = default;

    virtual void send(steptree::IAsyncSteps& asi, steptree::Value value) = 0;
    virtual void receive(steptree::IAsyncSteps& asi) = 0;
    virtual bool trySend(const steptree::Value& value) = 0;
    virtual std::optional<steptree::Value> tryReceive() = 0;
    virtual void close() = 0;
    virtual steptree_channel_reading read() const = 0;

    /// One of them is it.
    virtual steptree::Channel<steptree::Value>* ofOneThread() noexcept { return nullptr; }
    virtual steptree::ThreadChannel<steptree::Value>* ofAnyThread() noexcept { return nullptr; }
};

namespace steptree::cabi {

/// Gives `use` the channel that steps go through.
template <class Use>
void withChannel(steptree_channel* of, Use use) {
    if (auto* const channel = of->ofOneThread()) return use(*channel);
    use(*of->ofAnyThread());
}

}  // namespace steptree::cabi
