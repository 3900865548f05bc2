#pragma once

#include <cstdint>

namespace steptree {

/// Who calls a tool that several threads drive.
enum class Caller : std::uint8_t {
    inside,   ///< nobody else iterates until it has returned: it is as good as the tool's thread
    driver,   ///< may be needed to iterate: what would wait for the tool is InternalError
    outside,  ///< any other thread
};

}  // namespace steptree
