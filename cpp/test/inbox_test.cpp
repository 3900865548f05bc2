#include "steptree/detail/inbox.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"

using steptree::detail::Inbox;
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
    CHECK(inbox.post(a) == Inbox::Posted::first);
    CHECK(inbox.post(b) == Inbox::Posted::more);
    CHECK_FALSE(inbox.empty());
    CHECK(inbox.take() == &a);
    CHECK(a.next == &b);
    CHECK(b.next == nullptr);
    CHECK(inbox.take() == nullptr);
    CHECK(inbox.post(c) == Inbox::Posted::first);
    CHECK(inbox.close() == &c);
    CHECK(inbox.post(a) == Inbox::Posted::closed);
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
                if (inbox.post(messages[t][i]) == Inbox::Posted::first) ++firsts;
            }
        });
    }
    std::vector<int> next(kThreads, 0);
    bool ordered = true;
    int filled = 0;
    for (int taken = 0; taken < kThreads * kEach;) {
        const RemoteNode* node = inbox.take();
        if (node == nullptr) {
            std::this_thread::yield();
            continue;
        }
        ++filled;
        for (; node != nullptr; node = node->next, ++taken) {
            const auto& message = static_cast<const Message&>(*node);
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
                if (inbox.post(message) == Inbox::Posted::closed) ++refused;
                ++posted;
            }
        });
    }
    while (posted < kEach) std::this_thread::yield();
    int taken = 0;
    for (const RemoteNode* node = inbox.close(); node != nullptr; node = node->next) ++taken;
    for (std::thread& thread : threads) thread.join();
    CHECK(taken + refused == kThreads * kEach);
}
