#pragma once

#include <exception>
#include <string>

#include "steptree/error.hpp"

namespace rig {

/// The code of the StepError that `call` throws; "foreign " and the text of another exception.
template <class F>
std::string codeOf(F&& call) {
    try {
        call();
    } catch (const steptree::StepError& e) {
        return e.code();
    } catch (const std::exception& e) {
        return std::string("foreign ") + e.what();
    }
    return "nothing";
}

}  // namespace rig
