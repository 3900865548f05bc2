#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "callnews.hpp"
#include "calls.hpp"
#include "failures.hpp"
#include "steptree/server.hpp"
#include "work.hpp"

namespace steptree::detail::redis {

/// A call that this process has taken, under the lease of a session.
struct HeldCall final : Work {
    ServedCall::Data data;
    std::string session;
    std::string args;
};

inline HeldCall& callOf(const WorkSource::Held& work) noexcept {
    return static_cast<HeldCall&>(*work);
}

/// Calls of a service. A session whose lease is over isn't used any more, and with it all calls
/// that it has taken: the next one begins with none.
class CallSource final : public WorkSource {
  public:
    CallSource(RedisService& service, std::shared_ptr<Waker> waker, Server::Handlers handlers,
               Function<bool(const std::string&, const std::string&)> accepts);
    ~CallSource() override { CallSource::endListening(); }
    void endListening() noexcept override;

    void drop(const Held& work) noexcept override;
    void lose(const Held& work) noexcept override;
    Clock::time_point expire(Clock::time_point now) override;

    void take(IAsyncSteps& asi, std::int64_t room, std::function<void(const Held&)> begin) override;
    void leave(IAsyncSteps& asi, bool always) override;
    void renew(IAsyncSteps& asi) override;
    std::chrono::milliseconds renewIn() const noexcept override;
    void watch(IAsyncSteps& asi) override;
    void end(IAsyncSteps& asi) override;

    std::unique_ptr<Report> refusal(const Held& work) override;
    Handler handlerOf(const Held& work) override;
    Report ended(const Held& work, const Outcome& outcome) override;
    std::string nameOf(const Held& work) const override;
    Report back(const Held& work) override;
    void tell(IAsyncSteps& asi, const Report& report) override;

  private:
    void open(Clock::time_point now);
    void over();
    void ask(IAsyncSteps& asi, const char* script, const std::string& session, Words args);
    void taken(const Reply& answer, const std::string& session, Clock::time_point asked,
               std::int64_t room, const std::function<void(const Held&)>& begin);
    void renewed(IAsyncSteps& asi, const Reply& answer, Clock::time_point asked);
    void extend(Clock::time_point asked);
    std::unordered_set<std::string> settle() noexcept;
    void stop(const std::string& id);
    Report reply(const HeldCall& call, std::string text) const;
    Report failed(const HeldCall& call, const std::vector<Failure>& failures) const;
    std::string whyInvalid(const HeldCall& call);

    RedisService& service_;
    const RedisServiceOptions limits_;
    const std::shared_ptr<Waker> waker_;
    const std::shared_ptr<CallNews> news_;
    Server::Handlers handlers_;
    Function<bool(const std::string&, const std::string&)> accepts_;
    std::unordered_map<std::string, Held> calls_;
    std::string session_;  // '': there is none
    std::string channel_;
    Clock::time_point ends_{};
    std::chrono::milliseconds renewIn_;
    std::uint64_t takes_ = 0;
    bool isTaking_ = false;                 // what the last one gives isn't known yet
    std::unordered_set<std::string> left_;  // of that, what nobody waits for any more
    bool isWhole_ = true;                   // it knows of all that it has
    bool isIdle_ = false;                   // it's told when there is something to take
};

}  // namespace steptree::detail::redis
