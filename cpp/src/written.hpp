#pragma once

#include <string>

/// Where the bodies of steps were written.
namespace steptree::detail {

class Step;

/// That of its body: `order.cpp:12`, or `in order()`; empty: it has none, or it isn't known.
std::string writtenAt(Step& step);

}  // namespace steptree::detail
