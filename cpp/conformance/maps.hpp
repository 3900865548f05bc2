#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "bodies.hpp"
#include "collections.hpp"
#include "sources.hpp"

namespace conformance {

/// The body of a map: an item may have actions of its own.
struct ItemBody {
    Code code;
    const Json& at;

    void operator()(steptree::IAsyncSteps& asi, const Value& item, std::size_t i) const;
};

/// The same with what it returns.
template <class R>
struct ReturningItemBody : ItemBody {
    R operator()(steptree::IAsyncSteps& asi, const Value& item, std::size_t i) const {
        ItemBody::operator()(asi, item, i);
        return code.returned<R>();
    }
};

/// Writes what it gets, then does its actions.
struct Sink {
    Code code;

    void operator()(steptree::Results values, std::size_t i) const;
};

/// The step value of a map.
steptree::Step<> mapOf(World& world, const Json& form, Code code);

}  // namespace conformance
