#include "channels.hpp"
#include "functions.hpp"
#include "tables.hpp"

/// Channels.
namespace steptree::cabi::channelcalls {

namespace {

const steptree_error* make(std::int64_t capacity, steptree_text name, steptree_channel** into) {
    return attempt([&] {
        *into = reinterpret_cast<steptree_channel*>(
            new ValueChannel(ChannelOptions{capacity, std::string(view(name))}));
    });
}

void drop(steptree_channel* channel) {
    if (channel != nullptr) delete &from(channel);
}

const steptree_error* send(steptree_channel* channel, steptree_step* asi,
                           const steptree_value* value) {
    return attempt([&] { from(channel).send(from(asi), Value(*value)); });
}
const steptree_error* receive(steptree_channel* channel, steptree_step* asi) {
    return attempt([&] { from(channel).receive(from(asi)); });
}

const steptree_error* trySend(steptree_channel* channel, const steptree_value* value,
                              std::int32_t* done) {
    return attempt([&] { *done = from(channel).trySend(Value(*value)) ? 1 : 0; });
}

const steptree_error* tryReceive(steptree_channel* channel, steptree_value* into,
                                 std::int32_t* done) {
    return attempt([&] {
        auto received = from(channel).tryReceive();
        *done = received ? 1 : 0;
        *into = received ? received->release() : steptree_value{};
    });
}

const steptree_error* close(steptree_channel* channel) {
    return attempt([&] { from(channel).close(); });
}

const steptree_error* read(const steptree_channel* channel, steptree_channel_reading* into) {
    return attempt([&] {
        const ValueChannel& of = from(channel);
        into->closed = of.closed() ? 1 : 0;
        into->values = of.size();
        into->available = of.available();
        into->senders = of.senders();
        into->receivers = of.receivers();
    });
}

}  // namespace

const steptree_channel_api kApi{sizeof(kApi), 0,        &make,       &drop,  &send,
                                &receive,     &trySend, &tryReceive, &close, &read};

}  // namespace steptree::cabi::channelcalls
