#include "world.hpp"

#include <algorithm>
#include <chrono>

namespace conformance {

using steptree::IFlow;

namespace {

steptree::Order orderOf(const Json& order) {
    if (order.is_array()) return order.get<std::vector<std::uint32_t>>();
    return order.get<std::uint32_t>();
}

}  // namespace

World::World(MakeFlow makeFlow, const Json& program)
    : tool({.seed = program.value("seed", std::uint32_t{0}),
            .order = orderOf(program.value("order", Json(0)))}),
      makeFlow_(makeFlow) {
    for (const Json& name : program.value("cancellable", Json::array())) {
        cancellable_.insert(name.get<std::string>());
    }
}

void World::log(const std::string& text) {
    if (tool.now() != time_) {
        time_ = tool.now();
        write("@" + std::to_string(time_));
    }
    write(text);
}

void World::write(std::string line) {
    if (ended()) return;
    if (trace.size() < kLongestTrace) {
        trace.push_back(std::move(line));
        return;
    }
    trace.push_back("truncated");
    for (auto& [name, flow] : flows_) flow->cancel();
}

namespace {

std::chrono::milliseconds milliseconds(const Json& ms) {
    if (ms == "Infinity") return std::chrono::milliseconds::max();
    if (ms == "NaN") return std::chrono::milliseconds(-1);  // a duration has none
    return std::chrono::milliseconds(ms.get<std::int64_t>());
}

}  // namespace

IFlow& World::makeFlow(const std::string& name, const Json& options) {
    steptree::Options made;
    if (options.contains("burst")) made.burst = options["burst"].get<std::uint32_t>();
    if (options.contains("grace")) made.grace = milliseconds(options["grace"]);
    made.unhandled = [this, name](const std::string& code, const std::string&, std::exception_ptr,
                                  const std::string&) { log(name + " unhandled " + code); };
    made.report = [this, name](const std::string& code, const std::string&, std::exception_ptr,
                               const std::string&) { log(name + " report " + code); };
    adopt(name, makeFlow_(tool, std::move(made)));
    return flow(name);
}

void World::adopt(const std::string& name, std::unique_ptr<IFlow> flow) {
    if (!flows_.contains(name)) names.push_back(name);
    flows_[name] = std::move(flow);
}

IFlow& World::flow(const std::string& name) {
    return *found(flows_, name);
}

Signal& World::signal(const std::string& name) {
    Signal& known = signals[name];
    if (!known.token.stop_possible() && !known.token.stop_requested()) {
        known.source = std::stop_source();
        known.token = known.source.get_token();
    }
    return known;
}

NamedPromise World::promise(const std::string& name) {
    const auto known = promises_.find(name);
    if (known != promises_.end()) return known->second;
    NamedPromise& promise = promises_[name];
    if (cancellable_.contains(name)) {
        promise.onCancel([this, name] { log(name + " cancelled"); });
    }
    return promise;
}

}  // namespace conformance
