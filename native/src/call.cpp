#include "call.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "errors.hpp"
#include "host.hpp"
#include "js.hpp"
#include "outcomes.hpp"
#include "values.hpp"

namespace steptree::native {

namespace {

/// Nobody sees it: see begin().
constexpr std::string_view kDeadline = "steptree.deadline";

/// Under this a flow's state has its call.
constexpr std::string_view kCall = "steptree.call";

const steptree_step_api& steps() noexcept {
    static const steptree_step_api* const api = steptree_host(STEPTREE_ABI, nullptr)->step;
    return *api;
}

std::chrono::milliseconds durationOf(double ms) noexcept {
    constexpr auto kLongest = std::chrono::milliseconds::max();
    return std::isinf(ms) ? kLongest : std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

}  // namespace

Call::Call(Host& host, std::uint32_t number, double grace)
    : host_(host),
      number_(number),
      grace_(grace),
      flow_(host.tool(), {.report =
                              [this](const std::string& code, const std::string& info,
                                     const std::exception_ptr& thrown, const std::string& path) {
                                  report({thrown, code, info, path});
                              },
                          .grace = durationOf(grace)}) {
    flow_.state<Call*>(kCall) = this;
}

double Call::around(IAsyncSteps& asi) {
    const Call* const call = asi.state<Call*>(kCall, nullptr);
    return call == nullptr ? -1 : static_cast<double>(call->number_);
}

void Call::report(const steptree_error& error) {
    if (host_.env() == nullptr) return;
    const HandleScope scope(host_.env());
    host_.report(*this, describe(host_.env(), &error));
}

void Call::giveValues(IAsyncSteps& asi) {
    std::array<steptree_value, 4> raw;
    for (std::size_t i = 0; i < count_; ++i) raw[i] = values_[i].raw();
    cabi::raise(steps().success(cHandle(asi), raw.data(), count_));
    drop();
}

void Call::drop() noexcept {
    while (count_ > 0) values_[--count_] = Value();
}

void Call::begin(const Handler& handler, double ms) {
    open_ = true;
    telling_ = cancelled_ = false;
    ended_ = Ended::open;
    result_ = nullptr;
    const auto add = [this, &handler](auto& to) {
        if (count_ > 0) to.add([this](IAsyncSteps& asi) { giveValues(asi); });
        to.add(handler);
    };
    if (std::isinf(ms)) {
        add(flow_);
    } else {
        flow_.add([add, ms](IAsyncSteps& asi) {
            asi.setTimeout(std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(ms))),
                           kDeadline);
            add(asi);
        });
    }
    flow_.execute([this](Outcome& outcome) { over(outcome); });
}

void Call::over(Outcome& outcome) {
    const napi_env env = host_.env();
    if (env == nullptr || cancelled_) return;
    open_ = false;
    if (outcome.code == kDeadline) {
        ended_ = Ended::cancelled;
        if (telling_) host_.tell(*this, ended_, nullptr);
        return;
    }
    if (telling_) {
        const HandleScope scope(env);
        napi_value value = nullptr;
        const cabi::LentOutcome lent(outcome);
        const Ended ended = host_.read(lent, &value);
        host_.tell(*this, ended, value);
        return;
    }
    const cabi::LentOutcome lent(outcome);
    ended_ = host_.read(lent, &result_);
}

Ended Call::result(napi_value* into) noexcept {
    *into = result_;
    const bool isOver = ended_ != Ended::open && ended_ != Ended::cancelled;
    telling_ = !isOver;
    return isOver ? ended_ : Ended::open;
}

bool Call::cancel() {
    if (!open_) return true;
    telling_ = false;
    cancelled_ = true;
    {
        const Host::Inside inside(host_);
        flow_.cancel();
    }
    flow_.closed().onSettled([this](const auto&) { closed(); });
    host_.pass();
    telling_ = open_;
    return !open_;
}

void Call::closed() {
    open_ = false;
    if (telling_ && host_.env() != nullptr) host_.tell(*this, Ended::cancelled, nullptr);
}

napi_value Call::look(napi_env env) {
    if (!open_) return nullptr;
    Value shown;
    steptree_value owned{};
    cabi::raise(steptree_host(STEPTREE_ABI, nullptr)
                    ->flow->snapshot(cHandle(static_cast<IFlow&>(flow_)), &owned));
    shown = Value::adopt(owned);
    return toJs(env, shown.raw());
}

}  // namespace steptree::native
