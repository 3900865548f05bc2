// A plug-in that uses all of steptree/plugin.hpp.
#include <cstdint>
#include <steptree/plugin.hpp>
#include <string>
#include <string_view>

using namespace steptree::plugin;

namespace {

StepValue doubles;
int started = 0;

Error begin() {
    ++started;
#ifdef DOES_NOT_START
    return host.offer("doubles", host.service(""));  // which couldn't be made
#endif
    doubles = step([](Step in, Args args) { return in.success(2 * args.integer(0)); });
    return host.offer("doubles", doubles);
}
void end() {
    doubles = StepValue();
}

// Fails in a step with a name, in one with another.
Error fails(Step asi) {
    return asi.addNamed("outer", [](Step outer) {
        return outer.addNamed(
            "inner", [](Step inner) { return inner.error("Own"); },
            [](Step step, std::string_view code) {
                return step.error(std::string(code) + "2", "with a cause", step.lastError());
            });
    });
}

// How much time there is, in a step that is limited, and in one that isn't.
Error remains(Step asi) {
    std::int64_t none = 0;
    if (const Error error = asi.remaining(none)) return error;
    const auto limited = [none](Step step) -> Error {
        std::int64_t some = 0;
        if (const Error error = step.setTimeout(30)) return error;
        if (const Error error = step.remaining(some)) return error;
        return step.addSuccess(none == INT64_MAX, some);
    };
    return asi.add(limited);
}

// Tells the state how it has ended.
Error defers(Step asi, Args args) {
    const auto told = [](Step step, Outcome outcome) -> Error {
        const auto* raw = outcome.raw();
        const std::string_view why(raw->reason.data, raw->reason.size);
        if (const Error error = step.state().set("why", why)) return error;
        return step.state().set("ended", outcome ? "well" : outcome.code());
    };
    if (const Error error = asi.defer(told)) return error;
    if (const Error error = asi.defer([](Step step) { return step.delay(5); })) return error;
    if (args.size() == 0) return asi.success();
    return args.text(0) == "forever" ? asi.delay(60'000) : asi.error(args.text(0));
}

// Counts its calls in the state.
Error counts(Step asi) {
    const State state = asi.state();
    const bool first = !state.has("count") && state.get("count").isNothing();
    const std::int64_t count = state.get("count").integer() + 1;
    if (const Error error = state.set("count", count)) return error;
    if (count == 3) {
        if (const Error error = state.erase("count")) return error;
    }
    return asi.success(first, count);
}

// Gives a list and a map, with others inside.
Error gives(Step asi) {
    const List inner{1, 2.5, Value()};
    Map map{{"list", inner}, {7, true}};
    const std::string late = "late";
    map.add("text", late);
    return asi.success(List{"a", inner, map}, map);
}

// Looks into a list and a map.
Error looks(Step asi, Args args) {
    const View list = args.at(0);
    const View map = args.at(1);
    const bool all = list.size() == 3 && list[0].text() == "a" && list[1][1].number() == 2.5 &&
                     list[1][2].isNothing() && list[3].isNothing() && map.size() == 3 &&
                     map.get("list")[0].integer() == 1 && map.key(1).integer() == 7 &&
                     map[1].boolean() && map.get("text").text() == "late" &&
                     map.get("none").isNothing() && map.get("none").integer(9) == 9 &&
                     list.get("text").isNothing() && args.at(2).isNothing() && list.bytes().empty();
    return asi.success(all);
}

// Calls a service, with a limit and a name; and one that can't be made.
Error calls(Step asi, Args args) {
    return asi.add(host.service(args.text(0)).with(21).timeout(10).named("called"));
}

}  // namespace

STEPTREE_PLUGIN_STARTED_BY(begin, end, "rich", "1", handler<&fails>("fails", 0, 0, ""),
                           handler<&remains>("remains", 0, 0, ""),
                           handler<&defers>("defers", 0, 1, ""),
                           handler<&counts>("counts", 0, 0, ""), handler<&gives>("gives", 0, 0, ""),
                           handler<&looks>("looks", 2, 2, ""), handler<&calls>("calls", 1, 1, ""))
