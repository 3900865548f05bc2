#include "connection.hpp"

#include <algorithm>
#include <utility>

#include "misuse.hpp"
#include "scripts.hpp"

namespace steptree {

namespace {

using detail::redis::Answer;
using detail::redis::RedisReplicas;
using detail::redis::ReplicasNeeded;
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

/// Without the script.
Words commandOf(Wire& wire, std::string key, Words args) {
    Words words{"EVALSHA", "", "1", std::move(key), wire.timers().text()};
    for (std::string& word : args) words.push_back(std::move(word));
    return words;
}

/// `by` sends it.
template <class By>
void ask(By& by, std::string_view name, Words words, Answer answer) {
    const Script& script = detail::redis::scriptOf(name);
    words[1] = script.sha;
    Words again = words;
    by.send(std::move(words), [&by, &script, again = std::move(again),
                               answer = std::move(answer)](Reply reply) mutable {
        // The server was restarted, its scripts were flushed, or it has never seen this one.
        if (!reply.refuses("NOSCRIPT")) return answer(std::move(reply));
        try {
            again[0] = "EVAL";
            again[1] = script.text;
            by.send(std::move(again), answer);
        } catch (...) {
            answer(Reply::gone("no memory"));
        }
    });
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
    Wire& wire = *of.wire_;
    ask(wire, name, commandOf(wire, std::move(key), std::move(args)), std::move(answer));
}

void RedisConnection::Access::replicated(RedisConnection& of, std::string_view name,
                                         std::string key, Words args, const ReplicasNeeded& needed,
                                         Answer answer) {
    Wire& wire = *of.wire_;
    RedisReplicas& replicas = wire.replicas();
    auto confirmed = [&replicas, needed, answer = std::move(answer)](Reply reply) mutable {
        const bool isDone = !reply.list.empty() && reply.list[0].number == 1;
        if (!isDone) return answer(std::move(reply));
        replicas.confirm(std::move(reply), needed, std::move(answer));
    };
    ask(replicas, name, commandOf(wire, std::move(key), std::move(args)), std::move(confirmed));
}

}  // namespace steptree
