#include "bodies.hpp"

#include "actions.hpp"
#include "text.hpp"

namespace conformance {

using steptree::IAsyncSteps;

bool Code::returns() const {
    return !actions.empty() && actions.back().is_object() && actions.back().contains("return");
}

void Code::run(IAsyncSteps& asi) const {
    perform(world, {&asi, id, false, returns()}, actions);
}

NamedPromise Code::returned() const {
    return world.promise(textOf(actions.back(), "return"));
}

bool Code::returnsOperation() const {
    return returns() && world.isOperation(textOf(actions.back(), "return"));
}

void Start::start(IAsyncSteps& asi) const {
    code.say([&] { return code.id; });
    code.run(asi);
}

void Start::start(IAsyncSteps& asi, steptree::Results& values) const {
    code.say([&] { return withValues(code.id, values); });
    code.run(asi);
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
