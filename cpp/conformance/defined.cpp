#include "defined.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guards.hpp"
#include "inside.hpp"
#include "made.hpp"
#include "own.hpp"
#include "runcase.hpp"
#include "steptree/parallel.hpp"
#include "steptree/sync.hpp"
#include "text.hpp"
#include "visit.hpp"

namespace conformance {

using steptree::AnyValues;
using steptree::IAsyncSteps;
using Any = steptree::Step<>;

namespace {

/// What makes lines, or many steps.
constexpr std::array kCrowded{"parallel", "all",         "race",  "any", "hedge",
                              "map",      "newInstance", "times", "loop"};

void lookAt(Made& made, std::set<std::string>& remade, const Json& program) {
    made.alone = program["flows"].size() == 1 && !program.contains("options");
    visitCase(program, [&](const Json& action, bool) {
        if (!action.is_object()) return;
        const auto has = [&](const char* key) { return action.contains(key); };
        if (std::any_of(kCrowded.begin(), kCrowded.end(), has)) made.alone = false;
        if (has("lose")) made.loses = true;
        if (has("busy")) made.idle = false;
        if (has("snapshot")) made.alone = made.idle = false;  // it sees when they open
        if (has("makeGuard")) remade.insert(action["makeGuard"].get<std::string>());
    });
}

/// It sets a limit, and does nothing then but add steps, so that it would wait without the limit,
/// too. The limit of a value begins when that opens, which may be a turn before the body is called.
/// The handler of a value stands around it: the steps that it adds aren't numbered behind those of
/// the body.
bool isLimited(const Made& made, const Json& form) {
    const Json& handler = part(form, "catch");
    if (std::any_of(handler.begin(), handler.end(), isForm)) return false;
    const Json& actions = part(form, "do");
    if (actions.size() < 2 || !actions[0].is_object() || !actions[0].contains("setTimeout"))
        return false;
    const bool inTime = made.alone || (made.idle && actions[0]["setTimeout"] != 0);
    return inTime && std::all_of(actions.begin() + 1, actions.end(), isForm);
}

Any limited(World& world, const Json& form) {
    Code code = codeIn(world, form);
    code.first = 1;
    std::optional<Any> made = sequenceOf(code, "step");
    if (!made) {
        withBody<const steptree::Results&>(code,
                                           [&](auto body) { made = stepOf(std::move(body)); });
    }
    const Json& limit = form["do"][0];
    const double ms = numberOf(limit["setTimeout"]);
    const Any value =
        limit.contains("code") ? made->timeout(ms, textOf(limit, "code")) : made->timeout(ms);
    return handled(world, value, form);
}

/// The handler of the call hears of what fails inside of the lock, that of the value stands around
/// it.
Any guarded(World& world, const Json& form) {
    const AnyGuard guard = guardOf(world, form);
    std::optional<Any> made;
    withInside<const steptree::Results&>(world, form, [&](auto body) {
        const Any inside = handled(world, stepOf(std::move(body)), form);
        std::visit([&](auto& of) { made = steptree::sync(*of, inside); }, guard);
    });
    return *made;
}

Any successOf(const Json& form) {
    return steptree::step<AnyValues, AnyValues>([&values = form["successStep"]](IAsyncSteps& asi) {
        withSpread(values, [&](const auto&... value) { asi.success(value...); });
    });
}

/// Nothing: one of its branches is none.
std::optional<Any> branchesOf(World& world, const Json& form) {
    std::vector<Any> branches;
    for (const Json& branch : part(form, "branches")) {
        const Any* const known = madeFor(world, branch);
        if (known == nullptr) return {};
        branches.push_back(*known);
    }
    return handled(world, steptree::parallel(branches), form);
}

/// The value that leaves the same trace as the call that adds the form.
std::optional<Any> addedValue(World& world, const Json& form) {
    const Made& made = *world.made;
    const std::string kind = kindOf(form);
    if (kind == "relinquish" || kind == "await") return {};
    if (kind == "step" && isLimited(made, form)) return limited(world, form);
    if (kind == "sync" && form.contains("catch")) {
        if (!made.alone || made.loses) return {};
        return guarded(world, form);
    }
    if (kind == "successStep") return successOf(form);
    if (kind == "parallel") return branchesOf(world, form);
    return valueOf(world, form);
}

void defineOne(World& world, const Json& form, bool isPart) {
    Made& made = *world.made;
    ++made.steps;
    if (isPart && hasValue(kindOf(form))) {
        made.parts.emplace(&form, valueOf(world, form));
    } else {
        std::optional<Any> value = addedValue(world, form);
        if (!value) return;
        made.added.emplace(&form, std::move(*value));
    }
    ++made.values;
}

/// What has no value, since its guard isn't there yet or an argument is refused, is told so where
/// it's added.
void define(World& world, const Json& program) {
    const auto guards = world.guards;
    std::set<std::string> remade;
    lookAt(*world.made, remade, program);
    for (const std::string& name : remade) {
        for (const char* side : {"", ".read", ".write"}) world.guards.erase(name + side);
    }
    world.defining = true;
    visitCase(program, [&](const Json& action, bool isPart) {
        if (!isForm(action)) return;
        try {
            defineOne(world, action, isPart);
        } catch (const steptree::StepError&) {
        } catch (const Fault&) {
        }
    });
    world.defining = false;
    world.guards = guards;
}

}  // namespace

Json runDefined(MakeFlow makeFlow, const Json& program) {
    Made made;
    std::optional<World> world;  // values refer to it: the next one stands in the same place
    const auto begin = [&] {
        world.emplace(makeFlow, program);
        world->made = &made;
        makeShared(*world, program);
    };
    begin();
    define(*world, program);
    if (made.values == 0) return Json::object({{"unfit", "none of its steps can be a value"}});
    const Json share{{"steps", made.steps}, {"values", made.values}, {"bodies", made.bodies}};
    Json answer = runIn(*world, program);
    if (!world->ended()) {
        begin();
        Json again = runIn(*world, program);
        if (again != answer) {
            answer["trace"].push_back("again:");
            for (Json& line : again["trace"]) answer["trace"].push_back(std::move(line));
        }
    }
    answer["share"] = share;
    return answer;
}

}  // namespace conformance
