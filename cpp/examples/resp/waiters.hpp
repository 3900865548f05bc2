#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "store.hpp"

namespace resp {

/// Takes an element of a list; false: nobody waits there any more.
using Deliver = std::function<bool(const std::string& key, const std::string& element)>;

/// Who waits for an element of which list, first come first served. A waiter stands at each of his
/// keys.
class Waiters {
  public:
    using Ticket = std::uint64_t;

    std::size_t size() const { return waiting_.size(); }

    Ticket enter(std::vector<std::string> keys, Deliver deliver);

    /// Takes the waiter out of all his queues, if he still stands there.
    void withdraw(Ticket ticket);

    /// Hands elements from the list's head to those who wait; one that nobody takes stays.
    void serve(const std::string& key, List& list);

  private:
    struct Waiter {
        std::vector<std::string> keys;
        Deliver deliver;
    };
    /// Tickets are given in order, so the first one came first.
    using Queue = std::map<Ticket, Deliver*>;

    std::map<Ticket, Waiter> waiting_;
    std::unordered_map<std::string, Queue> queues_;
    Ticket last_ = 0;
};

}  // namespace resp
