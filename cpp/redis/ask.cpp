#include "ask.hpp"

#include <utility>

#include "steptree/error.hpp"

namespace steptree::detail::redis {

namespace {

/// What was answered after the step has ended is of no use to anybody.
Answer answerOf(Completion done) {
    return [done = std::move(done)](Reply reply) {
        if (reply.isError()) {
            done.error(errors::RedisFailed, reply.text);
        } else {
            done.success(std::move(reply));
        }
    };
}

}  // namespace

void askScript(IAsyncSteps& asi, RedisConnection& connection, const std::string& base,
               std::string_view script, Words args) {
    asi.add([&connection, base, script, args = std::move(args)](IAsyncSteps& asking) {
        RedisConnection::Access::script(connection, script, base, args,
                                        answerOf(asking.waitExternal()));
    });
}

void ask(IAsyncSteps& asi, RedisConnection& connection, Words words) {
    asi.add([&connection, words = std::move(words)](IAsyncSteps& asking) {
        RedisConnection::Access::wire(connection).send(words, answerOf(asking.waitExternal()));
    });
}

}  // namespace steptree::detail::redis
