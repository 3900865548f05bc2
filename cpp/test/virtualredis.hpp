#pragma once

#include <algorithm>
#include <future>
#include <memory>
#include <string>

#include "guardshop.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/virtualtool.hpp"

namespace rig {

/// Guards over a real Redis in virtual time: the clock moves on once all that was asked is
/// answered, and all that was told is heard.
class VirtualRedis {
  public:
    explicit VirtualRedis(const RedisServer& server)
        : connection({.prefix = "virtual", .port = server.port()}), ear_(std::make_shared<Ear>()) {
        wire().timers().set(kBegin);
        wire().listen("settled", ear_);
        ear_->next();
    }
    ~VirtualRedis() { wire().leave("settled", *ear_); }

    /// Until nothing is left to do, or, as lines may wait for each other, for so long.
    void run() {
        for (;;) {
            tool.advance(0);
            if (settle()) continue;
            const std::int64_t next = std::min(tool.core().nextDue(), nextOfGuards());
            if (next > kLast) return;
            wire().timers().set(kBegin + next);
            tool.advance(next - tool.now());
            onWire([](steptree::detail::redis::Wire& wire) { wire.timers().fire(); });
        }
    }

    steptree::RedisConnection connection;
    steptree::VirtualTool tool;

  private:
    using Wire = steptree::detail::redis::Wire;

    static constexpr std::int64_t kBegin = 1'000'000;  // 0 would be no time at all
    static constexpr std::int64_t kLast = 10'000'000;

    struct Ear final : steptree::detail::redis::Listener {
        void heard(const std::string&) noexcept override { said.say(""); }
        void again() noexcept override { said.say(""); }
        void next() { said.until(++count); }
        Said said;
        std::size_t count = 0;
    };

    Wire& wire() { return steptree::RedisConnection::Access::wire(connection); }

    /// What is told comes in order: when the last is heard, so is all before. Whether something was
    /// asked meanwhile.
    bool settle() {
        onWire([](Wire&) {});
        askRedis(connection, {"PUBLISH", "settled", ""});
        ear_->next();
        onWire([](Wire&) {});
        const std::string text = askRedis(connection, {"INFO", "commandstats"}).text;
        const std::size_t at = text.find("cmdstat_evalsha");
        const std::string calls = text.substr(std::min(at, text.size()), 40);
        const bool isNew = calls != calls_;
        calls_ = calls;
        return isNew;
    }

    template <class Act>
    void onWire(Act act) {
        struct Here : steptree::detail::redis::Task {
            Act* act;
            Wire* wire;
            std::promise<void> done;
        } here;
        here.act = &act;
        here.wire = &wire();
        here.run = [](steptree::detail::redis::Task& task) noexcept {
            auto& mine = static_cast<Here&>(task);
            (*mine.act)(*mine.wire);
            mine.done.set_value();
        };
        auto done = here.done.get_future();
        wire().post(here);
        done.get();
    }

    std::int64_t nextOfGuards() {
        using std::chrono::milliseconds;
        std::int64_t next = 0;
        onWire([&next](Wire& wire) {
            const auto time = wire.timers().next().time_since_epoch();
            next = std::chrono::ceil<milliseconds>(time).count() - kBegin;
        });
        return next;
    }

    const std::shared_ptr<Ear> ear_;
    std::string calls_;
};

}  // namespace rig
