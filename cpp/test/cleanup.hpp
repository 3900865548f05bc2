#pragma once

#include <exception>
#include <string>
#include <vector>

#include "rig.hpp"

namespace rig {

using Log = std::vector<std::string>;

/// What the flow reports goes into the log.
inline steptree::Options reporting(Log& log) {
    steptree::Options options;
    options.report = [&log](const std::string& code, const std::string&, const std::exception_ptr&,
                            const std::string& path) { log.push_back(code + " " + path); };
    return options;
}

}  // namespace rig
