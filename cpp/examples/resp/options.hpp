#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limits.hpp"

namespace resp {

struct Options {
    std::uint16_t port = 0;
    bool untilStdinEnds = false;
    /// Its flows are shown on a page.
    bool inspect = false;
    /// Only asks what there is.
    bool help = false;
    /// Files whose handlers are commands.
    std::vector<std::string> plugins;
    Limits limits;
    /// What is wrong with the arguments.
    std::string error;
};

/// `--port N --until-stdin-ends --inspect --plugin FILE --help --LIMIT N`, a limit by its name in
/// `Limits`.
Options readOptions(const std::vector<std::string>& args);

/// What `--help` says.
std::string helpText();

}  // namespace resp
