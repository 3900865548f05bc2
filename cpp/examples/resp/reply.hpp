#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Replies as they go over the wire.
namespace resp {

inline const std::string ok = "+OK\r\n";
inline const std::string pong = "+PONG\r\n";
inline const std::string nullBulk = "$-1\r\n";
inline const std::string nullArray = "*-1\r\n";

std::string errorReply(std::string_view text);

std::string integer(std::int64_t value);

std::string bulk(std::string_view text);

/// An array of replies.
std::string array(const std::vector<std::string>& items);

std::string bulkArray(const std::vector<std::string>& texts);

}  // namespace resp
