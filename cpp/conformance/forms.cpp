#include "forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bodies.hpp"
#include "collections.hpp"
#include "guards.hpp"
#include "inside.hpp"
#include "made.hpp"
#include "own.hpp"
#include "text.hpp"

namespace conformance {

using steptree::IAsyncSteps;
using steptree::IParallel;
using Any = steptree::Step<>;

namespace {

constexpr std::array kForms{"step",   "steps",    "loop",  "repeat", "forEach",     "map",
                            "all",    "parallel", "race",  "any",    "await",       "sync",
                            "shield", "delay",    "retry", "hedge",  "successStep", "wrapped"};
/// Those without a call of their own.
constexpr std::array kValues{"steps", "all",   "race",   "any",   "map",
                             "retry", "hedge", "shield", "delay", "wrapped"};

template <class Names>
bool isOneOf(const Names& names, const std::string& kind) {
    return std::find(names.begin(), names.end(), kind) != names.end();
}

template <class Steps>
void addStep(World& world, Steps& steps, const Json& form) {
    withHandler(world, textOf(form, "step"), form, [&](auto handler) {
        withBody<steptree::Results&>(codeIn(world, form), [&](auto body) {
            steps.add(std::move(body), std::move(handler), form.value("name", ""));
        });
    });
}

template <class Steps>
void addSync(World& world, Steps& steps, const Json& form) {
    const AnyGuard guard = guardOf(world, form);
    withHandler(world, textOf(form, "sync"), form, [&](auto handler) {
        withInside<steptree::Results&>(world, form, [&](auto body) {
            const auto add = [&](auto& of) {
                steps.sync(*of, std::move(body), std::move(handler));
            };
            std::visit(add, guard);
        });
    });
}

template <class Steps>
void addAwait(World& world, Steps& steps, const Json& form) {
    withHandler(world, textOf(form, "await"), form, [&](auto handler) {
        if (form.contains("flow")) {
            steps.await(world.flow(form["flow"].get<std::string>()), std::move(handler));
            return;
        }
        const auto name = form["on"].get<std::string>();
        if (world.isOperation(name)) {
            steps.await(NamedOperation(world.promise(name)), std::move(handler));
        } else {
            steps.await(world.promise(name), std::move(handler));
        }
    });
}

/// False: it isn't one of a branch.
template <class Steps>
bool addBranch(World& world, Steps& steps, const Json& form) {
    if (const Any* value = madeFor(world, form)) {
        steps.add(*value);
        return true;
    }
    const std::string kind = kindOf(form);
    const std::string label = form.is_string() ? "" : form.value("label", "");
    if (isOneOf(kValues, kind)) {
        steps.add(valueOf(world, form));
    } else if (kind == "step") {
        addStep(world, steps, form);
    } else if (kind == "loop") {
        withRound(world, form, [&](auto body) { steps.loop(std::move(body), label); });
    } else if (kind == "repeat") {
        withInside<std::int64_t>(
            world, form, [&](auto body) { steps.repeat(timesOf(form), std::move(body), label); });
    } else if (kind == "forEach") {
        withInside<const Value&, const Value&>(world, form, [&](auto body) {
            if (form.contains("from")) {
                steps.forEach(channelOf(world, form), body, label);
                return;
            }
            withCollection(form["of"], [&](auto collection) {
                steps.forEach(std::move(collection), body, label);
            });
        });
    } else if (kind == "sync") {
        addSync(world, steps, form);
    } else if (kind == "await") {
        addAwait(world, steps, form);
    } else {
        return false;
    }
    return true;
}

template <class Steps>
void addBranches(World& world, Steps& steps, const Json& form) {
    IParallel* branches = nullptr;
    insist([&] {
        withHandler(world, textOf(form, "parallel"), form, [&](auto handler) {
            branches = &steps.parallel(std::move(handler), form.value("name", ""));
        });
    });
    if (branches == nullptr) return;  // left out
    for (const Json& branch : part(form, "branches")) {
        insist([&] {
            if (addBranch(world, *branches, branch)) return;
            throw Fault("no branch '" + kindOf(branch) + "'");
        });
    }
}

template <class Steps>
void addAny(World& world, Steps& steps, const Json& form) {
    if (addBranch(world, steps, form)) return;
    if (form.is_string()) {
        steps.relinquish();
    } else if (form.contains("parallel")) {
        addBranches(world, steps, form);
    } else {
        withSpread(form["successStep"], [&](const auto&... v) { steps.successStep(v...); });
    }
}

}  // namespace

std::int64_t timesOf(const Json& form) {
    const double times = form["times"].get<double>();
    return std::floor(times) == times ? static_cast<std::int64_t>(times) : -1;
}

std::string kindOf(const Json& form) {
    return form.is_string() ? form.get<std::string>() : form.begin().key();
}

Code codeIn(World& world, const Json& form) {
    return {world, textOf(form, kindOf(form).c_str()), part(form, "do")};
}

const Any* madeFor(const World& world, const Json& form) {
    return world.made == nullptr ? nullptr : world.made->find(form);
}

bool hasValue(const std::string& kind) {
    return kind != "await" && kind != "successStep" && kind != "relinquish" && kind != "parallel";
}

bool isForm(const Json& action) {
    if (action.is_string()) return isText(action, "relinquish");
    return isOneOf(kForms, action.begin().key());
}

void addForms(World& world, IAsyncSteps& steps, const Json& forms) {
    for (const Json& form : forms) insist([&] { addAny(world, steps, form); });
}

void addForms(World& world, steptree::IFlow& steps, const Json& forms) {
    for (const Json& form : forms) insist([&] { addAny(world, steps, form); });
}

void addForm(World& world, IAsyncSteps& steps, const Json& form) {
    addAny(world, steps, form);
}

}  // namespace conformance
