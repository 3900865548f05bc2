#include "host.hpp"

#include "errors.hpp"
#include "js.hpp"
#include "values.hpp"

namespace steptree::native {

Host::Host(napi_env env, const Functions& functions)
    : env_(env),
      waker_(std::make_shared<Waker>(env, functions.pump)),
      lender_(std::make_shared<Lender>(env)),
      clock_(GivenClock::of(env, functions.time)),
      tool_(AsyncTool::Driven{.wake = [waker = waker_] { waker->wake(); }, .clock = clock_.get()}),
      events_(*this, functions.hear),
      services_(std::make_unique<Services>(*this, functions.services)),
      plugins_(std::make_unique<PluginHost>(tool_)) {
    napi_create_reference(env, functions.schedule, 1, &schedule_);
    napi_create_reference(env, functions.tell, 1, &tell_);
    napi_create_reference(env, functions.report, 1, &report_);
}

Host::~Host() {
    end();
}

void Host::end() noexcept {
    if (env_ == nullptr) return;
    const napi_env env = std::exchange(env_, nullptr);
    waker_->end();
    events_.end(env);
    calls_.clear();
    free_.clear();
    handlers_.clear();
    plugins_.reset();
    services_->end(env);
    lender_->end();
    napi_delete_reference(env, schedule_);
    napi_delete_reference(env, tell_);
    napi_delete_reference(env, report_);
    if (clock_ != nullptr) clock_->end(env);
}

std::uint32_t Host::handler(const std::string& plugin, const std::string& name) {
    const auto number = static_cast<std::uint32_t>(handlers_.size());
    const auto [at, isNew] = numbers_.try_emplace({plugin, name}, number);
    if (isNew) handlers_.push_back(plugins_->step(plugin, name));
    return at->second;
}

std::vector<Call*>& Host::freeOf(double grace) {
    for (Free& free : free_)
        if (free.grace == grace) return free.calls;
    return free_.emplace_back(Free{grace, {}}).calls;
}

Call& Host::take(double grace) {
    std::vector<Call*>& free = freeOf(grace);
    if (free.empty()) {
        const auto number = static_cast<std::uint32_t>(calls_.size());
        free.reserve(calls_.size() + 1);  // to release them is to fail never
        return *calls_.emplace_back(std::make_unique<Call>(*this, number, grace));
    }
    Call* const call = free.back();
    free.pop_back();
    return *call;
}

std::size_t Host::calls() const noexcept {
    std::size_t open = calls_.size();
    for (const Free& free : free_) open -= free.calls.size();
    return open;
}

AsyncTool::Left Host::iterate() {
    const Waker::Hush hush(*waker_);
    inside_ = true;
    const AsyncTool::Left left = tool_.iterate();
    inside_ = false;
    lender_->collect();
    services_->collect();
    return left;
}

/// A millisecond is what clocks differ by.
void Host::schedule(const AsyncTool::Left& left) {
    const bool never = !left.work || left.delay == AsyncTool::kNever;
    if (never && due_ == kNone) return;
    const std::int64_t due = never ? kNone : tool_.now() + left.delay;
    if (due != kNone && due_ <= due && due - due_ <= 1) return;
    due_ = due;
    const HandleScope scope(env_);
    napi_value ms = numberOf(env_, never ? -1 : static_cast<double>(left.delay));
    napi_call_function(env_, undefinedOf(env_), functionOf(schedule_), 1, &ms, nullptr);
}

napi_value Host::functionOf(napi_ref kept) const noexcept {
    napi_value function = nullptr;
    napi_get_reference_value(env_, kept, &function);
    return function;
}

Ended Host::read(const cabi::LentOutcome& outcome, napi_value* into) {
    if (outcome.kind != STEPTREE_OK) {
        *into = describe(env_, outcome.error);
        return Ended::failed;
    }
    if (outcome.count < 2) {
        *into = outcome.count == 0 ? nullptr : toJs(env_, outcome.values[0]);
        return Ended::one;
    }
    napi_create_array(env_, into);
    for (std::size_t i = 0; i < outcome.count; ++i) {
        napi_set_element(env_, *into, static_cast<std::uint32_t>(i), toJs(env_, outcome.values[i]));
    }
    return Ended::many;
}

void Host::tell(Call& call, Ended ended, napi_value value) {
    const HandleScope scope(env_);
    napi_value args[] = {numberOf(env_, call.number()), numberOf(env_, static_cast<int>(ended)),
                         value == nullptr ? undefinedOf(env_) : value};
    napi_call_function(env_, undefinedOf(env_), functionOf(tell_), 3, args, nullptr);
    releaseKept(call);
}

void Host::report(Call& call, napi_value error) {
    napi_value args[] = {numberOf(env_, call.number()), error};
    napi_call_function(env_, undefinedOf(env_), functionOf(report_), 2, args, nullptr);
}

}  // namespace steptree::native
