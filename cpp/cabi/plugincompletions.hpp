#pragma once

#include <cstdint>

#include "code.hpp"

/// The completions and awaiters that plug-ins keep: they are two words of the engine, which know
/// nothing of a plug-in, so who has which is kept here. Any thread.
namespace steptree::cabi {

/// A plug-in is given one.
void keepRight(Code& code, void* slot, std::uint64_t generation);
/// It has made a copy, or dropped one. One that is nobody's is left alone.
void countCopy(void* slot, std::uint64_t generation) noexcept;
void uncountCopy(void* slot, std::uint64_t generation) noexcept;

}  // namespace steptree::cabi
