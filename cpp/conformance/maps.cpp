#include "maps.hpp"

#include "actions.hpp"
#include "text.hpp"

namespace conformance {

void ItemBody::operator()(steptree::IAsyncSteps& asi, const Value& item, std::size_t i) const {
    code.say([&] { return withArguments(code.id, {item.json(), i}); });
    code.run(asi);
    const std::string key = std::to_string(i);
    if (at.contains(key)) Code{code.world, code.id, part(at, key)}.run(asi);
}

void Sink::operator()(steptree::Results values, std::size_t i) const {
    code.say([&] { return withArguments(code.id + ">", {valueOf(values, 0), i}); });
    perform(code.world, {nullptr, code.id}, code.actions);
}

}  // namespace conformance
