#include "lists.hpp"

#include <cmath>

#include "errors.hpp"
#include "numbers.hpp"
#include "reply.hpp"
#include "steptree/codes.hpp"

namespace resp {

using steptree::Completion;
using steptree::IAsyncSteps;

namespace {

std::int64_t readTimeout(IAsyncSteps& asi, const std::string& text) {
    const auto seconds = parseDecimal(text);
    if (!seconds) asi.error("ERR", "timeout is not a float or out of range");
    if (*seconds < 0) asi.error("ERR", "timeout is negative");
    const double ms = std::ceil(*seconds * 1000);
    if (ms > static_cast<double>(longestMs)) asi.error("ERR", "timeout is out of range");
    return static_cast<std::int64_t>(ms);
}

/// Null: there is no such key.
List* listOf(IAsyncSteps& asi, Client& client, const std::string& key) {
    Value* value = client.shared.store.find(key);
    if (!value) return nullptr;
    auto* list = std::get_if<List>(value);
    if (!list) wrongType(asi);
    return list;
}

}  // namespace

void lpush(IAsyncSteps& asi, Client& client, const Command& args) {
    Store& store = client.shared.store;
    const std::string& key = args[1];
    List* list = listOf(asi, client, key);
    if (!list) list = &std::get<List>(store.put(key, List{}));
    list->insert(list->end(), args.begin() + 2, args.end());
    asi.success(integer(static_cast<std::int64_t>(list->size())));
    client.shared.waiters.serve(key, *list);
    if (list->empty()) store.remove(key);
}

void llen(IAsyncSteps& asi, Client& client, const Command& args) {
    const List* list = listOf(asi, client, args[1]);
    asi.success(integer(list ? static_cast<std::int64_t>(list->size()) : 0));
}

void blpop(IAsyncSteps& asi, Client& client, const Command& args) {
    const std::int64_t ms = readTimeout(asi, args.back());
    std::vector<std::string> keys(args.begin() + 1, args.end() - 1);
    for (const std::string& key : keys) {
        List* list = listOf(asi, client, key);
        if (!list) continue;
        asi.success(bulkArray({key, list->back()}));
        list->pop_back();
        if (list->empty()) client.shared.store.remove(key);
        return;
    }
    asi.add(
        [&client, ms, keys = std::move(keys)](IAsyncSteps& step) {
            Waiters& waiters = client.shared.waiters;
            const auto deliver = [done = step.waitExternal()](const std::string& key,
                                                              const std::string& element) mutable {
                return done.success(bulkArray({key, element}));
            };
            const Waiters::Ticket ticket = waiters.enter(keys, deliver);
            step.defer([&waiters, ticket](IAsyncSteps&) { waiters.withdraw(ticket); });
            if (ms > 0) step.setTimeout(ms);
            client.waits();
        },
        [](IAsyncSteps& step, const std::string& code) {
            if (code == steptree::errors::Timeout) step.success(nullArray);
        },
        "blpop");
}

}  // namespace resp
