#pragma once

#include <string>

#include "steptree/cvalue.hpp"
#include "steptree/results.hpp"

/// Between commands and the values of plug-ins.
namespace resp {

/// An argument, which may be any bytes.
steptree::Value bytesOf(const std::string& text);

/// What a plug-in has left as a reply: a string or bytes are a bulk string, whole numbers and bools
/// are integers, lists and several values are arrays, nothing is the null bulk. Throws
/// InternalError for anything else.
std::string replyOf(const steptree::Results& left);

}  // namespace resp
