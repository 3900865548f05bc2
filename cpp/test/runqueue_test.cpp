#include "steptree/detail/runqueue.hpp"

#include <vector>

#include "catch.hpp"

using steptree::detail::List;
using steptree::detail::RunNode;
using steptree::detail::RunQueue;

TEST_CASE("a pass is a snapshot of the queue", "[runqueue]") {
    RunQueue queue;
    RunNode a, b, c;
    queue.push(a);
    queue.push(b);
    queue.begin();
    CHECK(queue.pop() == &a);
    queue.push(c);
    queue.push(a);
    CHECK(queue.pop() == &b);
    CHECK(queue.pop() == nullptr);
    CHECK_FALSE(queue.empty());
    queue.begin();
    CHECK(queue.pop() == &c);
    CHECK(queue.pop() == &a);
    CHECK(queue.empty());
}

TEST_CASE("an unfinished pass goes on before what came later", "[runqueue]") {
    RunQueue queue;
    RunNode a, b, c;
    queue.push(a);
    queue.push(b);
    queue.begin();
    CHECK(queue.pop() == &a);
    queue.push(c);
    queue.begin();
    CHECK(queue.pop() == &b);
    CHECK(queue.pop() == nullptr);
    queue.begin();
    CHECK(queue.pop() == &c);
}

TEST_CASE("a node leaves the queue from any place", "[runqueue]") {
    RunQueue queue;
    RunNode a, b, c, d;
    for (RunNode* node : {&a, &b, &c}) queue.push(*node);
    queue.begin();
    queue.push(d);
    queue.remove(b);
    queue.remove(d);
    CHECK_FALSE(b.queued());
    CHECK_FALSE(d.queued());
    CHECK(c.queued());
    List<RunNode> rest;
    queue.drain(rest);
    CHECK(queue.empty());
    CHECK(rest.pop() == &a);
    CHECK(rest.pop() == &c);
    CHECK(rest.pop() == nullptr);
}

TEST_CASE("a pass whose last nodes leave ends before them", "[runqueue]") {
    RunQueue queue;
    RunNode a, b, c;
    for (RunNode* node : {&a, &b}) queue.push(*node);
    queue.begin();
    queue.push(c);
    queue.remove(b);
    CHECK(queue.pop() == &a);
    CHECK(queue.pop() == nullptr);
    queue.begin();
    queue.push(a);
    queue.remove(c);
    CHECK(queue.pop() == nullptr);
    queue.begin();
    CHECK(queue.pop() == &a);
    CHECK(queue.empty());
}
