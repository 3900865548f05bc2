#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "steptree/error.hpp"

namespace steptree::detail::redis {

/// An error of another process, or one that it was caused by; of bounded length.
struct Failure {
    std::string code;
    std::string info;
    std::string path;
    std::int64_t retryAfter = -1;  // of a refusal: as of a StepError
};

Failure failureOf(std::string_view code, std::string_view info, std::string_view path = {},
                  std::int64_t retryAfter = -1);
/// What was thrown, as an error with a code.
StepError errorOf(const std::exception_ptr& error);
/// The error, then what has caused it: a few.
std::vector<Failure> failuresOf(const std::exception_ptr& error);

/// What a text says that may be anybody's: each thing in the list that may be one, and nothing of
/// what isn't readable.
nlohmann::json listIn(const std::string& text);
Failure failureIn(const nlohmann::json& thing);
/// A number of at least 0; what is none is the other one.
std::int64_t wholeIn(const nlohmann::json& thing, const char* name, std::int64_t otherwise);
/// What is no UTF-8 is replaced.
std::string textOf(const nlohmann::json& list);
nlohmann::json jsonOf(const Failure& failure);

}  // namespace steptree::detail::redis
