#pragma once

#include <string>

#include "world.hpp"

namespace conformance {

/// Does one action on the context's accessor.
void performOwn(World& world, const Context& context, const std::string& name, const Json& action);

/// Calls `use` with the elements of a list as arguments; 5 stand for all that is too many, of which
/// the compiler would warn.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Use>
void withSpread(const Json& v, Use use) {
    const auto value = [&v](std::size_t i) { return Value(v[i]); };
    switch (v.size()) {
        case 0:
            return use();
        case 1:
            return use(value(0));
        case 2:
            return use(value(0), value(1));
        case 3:
            return use(value(0), value(1), value(2));
        case 4:
            return use(value(0), value(1), value(2), value(3));
        default:
            return use(value(0), value(1), value(2), value(3), value(4));
    }
}

}  // namespace conformance
