#include "world.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace conformance {

using steptree::IFlow;

namespace {

steptree::Order orderOf(const Json& order) {
    if (order.is_array()) return order.get<std::vector<std::uint32_t>>();
    return order.is_null() ? 0 : order.get<std::uint32_t>();
}

}  // namespace

World::World(MakeFlow makeFlow, const Json& program)
    : tool({.seed = program.value("seed", std::uint32_t{0}),
            .order = orderOf(part(program, "order"))}),
      makeFlow_(makeFlow),
      looks_(program.dump().find("\"snapshot\"") != std::string::npos) {
    for (const Json& name : part(program, "cancellable")) {
        cancellable_.insert(name.get<std::string>());
    }
    for (const Json& name : part(program, "operations")) {
        operations_.insert(name.get<std::string>());
    }
}

void World::write(std::string line) {
    if (tool.now() != time_) {
        time_ = tool.now();
        add("@" + std::to_string(time_));
    }
    add(std::move(line));
}

void World::add(std::string line) {
    if (ended()) return;
    if (trace.size() < kLongestTrace) {
        trace.push_back(std::move(line));
        return;
    }
    trace.push_back("truncated");
    stop();
}

void World::stop() {
    over_ = true;
    for (auto& [name, flow] : flows_) flow->cancel();
    for (auto& [name, scope] : scopes_) always([&scope = scope] { scope.close(); });
    ending.request_stop();
}

namespace {

std::chrono::milliseconds milliseconds(const Json& ms) {
    if (isText(ms, "Infinity")) return std::chrono::milliseconds::max();
    if (isText(ms, "NaN")) return std::chrono::milliseconds(-1);  // a duration has none
    return std::chrono::milliseconds(ms.get<std::int64_t>());
}

}  // namespace

steptree::Options World::optionsOf(const std::string& name, const Json& options) {
    steptree::Options made;
    made.name = name;
    if (options.contains("burst")) made.burst = options["burst"].get<std::uint32_t>();
    if (options.contains("grace")) made.grace = milliseconds(options["grace"]);
    made.unhandled = [this, name](const std::string& code, const std::string&, std::exception_ptr,
                                  const std::string&) { log(name, " unhandled ", code); };
    made.report = [this, name](const std::string& code, const std::string&, std::exception_ptr,
                               const std::string&) { log(name, " report ", code); };
    return made;
}

IFlow& World::makeFlow(const std::string& name, const Json& options) {
    adopt(name, makeFlow_(tool, optionsOf(name, options)));
    return flow(name);
}

steptree::Scope& World::scope(const std::string& name) {
    const Quiet quiet;
    return scopes_.try_emplace(name, tool).first->second;
}

void World::makeScope(const std::string& name, const Json& options) {
    auto made = std::make_shared<const steptree::Options>(optionsOf(name, options));
    scopes_.try_emplace(name, tool, std::move(made));
}

void World::adopt(const std::string& name, std::unique_ptr<IFlow> flow) {
    const Quiet quiet;
    if (!flows_.contains(name)) names.push_back(name);
    for (Execution& run : runs) run.gone |= run.flow == name;
    flows_[name] = std::move(flow);
}

IFlow& World::flow(const std::string& name) {
    return *found(flows_, name);
}

Signal& World::signal(const std::string& name) {
    const Quiet quiet;
    Signal& known = signals[name];
    if (!known.token.stop_possible() && !known.token.stop_requested()) {
        known.source = std::stop_source();
        known.token = known.source.get_token();
    }
    return known;
}

void World::endsItself() {
    const Quiet quiet;
    if (!looks_ || endedHere_.size() == kMostStarted) return;
    const auto flows = tool.snapshot().flows;
    if (!flows.empty()) endedHere_.insert(flows.back().id);
}

void World::checkRuns() {
    std::set<std::string> open;
    for (const Execution& run : runs) {
        const bool untold = run.told == 0 && !run.refused && !run.gone;
        const bool runs = untold && flow(run.flow).running() && open.insert(run.flow).second;
        if (run.told > (run.refused ? 0 : 1) || (untold && !runs)) {
            throw Fault("a run of " + run.flow + " has ended " + std::to_string(run.told) +
                        " times");
        }
    }
}

NamedPromise World::promise(const std::string& name) {
    const Quiet quiet;
    const auto known = promises_.find(name);
    if (known != promises_.end()) return known->second;
    NamedPromise& promise = promises_[name];
    if (isOperation(name) || cancellable_.contains(name)) {
        promise.onCancel([this, name] { log(name, " cancelled"); });
    }
    return promise;
}

}  // namespace conformance
