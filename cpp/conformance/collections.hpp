#pragma once

#include <string>
#include <utility>
#include <vector>

#include "world.hpp"

namespace conformance {

/// A map that keeps the order of a case.
struct OrderedMap {
    using key_type = Value;
    using mapped_type = Value;

    std::vector<std::pair<const Value, Value>> entries;

    auto begin() const { return entries.begin(); }
    auto end() const { return entries.end(); }
};

/// What can't be iterated is refused where the loop starts.
struct NoCollection {
    const Value* begin() const {
        throw steptree::StepError(steptree::errors::InternalError,
                                  "forEach: expected something to iterate");
    }
    const Value* end() const { return nullptr; }
};

inline std::vector<Value> charactersOf(const std::string& text) {
    std::vector<Value> characters;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 1;
        while (at + length < text.size() && (text[at + length] & 0xc0) == 0x80) ++length;
        characters.emplace_back(Json(text.substr(at, length)));
        at += length;
    }
    return characters;
}

/// What `from` stands for.
inline steptree::Channel<Value>& channelOf(World& world, const Json& form) {
    return world.channel(form["from"].get<std::string>());
}

/// Gives `use` the collection that `of` stands for.
template <class Use>
void withCollection(const Json& of, Use use) {
    OrderedMap map;
    if (of.is_array()) return use(std::vector<Value>(of.begin(), of.end()));
    if (of.is_string()) return use(charactersOf(of.get<std::string>()));
    if (!of.is_object()) return use(NoCollection{});
    if (of.contains("map") && of["map"].is_array()) {
        for (const Json& entry : of["map"]) map.entries.emplace_back(entry[0], entry[1]);
    } else {
        for (const auto& [key, value] : of.items()) map.entries.emplace_back(Json(key), value);
    }
    use(std::move(map));
}

}  // namespace conformance
