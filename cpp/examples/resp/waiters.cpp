#include "waiters.hpp"

#include <utility>

namespace resp {

Waiters::Ticket Waiters::enter(std::vector<std::string> keys, Deliver deliver) {
    const Ticket ticket = ++last_;
    Waiter& waiter = waiting_[ticket] = {std::move(keys), std::move(deliver)};
    for (const std::string& key : waiter.keys) queues_[key].emplace(ticket, &waiter.deliver);
    return ticket;
}

void Waiters::withdraw(Ticket ticket) {
    const auto waiter = waiting_.extract(ticket);
    if (waiter.empty()) return;
    for (const std::string& key : waiter.mapped().keys) {
        const auto queue = queues_.find(key);
        if (queue == queues_.end()) continue;
        queue->second.erase(ticket);
        if (queue->second.empty()) queues_.erase(queue);
    }
}

void Waiters::serve(const std::string& key, List& list) {
    while (!list.empty()) {
        const auto queue = queues_.find(key);
        if (queue == queues_.end()) return;
        const auto [ticket, standing] = *queue->second.begin();
        const Deliver deliver = std::move(*standing);
        withdraw(ticket);
        if (deliver(key, list.back())) list.pop_back();
    }
}

}  // namespace resp
