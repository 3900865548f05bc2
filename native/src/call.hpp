#pragma once

#include <node_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "steptree/asyncsteps.hpp"
#include "steptree/cvalue.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/steps.hpp"

namespace steptree::native {

class Host;
using Handler = Step<AnyValues, AnyValues>;

/// How a call has ended, as JavaScript knows it.
enum class Ended : int { open = 0, one = 1, many = 2, failed = 3, cancelled = 4 };

/// A handler of a plug-in that runs for a step of JavaScript: a flow of its own, which is used
/// again when it's closed. All on JavaScript's thread.
class Call {
  public:
    Call(Host& host, std::uint32_t number, double grace);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// The number of the call that a native step is in; -1: none.
    static double around(IAsyncSteps& asi);
    std::uint32_t number() const noexcept { return number_; }
    double grace() const noexcept { return grace_; }
    /// What it gets: before it begins.
    void give(Value value) { values_[count_++] = std::move(value); }
    bool isOpen() const noexcept { return open_; }
    /// That of its flow, in snapshots and events.
    std::uint64_t flowId() { return flow_.snapshot().id; }
    void forget() noexcept { drop(); }
    /// `ms`: what is left of JavaScript's nearest deadline. When that is over JavaScript ends the
    /// call; so it's nobody's error here, but what native steps see.
    void begin(const Handler& handler, double ms);
    /// Its result, if it has ended while `begin` ran; else it will be told.
    Ended result(napi_value* into) noexcept;
    /// True: nothing of it is open any more.
    bool cancel();
    /// Its snapshot; of what is not open: null.
    napi_value look(napi_env env);

  private:
    void giveValues(IAsyncSteps& asi);
    void over(Outcome& outcome);
    void report(const steptree_error& error);
    void closed();
    void drop() noexcept;

    Host& host_;
    const std::uint32_t number_;
    const double grace_;  // that of JavaScript's flow, in milliseconds
    AsyncSteps flow_;
    std::array<Value, 4> values_;
    std::size_t count_ = 0;
    bool telling_ = false;  // somebody waits to be told
    bool open_ = false;
    bool cancelled_ = false;  // it's over when it is closed, whatever its outcome
    Ended ended_ = Ended::open;
    napi_value result_ = nullptr;
};

}  // namespace steptree::native
