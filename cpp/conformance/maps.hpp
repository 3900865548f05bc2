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

template <class Steps>
void addMap(World& world, Steps& steps, const Json& form, const Code& code) {
    using steptree::Results;
    withHandler(world, code.id, form, [&](auto handler) {
        steptree::MapOptions<Results> options{form["limit"].get<std::size_t>(),
                                              form.value("ordered", true)};
        if (form.contains("sink")) options.sink = Sink{{world, code.id, part(form, "sink")}};
        ItemBody body{code, part(form, "at")};
        const auto add = [&](auto source) {
            withReturned(code, [&]<class R>(std::type_identity<R>) {
                steps.template map<Results>(std::move(source), std::move(options),
                                            ReturningItemBody<R>{std::move(body)},
                                            std::move(handler));
            });
        };
        const Json& of = form["of"];
        if (isSource(of)) return add(Source(world, of));
        // Keys of an object can be gone through, but it is nothing to iterate over.
        if (of.is_object() && !of.contains("map")) return add(NoCollection{});
        withCollection(of, add);
    });
}

}  // namespace conformance
