#pragma once

#include <string>

#include "world.hpp"

namespace conformance {

/// Does one action on the context's accessor.
void performOwn(World& world, const Context& context, const std::string& name, const Json& action);

/// Calls `use` with the elements of a list as arguments; 5 stand for all that is too many.
template <class Use>
void withSpread(const Json& v, Use use) {
    switch (v.size()) {
        case 0:
            return use();
        case 1:
            return use(v[0]);
        case 2:
            return use(v[0], v[1]);
        case 3:
            return use(v[0], v[1], v[2]);
        case 4:
            return use(v[0], v[1], v[2], v[3]);
        default:
            return use(v[0], v[1], v[2], v[3], v[4]);
    }
}

}  // namespace conformance
