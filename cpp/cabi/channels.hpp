#pragma once

#include "steptree/channel.hpp"
#include "steptree/cvalue.hpp"

namespace steptree::cabi {

using ValueChannel = Channel<Value>;

inline ValueChannel& from(steptree_channel* channel) noexcept {
    return *reinterpret_cast<ValueChannel*>(channel);
}
inline const ValueChannel& from(const steptree_channel* channel) noexcept {
    return *reinterpret_cast<const ValueChannel*>(channel);
}

}  // namespace steptree::cabi
