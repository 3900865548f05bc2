#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "flowentry.hpp"
#include "json.hpp"

namespace steptree::detail::inspecting {

/// Waits that last: flows of one kind that wait at one place for the same are one. Timers don't
/// count, as their end is known. It's of one moment: for as long as nothing is looked at again.
class LastingWaits {
  public:
    explicit LastingWaits(std::int64_t now) : now_(now) {}

    void add(const FlowEntry& entry);
    /// The longest first.
    void show(Json& json);

  private:
    struct Sum {
        const FlowEntry* longest;
        std::int64_t ms;  // it has waited for so long
        std::size_t count;
    };
    /// The kind of flow, where, and what it waits for.
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                           std::string_view>;

    const std::int64_t now_;
    std::map<Key, std::size_t> places_;  // in the sums
    std::vector<Sum> sums_;
};

}  // namespace steptree::detail::inspecting
