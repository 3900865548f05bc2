#include "store.hpp"

#include <limits>
#include <utility>

namespace resp {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

}  // namespace

Value* Store::find(const std::string& key) {
    Entry* entry = live(key);
    return entry ? &entry->value : nullptr;
}

Value& Store::put(const std::string& key, Value value) {
    remove(key);
    Entry entry{std::move(value), never, {}};
    return entries_.emplace(key, std::move(entry)).first->second.value;
}

bool Store::remove(const std::string& key) {
    Entry* entry = live(key);
    if (!entry) return false;
    entry->timer.cancel();
    entries_.erase(key);
    return true;
}

bool Store::expire(const std::string& key, std::int64_t ms) {
    Entry* entry = live(key);
    if (!entry) return false;
    if (ms <= 0) return remove(key);
    entry->timer.cancel();
    entry->expiresAt = tool_.now() + ms;
    entry->timer = tool_.deferred(ms, [this, key] { live(key); });
    return true;
}

std::int64_t Store::timeToLive(const std::string& key) {
    const Entry* entry = live(key);
    if (!entry) return -2;
    return entry->expiresAt == never ? -1 : entry->expiresAt - tool_.now();
}

void Store::clear() {
    for (auto& [key, entry] : entries_) entry.timer.cancel();
    entries_.clear();
}

Store::Entry* Store::live(const std::string& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    if (found->second.expiresAt > tool_.now()) return &found->second;
    found->second.timer.cancel();
    entries_.erase(found);
    return nullptr;
}

}  // namespace resp
