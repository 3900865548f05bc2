#include "steptree/detail/inbox.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"

using steptree::detail::Inbox;
using steptree::detail::Posted;
using steptree::detail::RemoteLink;
using steptree::detail::RemoteNode;

namespace {
struct Message : RemoteNode {
    int sender = 0;
    int number = 0;
};
}  // namespace

TEST_CASE("an inbox gives back what was posted in its order", "[inbox]") {
    Inbox inbox;
    Message a, b, c;
    CHECK(inbox.empty());
    CHECK(inbox.post(Posted(a)) == Inbox::Outcome::first);
    CHECK(inbox.post(Posted(b)) == Inbox::Outcome::more);
    CHECK_FALSE(inbox.empty());
    const Posted first = inbox.take();
    CHECK(&first.node() == &a);
    CHECK(&first.next().node() == &b);
    CHECK_FALSE(first.next().next());
    CHECK_FALSE(inbox.take());
    CHECK(inbox.post(Posted(c)) == Inbox::Outcome::first);
    CHECK(&inbox.close().node() == &c);
    CHECK(inbox.post(Posted(a)) == Inbox::Outcome::closed);
}

TEST_CASE("an inbox knows slots from other nodes", "[inbox]") {
    Inbox inbox;
    Message a;
    RemoteLink slot;
    inbox.post(Posted::ofSlot(slot));
    inbox.post(Posted(a));
    const Posted first = inbox.take();
    CHECK(first.isSlot());
    CHECK(&first.link() == &slot);
    CHECK_FALSE(first.next().isSlot());
    CHECK(&first.next().node() == &a);
}

TEST_CASE("an inbox loses nothing that four threads post", "[inbox][thread]") {
    constexpr int kThreads = 4;
    constexpr int kEach = 20'000;
    Inbox inbox;
    std::vector<std::vector<Message>> messages(kThreads);
    std::atomic<int> firsts = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        messages[t] = std::vector<Message>(kEach);
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) {
                messages[t][i].sender = t;
                messages[t][i].number = i;
                if (inbox.post(Posted(messages[t][i])) == Inbox::Outcome::first) ++firsts;
            }
        });
    }
    std::vector<int> next(kThreads, 0);
    bool ordered = true;
    int filled = 0;
    for (int taken = 0; taken < kThreads * kEach;) {
        Posted posted = inbox.take();
        if (!posted) {
            std::this_thread::yield();
            continue;
        }
        ++filled;
        for (; posted; posted = posted.next(), ++taken) {
            const auto& message = static_cast<const Message&>(posted.node());
            ordered = ordered && next[message.sender]++ == message.number;
        }
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(ordered);
    CHECK(firsts == filled);
}

TEST_CASE("every post to an inbox that closes is either taken or refused", "[inbox][thread]") {
    constexpr int kThreads = 4;
    constexpr int kEach = 2000;
    Inbox inbox;
    std::vector<std::vector<Message>> messages(kThreads);
    std::atomic<int> refused = 0;
    std::atomic<int> posted = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        messages[t] = std::vector<Message>(kEach);
        threads.emplace_back([&, t] {
            for (Message& message : messages[t]) {
                if (inbox.post(Posted(message)) == Inbox::Outcome::closed) ++refused;
                ++posted;
            }
        });
    }
    while (posted < kEach) std::this_thread::yield();
    int taken = 0;
    for (Posted posted = inbox.close(); posted; posted = posted.next()) ++taken;
    for (std::thread& thread : threads) thread.join();
    CHECK(taken + refused == kThreads * kEach);
}
