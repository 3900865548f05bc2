#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "memory.hpp"

namespace conformance {

using Json = nlohmann::ordered_json;

/// A value that the engine carries: a copy takes memory as any user's would, but not its end, for
/// which a Json takes some as well.
class Value {
  public:
    Value() = default;
    Value(const Json& json) : json_(json) {}
    Value(std::size_t index) : json_(index) {}
    /// An entry of a map.
    Value(const std::pair<const Value, Value>& entry)
        : json_(Json::array({entry.first.json_, entry.second.json_})) {}
    Value(const Value&) = default;
    Value(Value&&) noexcept = default;
    Value& operator=(Value other) noexcept {
        json_.swap(other.json_);
        return *this;
    }
    ~Value() {
        const Quiet quiet;
        json_ = nullptr;
    }

    const Json& json() const noexcept { return json_; }
    std::string dump() const { return json_.dump(); }

  private:
    Json json_;
};

}  // namespace conformance
