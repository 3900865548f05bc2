#include "maps.hpp"

#include <optional>

#include "actions.hpp"
#include "forms.hpp"
#include "steptree/map.hpp"
#include "text.hpp"

namespace conformance {

void ItemBody::operator()(steptree::IAsyncSteps& asi, const Value& item, std::size_t i) const {
    code.say([&] { return withArguments(code.id, {item.json(), i}); });
    code.run(asi);
    const std::string key = std::to_string(i);
    if (at.contains(key)) Code{code.world, code.id, part(at, key), 0, false}.run(asi);
}

void Sink::operator()(steptree::Results values, std::size_t i) const {
    code.say([&] { return withArguments(code.id + ">", {valueOf(values, 0), i}); });
    perform(code.world, {nullptr, code.id}, code.actions);
}

namespace {

/// Gives `use` the body, or what stands in its place.
template <class Use>
void withItemBody(World& world, const Json& form, const Code& code, Use use) {
    if (form.contains("body")) return use(valueOf(world, form["body"]));
    withReturned(code, [&]<class R>(std::type_identity<R>) {
        use(ReturningItemBody<R>{{code, part(form, "at")}});
    });
}

template <class Use>
void withSource(World& world, const Json& form, Use use) {
    if (form.contains("from")) return use(channelOf(world, form));
    const Json& of = form["of"];
    if (isSource(of)) return use(Source(world, of));
    // Keys of an object can be gone through, but it is nothing to iterate over.
    if (of.is_object() && !of.contains("map")) return use(NoCollection{});
    if (!of.is_object()) return withCollection(of, use);
    std::vector<Value> entries;
    for (const Json& entry : of["map"]) entries.emplace_back(Json{entry[0], entry[1]});
    use(std::move(entries));
}

}  // namespace

steptree::Step<> mapOf(World& world, const Json& form, Code code) {
    using steptree::Results;
    code.returns = !form.contains("at");  // what is done there comes last
    std::optional<steptree::Step<>> made;
    withItemBody(world, form, code, [&](auto body) {
        withSource(world, form, [&](auto&& source) {
            const steptree::MapOptions options{form["limit"].get<std::size_t>(),
                                               form.value("ordered", true)};
            if (form.contains("sink")) {
                const Sink sink{{world, code.id, part(form, "sink")}};
                made = steptree::map<Results>(std::forward<decltype(source)>(source), options, body,
                                              sink);
            } else {
                made =
                    steptree::map<Results>(std::forward<decltype(source)>(source), options, body);
            }
        });
    });
    return *made;
}

}  // namespace conformance
