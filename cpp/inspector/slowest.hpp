#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json.hpp"

/// How long closed steps have taken, by where they stand: rounds, attempts and items of one step
/// count as one.
namespace steptree::detail::inspecting {

/// In the program: a step, or a kind of flows.
struct Place {
    std::string flow;
    std::string path;
    std::string kind;
    std::uint64_t count = 0;
    double total = 0;
    double max = 0;
    /// By kind and element.
    std::unordered_map<std::string, Place*> inside{};
    bool isLast = false;                    // nothing more is told apart
    std::optional<std::uint32_t> number{};  // of its path; see Texts

    void took(double ms) noexcept;
};

/// A round, an attempt, an item or a branch, whatever its number is: `#*`, `|*`.
std::string patternOf(const std::string& element);

class Slowest {
  public:
    /// Flows whose names differ in numbers only are of one kind.
    Place& flowOf(std::string_view name);
    /// Inside of another one.
    Place& placeOf(Place& around, const std::string& element, std::string_view kind);
    /// Those with the slowest step.
    void show(Json& json) const;

  private:
    Place& add(std::unordered_map<std::string, Place*>& to, std::string key, Place made);

    std::unordered_map<std::string, Place*> flows_;
    std::vector<std::unique_ptr<Place>> places_;
    Place others_{.flow = {}, .path = "…", .kind = {}, .isLast = true};
};

}  // namespace steptree::detail::inspecting
