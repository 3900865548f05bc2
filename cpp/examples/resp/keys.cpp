#include "keys.hpp"

#include "errors.hpp"
#include "numbers.hpp"
#include "reply.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;

namespace {

void expireIn(IAsyncSteps& asi, Client& client, const Command& args, std::int64_t unit) {
    if (args.size() > 3) asi.error("ERR", concat({"Unsupported option ", args[3]}));
    const auto value = parseInteger(args[2]);
    if (!value) notAnInteger(asi);
    const auto ms = multiply(*value, unit);
    if (!ms || *ms > longestMs) {
        asi.error("ERR", concat({"invalid expire time in '", toLower(args[0]), "' command"}));
    }
    asi.success(integer(client.shared.store.expire(args[1], *ms) ? 1 : 0));
}

}  // namespace

void del(IAsyncSteps& asi, Client& client, const Command& args) {
    std::int64_t removed = 0;
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (client.shared.store.remove(args[i])) ++removed;
    }
    asi.success(integer(removed));
}

void expire(IAsyncSteps& asi, Client& client, const Command& args) {
    expireIn(asi, client, args, 1000);
}

void pexpire(IAsyncSteps& asi, Client& client, const Command& args) {
    expireIn(asi, client, args, 1);
}

void ttl(IAsyncSteps& asi, Client& client, const Command& args) {
    const std::int64_t ms = client.shared.store.timeToLive(args[1]);
    asi.success(integer(ms < 0 ? ms : (ms + 500) / 1000));
}

void pttl(IAsyncSteps& asi, Client& client, const Command& args) {
    asi.success(integer(client.shared.store.timeToLive(args[1])));
}

}  // namespace resp
