#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "steptree/steps.hpp"
#include "world.hpp"

namespace conformance {

/// The code of one form; `id` is what the trace calls it.
struct Code {
    World& world;
    std::string id;
    const Json& actions;
    std::uint32_t first = 0;  // what stands before it is said in another way
    bool returns = true;      // somebody calls returned()

    void run(steptree::IAsyncSteps& asi, const std::string& outcome = "-") const;
    /// What it returns: void, or what its last action says. See withReturned().
    template <class R>
    R returned() const;
    bool returnsPromise() const;
    bool returnsOperation() const;
    bool returnsValue() const;
    /// Whether it ends with `{returnStep: form}`, or with a form for which a value has been made.
    bool returnsStep() const;
    /// What has been made for its last action, if it's a form: that is returned, not added.
    const steptree::Step<>* last() const;
    /// Writes what `text` gives, if the trace calls it anything.
    template <class Text>
    void say(Text text) const {
        const Quiet quiet;
        if (!id.empty()) world.log(text());
    }
};

template <>
void Code::returned<void>() const;
template <>
NamedPromise Code::returned<NamedPromise>() const;
template <>
NamedOperation Code::returned<NamedOperation>() const;
template <>
Value Code::returned<Value>() const;
template <>
steptree::Step<> Code::returned<steptree::Step<>>() const;

/// What a body or handler writes when it starts, then what it does.
struct Start {
    Code code;

    void start(steptree::IAsyncSteps& asi) const;
    void start(steptree::IAsyncSteps& asi, const steptree::Results& values) const;
    void start(steptree::IAsyncSteps& asi, const steptree::Outcome& outcome) const;
    void start(steptree::IAsyncSteps& asi, const std::string& error) const;
    void start(steptree::IAsyncSteps& asi, std::int64_t i) const;
    void start(steptree::IAsyncSteps& asi, const Value& key, const Value& value) const;
};

/// Gives `use` the type of what the code returns.
template <class Use>
void withReturned(const Code& code, Use use) {
    if (code.returnsOperation()) return use(std::type_identity<NamedOperation>());
    if (code.returnsPromise()) return use(std::type_identity<NamedPromise>());
    if (code.returnsValue()) return use(std::type_identity<Value>());
    if (code.returnsStep()) return use(std::type_identity<steptree::Step<>>());
    use(std::type_identity<void>());
}

/// A body or handler whose parameters behind the accessor are P.
template <class R, class... P>
struct Body : Start {
    R operator()(steptree::IAsyncSteps& asi, P... arguments) const {
        start(asi, arguments...);
        return code.returned<R>();
    }
};

template <class... P, class Use>
void withBody(const Code& code, Use use) {
    withReturned(code, [&]<class R>(std::type_identity<R>) { use(Body<R, P...>{{code}}); });
}

/// An error handler: a value that it returns would be dropped, and doesn't compile.
template <class Use>
void withHandler(const Code& code, Use use) {
    withReturned(code, [&]<class R>(std::type_identity<R>) {
        using Kept = std::conditional_t<std::is_same_v<R, Value>, void, R>;
        use(Body<Kept, const std::string&>{{code}});
    });
}

/// Gives `use` the form's handler, null if it has none.
template <class Use>
void withHandler(World& world, const std::string& id, const Json& form, Use use) {
    if (!form.contains("catch")) return use(nullptr);
    withHandler({world, id, part(form, "catch")}, use);
}

}  // namespace conformance
