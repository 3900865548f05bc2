#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace resp {

/// All parts in a row, with one allocation.
std::string concat(std::initializer_list<std::string_view> parts);

/// ASCII letters only, as command names are.
std::string toLower(std::string_view text);

std::string toUpper(std::string_view text);

}  // namespace resp
