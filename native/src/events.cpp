#include "events.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "host.hpp"
#include "js.hpp"
#include "snapshots.hpp"
#include "values.hpp"

namespace steptree::native {

Events::Events(Host& host, napi_value hear) : host_(host) {
    napi_create_reference(host.env(), hear, 1, &hear_);
}

void Events::end(napi_env env) noexcept {
    observation_.reset();
    napi_delete_reference(env, hear_);
}

/// Who comes is there before another one goes, as what has been told as open is known that long.
void Events::observe(bool observes, bool bodies) {
    if (!observes) {
        observation_.reset();
        calls_.clear();
        return;
    }
    if (!observation_) {
        host_.eachOpen([this](Call& call) { calls_[call.flowId()] = call.number(); });
    }
    auto made =
        host_.tool().observe([this](const FlowEvent& event) { hear(event); }, {.bodies = bodies});
    observation_ = std::move(made);
}

std::optional<std::uint32_t> Events::callOf(const FlowEvent& event) {
    if (begins_ != nullptr && event.what() == "begun") {
        calls_[event.flowId()] = begins_->number();
        return std::nullopt;
    }
    const auto at = calls_.find(event.flowId());
    if (at == calls_.end()) return std::nullopt;
    const std::uint32_t call = at->second;
    if (event.what() == "ended") calls_.erase(at);
    return call;
}

void Events::hear(const FlowEvent& event) {
    if (host_.env() == nullptr) return;
    const auto call = callOf(event);
    if (call) tell(*call, event);
}

/// Observers of JavaScript are called, which are code of the program.
void Events::tell(std::uint32_t call, const FlowEvent& event) {
    const napi_env env = host_.env();
    const HandleScope scope(env);
    const Host::Inside inside(host_);
    const auto wait = event.waits();
    const auto text = [env](std::string_view of) {
        return of.empty() ? undefinedOf(env) : textOf(env, of);
    };
    const napi_value args[] = {numberOf(env, call),
                               textOf(env, event.what()),
                               numberOf(env, static_cast<double>(event.step())),
                               numberOf(env, static_cast<double>(event.parent())),
                               text(event.what() == "opened" ? event.element() : std::string()),
                               text(event.kind()),
                               text(event.outcome()),
                               text(event.code()),
                               wait ? toJs(env, cabi::valueOf(*wait).raw()) : undefinedOf(env)};
    napi_value function = nullptr;
    napi_get_reference_value(env, hear_, &function);
    napi_call_function(env, undefinedOf(env), function, std::size(args), args, nullptr);
}

}  // namespace steptree::native
