#include "bodies.hpp"

#include "actions.hpp"
#include "forms.hpp"
#include "text.hpp"

namespace conformance {

using steptree::IAsyncSteps;

namespace {

bool endsWith(const Json& actions, const char* action) {
    return !actions.empty() && actions.back().is_object() && actions.back().contains(action);
}

}  // namespace

void Code::run(IAsyncSteps& asi, const std::string& outcome) const {
    const std::size_t end = actions.size() - (last() == nullptr ? 0 : 1);
    perform(world, {&asi, id, false, returnsPromise(), false, outcome}, actions, first, end);
}

const steptree::Step<>* Code::last() const {
    return returns && actions.size() > first ? madeFor(world, actions.back()) : nullptr;
}

bool Code::returnsPromise() const {
    return endsWith(actions, "return");
}

bool Code::returnsStep() const {
    return last() != nullptr || endsWith(actions, "returnStep");
}

bool Code::returnsOperation() const {
    return returnsPromise() && world.isOperation(textOf(actions.back(), "return"));
}

bool Code::returnsValue() const {
    return endsWith(actions, "returnValue");
}

template <>
void Code::returned<void>() const {}

template <>
NamedPromise Code::returned<NamedPromise>() const {
    return world.promise(textOf(actions.back(), "return"));
}

template <>
NamedOperation Code::returned<NamedOperation>() const {
    return NamedOperation(returned<NamedPromise>());
}

template <>
Value Code::returned<Value>() const {
    return actions.back()["returnValue"];
}

template <>
steptree::Step<> Code::returned<steptree::Step<>>() const {
    const steptree::Step<>* const made = last();
    return made != nullptr ? *made : valueOf(world, actions.back()["returnStep"]);
}

void Start::start(IAsyncSteps& asi) const {
    code.say([&] { return code.id; });
    code.run(asi);
}

void Start::start(IAsyncSteps& asi, const steptree::Results& values) const {
    code.say([&] { return withValues(code.id, values); });
    code.run(asi);
}

void Start::start(IAsyncSteps& asi, const steptree::Outcome& outcome) const {
    code.say([&] { return code.id; });
    code.run(asi, textOf(outcome));
}

void Start::start(IAsyncSteps& asi, const std::string& error) const {
    code.say([&] { return code.id + "! " + error; });
    code.run(asi);
}

void Start::start(IAsyncSteps& asi, std::int64_t i) const {
    code.say([&] { return withArguments(code.id, {i}); });
    code.run(asi);
}

void Start::start(IAsyncSteps& asi, const Value& key, const Value& value) const {
    code.say([&] { return withArguments(code.id, {key.json(), value.json()}); });
    code.run(asi);
}

}  // namespace conformance
