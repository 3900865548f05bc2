#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// What a page asks for, as `spec/inspector.schema.json` says.
namespace steptree::detail::inspecting {

/// What a page looks at. What is absent doesn't matter.
struct View {
    enum class Sort : std::uint8_t { since, age, id, name, deadline, lines };

    /// In the id, name, path and wait of a flow.
    std::string text{};
    std::optional<bool> cancelling{};
    /// The kind of wait.
    std::optional<std::string> waits{};
    /// A code that the flow has handled.
    std::optional<std::string> code{};
    /// The id of a guard that it has, or waits for.
    std::optional<std::uint64_t> guard{};
    std::optional<std::int64_t> age{};    // ms
    std::optional<std::int64_t> since{};  // how long it waits, ms
    Sort sort = Sort::since;
    bool reverse = false;
    std::size_t first = 0;  // row, from 0 on
    std::size_t rows = 60;
    /// The run that is expanded.
    std::optional<std::uint64_t> open{};
    /// The frames that answer it say it, too.
    std::optional<std::uint64_t> number{};
};

}  // namespace steptree::detail::inspecting
