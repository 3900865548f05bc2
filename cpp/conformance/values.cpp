#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "bodies.hpp"
#include "collections.hpp"
#include "forms.hpp"
#include "guards.hpp"
#include "inside.hpp"
#include "made.hpp"
#include "maps.hpp"
#include "own.hpp"
#include "steptree/delay.hpp"
#include "steptree/hedge.hpp"
#include "steptree/loop.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"
#include "steptree/shield.hpp"
#include "steptree/sync.hpp"
#include "text.hpp"

/// Step values, as forms describe them.
namespace conformance {

using steptree::IAsyncSteps;
using Any = steptree::Step<>;
using steptree::AnyValues;

namespace {

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

/// Null: none.
steptree::RetryBudget* budgetOf(World& world, const Json& form) {
    if (!form.contains("budget")) return nullptr;
    return World::found(world.budgets, form["budget"].get<std::string>()).get();
}

steptree::RetryOptions retryOptions(World& world, const Json& form) {
    steptree::RetryOptions options{.max = countOf(form["max"])};
    if (isText(form["max"], "Infinity")) options.max = steptree::kUnlimited;
    const Json& backoff = part(form, "backoff");
    if (backoff.contains("base")) options.backoff.base = numberOf(backoff["base"]);
    if (backoff.contains("factor")) options.backoff.factor = numberOf(backoff["factor"]);
    if (backoff.contains("cap")) options.backoff.cap = numberOf(backoff["cap"]);
    if (backoff.contains("jitter")) options.backoff.jitter = numberOf(backoff["jitter"]);
    if (form.contains("on")) options.on = retryOn(form["on"]);
    options.budget = budgetOf(world, form);
    return options;
}

steptree::HedgeOptions hedgeOptions(World& world, const Json& form) {
    steptree::HedgeOptions options{.after = numberOf(form["after"])};
    if (form.contains("max")) options.max = countOf(form["max"]);
    if (form.contains("on")) options.on = retryOn(form["on"]);
    options.budget = budgetOf(world, form);
    return options;
}

std::vector<Any> partsOf(World& world, const Json& forms) {
    std::vector<Any> parts;
    for (const Json& form : forms) parts.push_back(valueOf(world, form));
    return parts;
}

/// What isn't known as a value is a body that makes the call.
Any callOf(World& world, const Json& form) {
    return steptree::step<AnyValues, AnyValues>(
        [&world, &form](IAsyncSteps& asi) { addForm(world, asi, form); });
}

Any sectionOf(World& world, const Json& form) {
    const AnyGuard guard = guardOf(world, form);
    std::optional<Any> made;
    withInside<const steptree::Results&>(world, form, [&](auto body) {
        std::visit([&](auto& of) { made = steptree::sync(*of, std::move(body)); }, guard);
    });
    return *made;
}

Any loopOf(World& world, const Json& form, const std::string& kind) {
    const std::string label = form.value("label", "");
    std::optional<Any> made;
    if (kind == "loop") {
        withRound(world, form, [&](auto body) { made = steptree::loop(std::move(body), label); });
    } else if (kind == "repeat") {
        withInside<std::int64_t>(world, form, [&](auto body) {
            made = steptree::repeat(timesOf(form), std::move(body), label);
        });
    } else {
        withInside<const Value&, const Value&>(world, form, [&](auto body) {
            if (form.contains("from")) {
                made = steptree::forEach(channelOf(world, form), body, label);
                return;
            }
            withCollection(form["of"], [&](auto collection) {
                made = steptree::forEach(std::move(collection), body, label);
            });
        });
    }
    return *made;
}

Any bodyOf(World& world, const Json& form, const std::string& kind) {
    std::optional<Any> made;
    withInside<const steptree::Results&>(world, form, [&](auto body) {
        if (kind == "step") {
            made = stepOf(std::move(body));
        } else if (kind == "shield") {
            made = steptree::shield(numberOf(form["limit"]), std::move(body));
        } else if (kind == "hedge") {
            made = steptree::hedge(hedgeOptions(world, form), std::move(body));
        } else {
            made = steptree::retry(retryOptions(world, form), std::move(body));
        }
    });
    return *made;
}

Any wrapped(World& world, const Any& value, const Json& wrap) {
    if (wrap.contains("code")) {
        return value.timeout(numberOf(wrap["timeout"]), wrap["code"].get<std::string>());
    }
    if (wrap.contains("timeout")) return value.timeout(numberOf(wrap["timeout"]));
    if (wrap.contains("name")) return value.named(wrap["name"].get<std::string>());
    std::optional<Any> made;
    if (wrap.contains("catch")) {
        withHandler({world, textOf(wrap, "catch"), part(wrap, "do")},
                    [&](auto handler) { made = value.onError(handler); });
    } else {
        withSpread(wrap["with"], [&](const auto&... values) {
            if constexpr (sizeof...(values) <= 4) made = value.with(values...);
        });
    }
    if (!made) {  // more of them don't compile
        throw steptree::StepError(steptree::errors::InternalError, "with: at most 4 values");
    }
    return *made;
}

Any plainValueOf(World& world, const Json& form, const std::string& kind) {
    if (kind == "steps") return steptree::steps(partsOf(world, part(form, "parts")));
    if (kind == "all") return steptree::all(partsOf(world, part(form, "branches")));
    if (kind == "race") return steptree::race(partsOf(world, part(form, "branches")));
    if (kind == "any") return steptree::any(partsOf(world, part(form, "branches")));
    if (kind == "delay") return steptree::delay(numberOf(form["delay"]));
    if (kind == "map") return mapOf(world, form, codeIn(world, form));
    if (kind == "sync") return sectionOf(world, form);
    if (kind == "loop" || kind == "repeat" || kind == "forEach") return loopOf(world, form, kind);
    if (kind != "wrapped") return bodyOf(world, form, kind);
    Any value = valueOf(world, form["wrapped"]);
    for (const Json& wrap : form["wraps"]) value = wrapped(world, value, wrap);
    return value;
}

}  // namespace

std::optional<Any> sequenceOf(const Code& code, const std::string& kind) {
    Made* const made = code.world.made;
    if (made == nullptr || !code.id.empty() || !made->describes(kind)) return {};
    std::vector<Any> parts;
    for (std::size_t i = code.first; i < code.actions.size(); ++i) {
        const Any* const known = made->find(code.actions[i]);
        if (known == nullptr) return {};
        parts.push_back(*known);
    }
    ++made->bodies;
    return Any(steptree::steps(parts).with());  // the first gets nothing, as in a body
}

Any handled(World& world, Any value, const Json& form) {
    withHandler(world, textOf(form, kindOf(form).c_str()), form, [&](auto handler) {
        if constexpr (!std::is_null_pointer_v<decltype(handler)>) value = value.onError(handler);
    });
    return form.contains("name") ? value.named(form["name"].get<std::string>()) : value;
}

Any valueOf(World& world, const Json& form) {
    if (world.made != nullptr) {
        const auto known = world.made->parts.find(&form);
        if (known != world.made->parts.end()) return known->second;
    }
    const std::string kind = kindOf(form);
    if (!hasValue(kind)) return callOf(world, form);
    return handled(world, plainValueOf(world, form, kind), form);
}

}  // namespace conformance
