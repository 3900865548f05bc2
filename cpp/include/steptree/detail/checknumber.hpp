#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "steptree/error.hpp"
#include "steptree/unlimited.hpp"

namespace steptree::detail {

/// As JavaScript writes it, but for what is no number: 20000, 0.5, 1e+300.
inline std::string textOf(double number) {
    if (number > -1e15 && number < 1e15) {
        const auto whole = static_cast<std::int64_t>(number);
        if (static_cast<double>(whole) == number) return std::to_string(whole);
    }
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// Options that are numbers: InternalError if they are out of bounds.
inline void checkNumber(const char* name, std::int64_t given, const char* orElse = "") {
    constexpr std::int64_t most = (std::int64_t{1} << 53) - 1;
    if (given >= 1 && (given <= most || (*orElse != 0 && given == kUnlimited))) return;
    throw StepError(errors::InternalError, name + (": expected a whole number from 1 to 2^53 - 1" +
                                                   (orElse + (", got " + std::to_string(given)))));
}
inline void checkNumber(const char* name, double given, double least, double most) {
    if (given >= least && given <= most) return;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::string wanted = most < infinity ? "a finite number, " : "a number, ";
    wanted += textOf(least) + " or more";
    if (most < std::numeric_limits<double>::max())
        wanted = "a number from " + textOf(least) + " to " + textOf(most);
    throw StepError(errors::InternalError,
                    name + (": expected " + wanted + ", got " + textOf(given)));
}

}  // namespace steptree::detail
