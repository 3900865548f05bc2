#include "steptree/channel.hpp"

#include <memory>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "codeof.hpp"
#include "leaving.hpp"

using namespace rig;
using steptree::Channel;
using steptree::Future;
using steptree::kUnlimited;
namespace errors = steptree::errors;

namespace {

/// Moves, and knows how many of it have a value.
class Owned {
  public:
    explicit Owned(int value) : value_(std::make_unique<int>(value)) { ++count; }
    Owned(Owned&& other) noexcept = default;
    Owned& operator=(Owned&&) = delete;
    ~Owned() {
        if (value_ != nullptr) --count;
    }

    int value() const { return value_ == nullptr ? -1 : *value_; }

    inline static int count = 0;

  private:
    std::unique_ptr<int> value_;
};

/// Moves, but not in the place where values of steps live.
struct Large {
    int value;
    char more[100]{};
};

}  // namespace

TEST_CASE("leaving a channel's queue of 100,000 costs the same as leaving a short one",
          "[channel]") {
    const auto none = +[] { return Channel<int>({.capacity = 0}); };
    CHECK(leavesAtOnce(none, [](Channel<int>& channel, AsyncSteps& flow) {
        flow.add([&channel](IAsyncSteps& asi) { channel.send(asi, 1); });
    }));
    CHECK(leavesAtOnce(none, [](Channel<int>& channel, AsyncSteps& flow) {
        flow.add([&channel](IAsyncSteps& asi) { channel.receive(asi); });
    }));
}

TEST_CASE("a channel moves what can't be copied", "[channel]") {
    {
        Rig rig;
        Channel<Owned> channel({.capacity = 1});
        std::vector<int> received;
        rig.flow.add([&](IAsyncSteps& asi) {
            for (int i = 1; i <= 3; ++i) channel.send(asi, Owned(i));
        });
        AsyncSteps other(rig.tool);
        other.repeat(2, [&](IAsyncSteps& asi, std::int64_t) {
            channel.receive(asi);
            asi.add([&](IAsyncSteps&, Owned& value) { received.push_back(value.value()); });
        });
        rig.flow.execute();
        CHECK(run(rig.tool, other) == "ok");
        CHECK(received == std::vector<int>{1, 2});
        AsyncSteps waits(rig.tool);
        waits.add([&](IAsyncSteps& asi) { channel.send(asi, Owned(4)); });
        waits.execute();
        rig.tool.run();
        CHECK(Owned::count == 2);
        waits.cancel();
        CHECK(Owned::count == 1);
        Owned fifth(5);
        CHECK_FALSE(channel.trySend(std::move(fifth)));
        CHECK(fifth.value() == 5);
    }
    CHECK(Owned::count == 0);
}

TEST_CASE("a value that was given to a line which is cancelled comes back whole", "[channel]") {
    VirtualTool tool;
    Channel<Large> channel({.capacity = 0});
    for (int i = 0; i < 10; ++i) {
        AsyncSteps flow(tool);
        flow.add([&](IAsyncSteps& asi) { channel.receive(asi); });
        flow.execute();
        tool.run();
        REQUIRE(channel.trySend(Large{i}));
        flow.cancel();
        const auto back = channel.tryReceive();
        REQUIRE(back.has_value());
        CHECK(back->value == i);
    }
}

TEST_CASE("a buffer keeps its order while it grows", "[channel]") {
    Channel<int> channel({.capacity = kUnlimited});
    int sent = 0;
    int received = 0;
    for (int round = 1; round < 40; ++round) {
        for (int i = 0; i < round; ++i) CHECK(channel.trySend(sent++));
        for (int i = 0; i < round / 2; ++i) REQUIRE(channel.tryReceive() == received++);
    }
    while (const auto value = channel.tryReceive()) REQUIRE(*value == received++);
    CHECK(received == sent);
}

TEST_CASE("values of several types go through channels", "[channel]") {
    Rig rig;
    Channel<std::string> channel({.capacity = 2});
    std::string text;
    rig.flow.add([&](IAsyncSteps& asi) {
        channel.send(asi, "one");
        channel.send(asi, std::string(100, 'x'));
        channel.receive(asi);
        asi.add([&](IAsyncSteps&, const std::string& value) { text += value; });
        channel.receive(asi);
        asi.add([&](IAsyncSteps&, std::string value) { text += value; });
    });
    CHECK(rig.run() == "ok");
    CHECK(text == "one" + std::string(100, 'x'));
}

