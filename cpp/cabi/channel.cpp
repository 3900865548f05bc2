#include <string>
#include <utility>

#include "channels.hpp"
#include "functions.hpp"
#include "given.hpp"
#include "tables.hpp"

/// Channels.
namespace steptree::cabi::channelcalls {

namespace {

template <class C>
class Made final : public steptree_channel {
  public:
    explicit Made(const ChannelOptions& options) : made_(options) {}

    void send(IAsyncSteps& asi, Value value) override { made_.send(asi, std::move(value)); }
    void receive(IAsyncSteps& asi) override { made_.receive(asi); }
    bool trySend(const Value& value) override { return made_.trySend(value); }
    std::optional<Value> tryReceive() override { return made_.tryReceive(); }
    void close() override { made_.close(); }
    steptree_channel_reading read() const override {
        steptree_channel_reading made{};
        made.closed = made_.closed() ? 1 : 0;
        made.values = made_.size();
        made.available = made_.available();
        made.senders = made_.senders();
        made.receivers = made_.receivers();
        return made;
    }
    Channel<Value>* ofOneThread() noexcept override {
        if constexpr (std::is_same_v<C, Channel<Value>>) return &made_;
        return nullptr;
    }
    ThreadChannel<Value>* ofAnyThread() noexcept override {
        if constexpr (std::is_same_v<C, ThreadChannel<Value>>) return &made_;
        return nullptr;
    }

  private:
    C made_;
};

const steptree_error* make(const steptree_channel_options* given, steptree_channel** into) {
    return attempt([&] {
        const Given<steptree_channel_options> of(given);
        of.check();
        const ChannelOptions options{of->capacity, std::string(view(of->name))};
        if ((of->flags & STEPTREE_ANY_THREAD) != 0) {
            *into = new Made<ThreadChannel<Value>>(options);
        } else {
            *into = new Made<Channel<Value>>(options);
        }
    });
}

void drop(steptree_channel* channel) {
    delete channel;
}

const steptree_error* send(steptree_channel* channel, steptree_step* asi,
                           const steptree_value* value) {
    return attempt([&] { channel->send(from(asi), Value(*value)); });
}
const steptree_error* receive(steptree_channel* channel, steptree_step* asi) {
    return attempt([&] { channel->receive(from(asi)); });
}

const steptree_error* trySend(steptree_channel* channel, const steptree_value* value,
                              std::int32_t* done) {
    return attempt([&] { *done = channel->trySend(Value(*value)) ? 1 : 0; });
}

const steptree_error* tryReceive(steptree_channel* channel, steptree_value* into,
                                 std::int32_t* done) {
    return attempt([&] {
        auto received = channel->tryReceive();
        *done = received ? 1 : 0;
        *into = received ? received->release() : steptree_value{};
    });
}

const steptree_error* close(steptree_channel* channel) {
    return attempt([&] { channel->close(); });
}

const steptree_error* read(const steptree_channel* channel, steptree_channel_reading* into) {
    return attempt([&] { fillRoom(into, channel->read()); });
}

}  // namespace

const steptree_channel_api kApi{sizeof(kApi), 0,        &make,       &drop,  &send,
                                &receive,     &trySend, &tryReceive, &close, &read};

}  // namespace steptree::cabi::channelcalls
