#pragma once

#include <string>
#include <utility>
#include <vector>

#include "world.hpp"

namespace conformance {

/// The code of one form; `id` is what the trace calls it.
struct Code {
    World& world;
    std::string id;
    const Json& actions;

    /// Whether it ends with `{return: p}`.
    bool returns() const;
    void run(steptree::IAsyncSteps& asi) const;
    NamedPromise returned() const;
    bool returnsOperation() const;
    /// Writes what `text` gives, if the trace calls it anything.
    template <class Text>
    void say(Text text) const {
        const Quiet quiet;
        if (!id.empty()) world.log(text());
    }
};

/// What a body or handler writes when it starts, then what it does.
struct Start {
    Code code;

    void start(steptree::IAsyncSteps& asi) const;
    void start(steptree::IAsyncSteps& asi, steptree::Results& values) const;
    void start(steptree::IAsyncSteps& asi, const std::string& error) const;
    void start(steptree::IAsyncSteps& asi, std::int64_t i) const;
    void start(steptree::IAsyncSteps& asi, const Value& key, const Value& value) const;
};

/// A body or handler whose parameters behind the accessor are P.
template <class... P>
struct Body : Start {
    void operator()(steptree::IAsyncSteps& asi, P... arguments) const { start(asi, arguments...); }
};

/// The same for one that returns a promise.
template <class Promise, class... P>
struct ReturningBody : Start {
    Promise operator()(steptree::IAsyncSteps& asi, P... arguments) const {
        start(asi, arguments...);
        return Promise(code.returned());
    }
};

template <class... P, class Use>
void withBody(Code code, Use use) {
    if (code.returnsOperation()) return use(ReturningBody<NamedOperation, P...>{{std::move(code)}});
    if (code.returns()) return use(ReturningBody<NamedPromise, P...>{{std::move(code)}});
    use(Body<P...>{{std::move(code)}});
}

/// Gives `use` the form's handler, null if it has none.
template <class Use>
void withHandler(World& world, const std::string& id, const Json& form, Use use) {
    if (!form.contains("catch")) return use(nullptr);
    withBody<const std::string&>({world, id, part(form, "catch")}, use);
}

}  // namespace conformance
