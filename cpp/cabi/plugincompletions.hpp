#pragma once

#include "code.hpp"
#include "steptree/steptree.h"

/// The completions that plug-ins keep: they are two words of the engine, which know nothing of a
/// plug-in, so who has which is kept here. Any thread.
namespace steptree::cabi {

/// A plug-in is given one.
void keepCompletion(Code& code, steptree_completion completion);
/// It has made a copy, or dropped one. One that is nobody's is left alone.
void countCopy(steptree_completion completion) noexcept;
void uncountCopy(steptree_completion completion) noexcept;

}  // namespace steptree::cabi
