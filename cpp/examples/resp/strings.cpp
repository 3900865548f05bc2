#include "strings.hpp"

#include <optional>

#include "errors.hpp"
#include "numbers.hpp"
#include "reply.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;

namespace {

struct SetOptions {
    std::string condition;
    std::optional<std::int64_t> ms;
};

struct Time {
    std::int64_t unit;
    std::string text;
};

std::int64_t readExpiry(IAsyncSteps& asi, const Time& time) {
    const auto value = parseInteger(time.text);
    if (!value) notAnInteger(asi);
    const auto ms = multiply(*value, time.unit);
    if (!ms || *ms <= 0 || *ms > longestMs)
        asi.error("ERR", "invalid expire time in 'set' command");
    return *ms;
}

SetOptions readOptions(IAsyncSteps& asi, const Command& args) {
    SetOptions options;
    std::optional<Time> time;
    for (std::size_t i = 3; i < args.size(); ++i) {
        const std::string word = toLower(args[i]);
        if ((word == "nx" || word == "xx") &&
            (options.condition.empty() || options.condition == word)) {
            options.condition = word;
        } else if ((word == "ex" || word == "px") && !time && i + 1 < args.size()) {
            time = Time{word == "ex" ? 1000 : 1, args[++i]};
        } else {
            syntaxError(asi);
        }
    }
    if (time) options.ms = readExpiry(asi, *time);
    return options;
}

/// Null: there is no such key.
std::string* textOf(IAsyncSteps& asi, Client& client, const std::string& key) {
    Value* value = client.shared.store.find(key);
    if (!value) return nullptr;
    auto* text = std::get_if<std::string>(value);
    if (!text) wrongType(asi);
    return text;
}

}  // namespace

void get(IAsyncSteps& asi, Client& client, const Command& args) {
    const std::string* text = textOf(asi, client, args[1]);
    asi.success(text ? bulk(*text) : nullBulk);
}

void set(IAsyncSteps& asi, Client& client, const Command& args) {
    Store& store = client.shared.store;
    const std::string& key = args[1];
    const SetOptions options = readOptions(asi, args);
    const bool exists = store.find(key) != nullptr;
    if ((options.condition == "nx" && exists) || (options.condition == "xx" && !exists)) {
        asi.success(nullBulk);
        return;
    }
    store.put(key, args[2]);
    if (options.ms) store.expire(key, *options.ms);
    asi.success(ok);
}

void incr(IAsyncSteps& asi, Client& client, const Command& args) {
    const std::string& key = args[1];
    std::string* text = textOf(asi, client, key);
    const auto old = text ? parseInteger(*text) : 0;
    if (!old) notAnInteger(asi);
    const auto value = increment(*old);
    if (!value) asi.error("ERR", "increment or decrement would overflow");
    if (text) {
        *text = std::to_string(*value);
    } else {
        client.shared.store.put(key, std::to_string(*value));
    }
    asi.success(integer(*value));
}

}  // namespace resp
