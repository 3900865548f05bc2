#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resp {

/// The words of an inline command: separated by blanks, in double quotes (with the escapes \n \r \t
/// \b \a \xHH) or in single ones (with \' only). Nothing: quotes are not closed, or something
/// clings to a closing one.
std::optional<std::vector<std::string>> splitInline(std::string_view line);

}  // namespace resp
