#include "forms.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "bodies.hpp"
#include "collections.hpp"
#include "maps.hpp"
#include "own.hpp"
#include "text.hpp"

namespace conformance {

using steptree::IAsyncSteps;
using steptree::IParallel;

namespace {

constexpr std::array kForms{"step",     "loop",  "repeat", "forEach",    "map",
                            "parallel", "race",  "any",    "await",      "sync",
                            "shield",   "delay", "retry",  "successStep"};

template <class Steps>
void addStep(World& world, Steps& steps, const Json& form, const Code& code) {
    withHandler(world, code.id, form, [&](auto handler) {
        withBody<steptree::Results&>(code, [&](auto body) {
            steps.add(std::move(body), std::move(handler), form.value("name", ""));
        });
    });
}

template <class Steps>
void addSync(World& world, Steps& steps, const Json& form, const Code& code) {
    const AnyGuard& guard = World::found(world.guards, form["guard"].get<std::string>());
    withHandler(world, code.id, form, [&](auto handler) {
        withBody<steptree::Results&>(code, [&](auto body) {
            const auto add = [&](auto& of) {
                steps.sync(*of, std::move(body), std::move(handler));
            };
            std::visit(add, guard);
        });
    });
}

template <class Steps>
void addShield(World& world, Steps& steps, const Json& form, const Code& code) {
    const double limit = numberOf(form["limit"]);
    withHandler(world, code.id, form, [&](auto handler) {
        withBody<steptree::Results&>(
            code, [&](auto body) { steps.shield(limit, std::move(body), std::move(handler)); });
    });
}

/// A body of `loop` gets no index.
template <class B>
struct WithoutIndex {
    B body;
    auto operator()(IAsyncSteps& asi) const {
        steptree::Results none;
        return body(asi, none);
    }
};

template <class Steps>
void addLoop(Steps& steps, const Json& form, const Code& code, const std::string& kind) {
    const std::string label = form.value("label", "");
    if (kind == "loop") {
        withBody<steptree::Results&>(code, [&](auto body) {
            steps.loop(WithoutIndex<decltype(body)>{std::move(body)}, label);
        });
        return;
    }
    const double times = form["times"].get<double>();
    const bool whole = std::floor(times) == times;
    withBody<std::int64_t>(code, [&](auto body) {
        steps.repeat(whole ? static_cast<std::int64_t>(times) : -1, std::move(body), label);
    });
}

template <class Steps>
void addForEach(Steps& steps, const Json& form, const Code& code) {
    withBody<const Value&, const Value&>(code, [&](auto body) {
        withCollection(form["of"], [&](auto collection) {
            steps.forEach(std::move(collection), std::move(body), form.value("label", ""));
        });
    });
}

/// A count that isn't whole is none.
std::int64_t countOf(const Json& number) {
    const double count = numberOf(number);
    return std::floor(count) == count && count < 1e15 ? static_cast<std::int64_t>(count) : -1;
}

/// What the function of `on` answers.
steptree::RetryDecision answerTo(const Json& on, const std::string& code,
                                 const steptree::StepError& error) {
    using Time = std::chrono::duration<double, std::milli>;
    const auto found = on.find(code);
    if (found == on.end()) return false;
    if (found->is_boolean()) return found->get<bool>();
    if (!isText(*found, "retry_after")) return Time(numberOf(*found));
    if (error.retryAfter() < 0) return false;
    return Time(static_cast<double>(error.retryAfter()));
}

steptree::RetryOn retryOn(const Json& on) {
    if (on.is_array()) return on.get<std::vector<std::string>>();
    return [&on](const std::string& code, const steptree::StepError& error) {
        const Quiet quiet;
        return answerTo(on, code, error);
    };
}

steptree::RetryOptions retryOptions(World& world, const Json& form) {
    steptree::RetryOptions options{.max = countOf(form["max"])};
    const Json& backoff = part(form, "backoff");
    if (backoff.contains("base")) options.backoff.base = numberOf(backoff["base"]);
    if (backoff.contains("factor")) options.backoff.factor = numberOf(backoff["factor"]);
    if (backoff.contains("cap")) options.backoff.cap = numberOf(backoff["cap"]);
    if (backoff.contains("jitter")) options.backoff.jitter = numberOf(backoff["jitter"]);
    if (form.contains("on")) options.on = retryOn(form["on"]);
    if (form.contains("budget")) {
        options.budget = World::found(world.budgets, form["budget"].get<std::string>()).get();
    }
    return options;
}

template <class Steps>
void addRetry(World& world, Steps& steps, const Json& form, const Code& code) {
    withHandler(world, code.id, form, [&](auto handler) {
        withBody<std::int64_t>(code, [&](auto body) {
            steps.retry(retryOptions(world, form), std::move(body), std::move(handler));
        });
    });
}

template <class Steps>
void addBranch(World& world, Steps& steps, const Json& form) {
    const std::string kind = form.begin().key();
    if (kind == "delay") {
        steps.delay(numberOf(form["delay"]));
        return;
    }
    const Code code{world, textOf(form, kind.c_str()), part(form, "do")};
    if (kind == "step") return addStep(world, steps, form, code);
    if (kind == "loop" || kind == "repeat") return addLoop(steps, form, code, kind);
    if (kind == "forEach") return addForEach(steps, form, code);
    if (kind == "shield") return addShield(world, steps, form, code);
    if (kind == "map") return addMap(world, steps, form, code);
    if (kind == "sync") return addSync(world, steps, form, code);
    if (kind == "retry") return addRetry(world, steps, form, code);
    if (kind != "await") throw Fault("no form '" + kind + "'");
    withHandler(world, code.id, form, [&](auto handler) {
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

bool hasBranches(const Json& form) {
    const std::string& kind = form.begin().key();
    return kind == "parallel" || kind == "race" || kind == "any";
}

template <class Steps>
void addBranches(World& world, Steps& steps, const Json& form) {
    const std::string& kind = form.begin().key();
    const std::string name = form.value("name", "");
    IParallel* branches = nullptr;
    insist([&] {
        withHandler(world, form.front().get<std::string>(), form, [&](auto handler) {
            branches = kind == "race"  ? &steps.race(std::move(handler), name)
                       : kind == "any" ? &steps.any(std::move(handler), name)
                                       : &steps.parallel(std::move(handler), name);
        });
    });
    if (branches == nullptr) return;  // left out
    for (const Json& branch : part(form, "branches")) {
        insist([&] { addBranch(world, *branches, branch); });
    }
}

template <class Steps>
void addAny(World& world, Steps& steps, const Json& form) {
    if (form.is_string()) {
        steps.relinquish();
    } else if (hasBranches(form)) {
        addBranches(world, steps, form);
    } else if (form.contains("successStep")) {
        withSpread(form["successStep"], [&](const auto&... v) { steps.successStep(v...); });
    } else {
        addBranch(world, steps, form);
    }
}

}  // namespace

bool isForm(const Json& action) {
    if (action.is_string()) return isText(action, "relinquish");
    const std::string& name = action.begin().key();
    for (const char* form : kForms) {
        if (name == form) return true;
    }
    return false;
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
