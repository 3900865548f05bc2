#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "steptree/tool.hpp"

namespace resp {

/// A list's head is at its vector's end: LPUSH and BLPOP both work there.
using List = std::vector<std::string>;

/// What a key holds.
using Value = std::variant<std::string, List>;

/// The keys and their values. A key that has expired is gone, whether its timer has already run or
/// not.
class Store {
  public:
    explicit Store(steptree::Tool& tool) : tool_(tool) {}

    /// Null: there is no such key. Good until the key is put or removed.
    Value* find(const std::string& key);

    /// Replaces value and expiry.
    Value& put(const std::string& key, Value value);

    /// False: there is no such key.
    bool remove(const std::string& key);

    /// The key is gone in `ms`, at once if that is not positive. False: there is no such key.
    bool expire(const std::string& key, std::int64_t ms);

    /// Milliseconds until the key is gone: -1 if it stays, -2 if it isn't there.
    std::int64_t timeToLive(const std::string& key);

    void clear();

  private:
    struct Entry {
        Value value;
        /// On the tool's clock; `never` if it stays.
        std::int64_t expiresAt;
        steptree::Handle timer;
    };

    Entry* live(const std::string& key);

    steptree::Tool& tool_;
    std::unordered_map<std::string, Entry> entries_;
};

}  // namespace resp
