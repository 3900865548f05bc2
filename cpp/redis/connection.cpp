#include "connection.hpp"

#include <algorithm>
#include <utility>

#include "misuse.hpp"
#include "scripts.hpp"

namespace steptree {

namespace {

using detail::redis::Answer;
using detail::redis::Reply;
using detail::redis::Script;
using detail::redis::Wire;
using detail::redis::Words;

bool isPrefix(const std::string& prefix) noexcept {
    const auto isKnown = [](char c) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return isLetter || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    };
    return !prefix.empty() && std::ranges::all_of(prefix, isKnown);
}

RedisOptions checked(RedisOptions options) {
    if (isPrefix(options.prefix)) return options;
    detail::misuse("RedisConnection: prefix: expected letters, digits, _, . and -");
}

}  // namespace

RedisConnection::RedisConnection(RedisOptions options)
    : wire_(std::make_unique<Wire>(checked(std::move(options)))) {}

RedisConnection::~RedisConnection() = default;

std::string RedisConnection::Access::key(RedisConnection& of, std::string_view kind,
                                         std::string_view name, std::string_view what) {
    if (name.empty() || name.find_first_of("{}") != name.npos) {
        detail::misuse(std::string(what) + ": name: expected a text without { and }");
    }
    std::string key = "{" + of.wire_->prefix() + ":";
    return key.append(kind).append(":").append(name).append("}");
}

void RedisConnection::Access::script(RedisConnection& of, std::string_view name, std::string key,
                                     Words args, Answer answer) {
    const Script& script = detail::redis::scriptOf(name);
    Wire& wire = *of.wire_;
    Words words{"EVALSHA", std::string(script.sha), "1", std::move(key), wire.timers().text()};
    for (std::string& word : args) words.push_back(std::move(word));
    Words again = words;
    wire.send(std::move(words), [&wire, &script, again = std::move(again),
                                 answer = std::move(answer)](Reply reply) mutable {
        // The server was restarted, its scripts were flushed, or it has never seen this one.
        if (!reply.refuses("NOSCRIPT")) return answer(std::move(reply));
        try {
            again[0] = "EVAL";
            again[1] = script.text;
            wire.send(std::move(again), answer);
        } catch (...) {
            answer(Reply::gone("no memory"));
        }
    });
}

}  // namespace steptree
