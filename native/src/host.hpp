#pragma once

#include <node_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.hpp"
#include "events.hpp"
#include "givenclock.hpp"
#include "lender.hpp"
#include "outcomes.hpp"
#include "services.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/pluginhost.hpp"
#include "waker.hpp"

namespace steptree::native {

/// The native half of one JavaScript environment, which is a thread: its tool, which that thread
/// drives, and its plug-ins. It goes with the environment.
class Host {
  public:
    /// What native code calls of JavaScript. None of them throws, or runs code of the program.
    struct Functions {
        napi_value pump;      // lets the tool run; on JavaScript's turn
        napi_value schedule;  // (ms): pump so much later, and no sooner; below 0: not at all
        napi_value tell;      // (call, how it has ended, with what)
        napi_value report;    // (call, what is no error of it)
        Services::Functions services;
        napi_value hear;  // an event of a call; runs code of the program: observers
        napi_value time;  // undefined: the machine's; else milliseconds in a Float64Array
    };
    /// While code of JavaScript may run: what that begins runs later.
    class Inside {
      public:
        explicit Inside(Host& host) noexcept
            : host_(host), before_(std::exchange(host.inside_, true)) {}
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        ~Inside() { host_.inside_ = before_; }

      private:
        Host& host_;
        bool before_;
    };

    Host(napi_env env, const Functions& functions);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host();

    /// Null: JavaScript has gone.
    napi_env env() const noexcept { return env_; }
    Tool& tool() noexcept { return tool_; }
    PluginHost& plugins() noexcept { return *plugins_; }
    Lender& lender() noexcept { return *lender_; }
    Services& services() noexcept { return *services_; }
    Events& events() noexcept { return events_; }

    /// The number of a handler, for calls.
    std::uint32_t handler(const std::string& plugin, const std::string& name);
    const Handler& handler(std::uint32_t number) const { return handlers_.at(number); }

    /// A call that is free, of a flow that has that grace.
    Call& take(double grace);
    /// The same of one that has a number.
    Call& call(std::uint32_t number) { return *calls_.at(number); }
    template <class Visit>
    void eachOpen(Visit visit) const {
        for (const auto& call : calls_)
            if (call->isOpen()) visit(*call);
    }
    /// It is told later how it ends: the process lives till then.
    void keep() noexcept { waker_->hold(++waiting_ > 0); }
    void release(Call& call) noexcept { freeOf(call.grace()).push_back(&call); }
    void releaseKept(Call& call) noexcept {
        release(call);
        waker_->hold(--waiting_ > 0);
    }

    /// Lets the tool run; within that: nothing.
    void pass() {
        if (!isInside()) schedule(iterate());
    }
    /// The time that was scheduled has come.
    void ticked() noexcept { due_ = kNone; }
    /// Ends a wait of native steps: what comes then runs at once, unless the tool runs.
    template <class Tell>
    void enter(Tell tell) {
        {
            const Waker::Hush hush(*waker_);
            tell();
        }
        pass();
    }
    /// Begins a call: the tool runs right after, as long as the call is short.
    template <class Begin>
    void begin(const Call& call, Begin begin) {
        {
            const Waker::Hush hush(*waker_);
            const Events::Begins begins(events_, call);
            begin();
        }
        if (isInside()) return;
        AsyncTool::Left left{};
        for (int passes = 0; passes < kPasses; ++passes) {
            left = iterate();
            if (!call.isOpen() || !left.work || left.delay > 0) break;
        }
        schedule(left);
    }

    Ended read(const cabi::LentOutcome& outcome, napi_value* into);
    void tell(Call& call, Ended ended, napi_value value);
    void report(Call& call, napi_value error);

    std::uint64_t wakes() const noexcept { return waker_->wakes(); }
    bool observes() const noexcept { return events_.observes(); }
    std::size_t waiting() const noexcept { return waiting_; }
    std::size_t calls() const noexcept;

    /// JavaScript goes.
    void end() noexcept;

  private:
    static constexpr int kPasses = 4;
    static constexpr std::int64_t kNone = INT64_MAX;

    std::vector<Call*>& freeOf(double grace);
    bool isInside() const noexcept { return inside_ || env_ == nullptr; }
    AsyncTool::Left iterate();
    void schedule(const AsyncTool::Left& left);
    napi_value functionOf(napi_ref kept) const noexcept;

    napi_env env_;
    napi_ref schedule_ = nullptr;
    napi_ref tell_ = nullptr;
    napi_ref report_ = nullptr;
    std::shared_ptr<Waker> waker_;
    std::shared_ptr<Lender> lender_;
    std::unique_ptr<GivenClock> clock_;  // null: the machine's
    AsyncTool tool_;
    Events events_;
    std::unique_ptr<Services> services_;
    std::unique_ptr<PluginHost> plugins_;
    std::vector<std::unique_ptr<Call>> calls_;
    /// By their grace; nearly all flows have the same.
    struct Free {
        double grace;
        std::vector<Call*> calls;
    };
    std::vector<Free> free_;
    std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
    std::vector<Handler> handlers_;
    std::size_t waiting_ = 0;
    bool inside_ = false;
    std::int64_t due_ = kNone;  // of what was scheduled, in milliseconds of the tool
};

}  // namespace steptree::native
