#pragma once

#include "step.hpp"

/// Steps whose branches are items of a collection.
namespace steptree::detail {

bool startMap(Line& line, Step& host) noexcept;
/// An item has ended with ok.
void itemDone(Branch& item) noexcept;
/// Its line may serve another one.
void freeItem(Branch& item) noexcept;
/// A closing has reached the map.
void stopMap(Step& host) noexcept;
/// Nothing of it is open any more but itself.
void closeSource(Step& host) noexcept;

}  // namespace steptree::detail