TEST_CASE("the capacity of a channel is checked", "[channel]") {
    CHECK(codeOf([] { Channel<int> channel({.capacity = -1}); }) == errors::InternalError);
    CHECK(codeOf([] { Channel<int> channel({.capacity = kUnlimited - 1}); }) ==
          errors::InternalError);
    CHECK(codeOf([] { Channel<int> channel({.capacity = kUnlimited}); }) == "nothing");
}

TEST_CASE("values that are handed over take no more memory, however many there are",
          "[channel][memory]") {
    Rig rig;
    Channel<int> channel({.capacity = 0});
    std::size_t before = 0, after = 0;
    constexpr int kMany = 100'000;
    AsyncSteps sender(rig.tool);
    sender.repeat(kMany, [&](IAsyncSteps& asi, int i) {
        if (i == kMany / 100) before = allocations::count();
        channel.send(asi, i);
    });
    sender.execute();
    rig.flow.repeat(kMany, [&](IAsyncSteps& asi) { channel.receive(asi); });
    CHECK(rig.run() == "ok");
    after = allocations::count();
    CHECK(before > 0);
    CHECK(after == before);
}

TEST_CASE("errors of a channel say its name", "[channel]") {
    VirtualTool tool;
    Channel<int> channel({.capacity = 0, .name = "jobs"});
    CHECK(channel.name() == "jobs");
    std::vector<std::string> infos;
    const auto tell = [&infos](Outcome& outcome) {
        try {
            std::rethrow_exception(outcome.error);
        } catch (const steptree::StepError& error) {
            infos.push_back(error.info());
            CHECK(error.guard() == "jobs");
        }
    };
    AsyncSteps waits(tool);
    waits.add([&channel](IAsyncSteps& asi) { channel.receive(asi); });
    waits.execute(tell);
    tool.run();
    channel.close();
    AsyncSteps late(tool);
    late.add([&channel](IAsyncSteps& asi) { channel.send(asi, 1); });
    late.execute(tell);
    tool.run();
    CHECK(infos ==
          std::vector<std::string>{"channel 'jobs': it is closed", "channel 'jobs': it is closed"});
}

TEST_CASE("a send outside of steps has succeeded once its value is taken", "[channel]") {
    VirtualTool tool;
    Channel<Owned> channel({.capacity = 0});
    {
        std::stop_source stop;
        Future<> sent = channel.send(tool, Owned(1), {.signal = stop.get_token()});
        tool.run();
        CHECK(channel.tryReceive()->value() == 1);
        stop.request_stop();
        tool.run();
        sent.get();
    }
    CHECK(Owned::count == 0);
}

TEST_CASE("sends and receives outside of steps are runs of their steps", "[channel]") {
    VirtualTool tool;
    Channel<Owned> channel({.capacity = 1, .name = "jobs"});
    {
        std::stop_source stop;
        Future<> first = channel.send(tool, Owned(1));
        Future<> second = channel.send(tool, Owned(2), {.signal = stop.get_token()});
        Future<> third = channel.send(tool, Owned(3));
        tool.run();
        first.get();
        CHECK(channel.senders() == 2);
        stop.request_stop();
        tool.run();
        CHECK(codeOf([&] { second.get(); }) == errors::Canceled);
        CHECK(Owned::count == 2);
        std::stop_source enough;
        Future<Owned> one = channel.receive(tool);
        Future<Owned> two = channel.receive(tool);
        Future<Owned> none = channel.receive(tool, {.signal = enough.get_token()});
        Future<Owned> last = channel.receive(tool);
        tool.run();
        CHECK(std::move(one).get().value() == 1);
        CHECK(std::move(two).get().value() == 3);
        third.get();
        CHECK(channel.receivers() == 2);
        CHECK(channel.trySend(Owned(4)));
        enough.request_stop();
        tool.run();
        CHECK(codeOf([&] { std::move(none).get(); }) == errors::Canceled);
        CHECK(std::move(last).get().value() == 4);  // it has gone on to the next
        Future<Owned> late = channel.receive(tool);
        tool.run();
        channel.close();
        tool.run();
        CHECK(codeOf([&] { std::move(late).get(); }) == errors::Closed);
    }
    CHECK(Owned::count == 0);
}
