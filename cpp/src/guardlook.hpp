#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "steptree/detail/holds.hpp"
#include "steptree/detail/waiters.hpp"

/// What guards tell snapshots. Each is asked once: its queue is walked through once, under its
/// lock, whoever waits. Lines are addresses here, as they may be those of another thread's flows.
namespace steptree::detail {

/// What a look asks of them.
struct WaitedFor::Access {
    static void show(WaitedFor& guard, GuardLook& look) { guard.show(look); }
    static std::uint64_t& numberOf(WaitedFor& guard) noexcept { return guard.number_; }
};

struct GuardSeen {
    WaitedFor* guard;
    std::uint64_t number;
    const char* kind;
    std::string name;
    std::int64_t waiting = 0;
    std::optional<std::int64_t> active{};
    std::optional<std::int64_t> available{};
    std::unordered_map<const Line*, std::int64_t> places{};  // in its queues
    std::unordered_set<const Line*> holders{};
    std::optional<std::size_t> shown{};  // which one of the snapshot's guards it is
    std::uint64_t heldBy = 0;            // the last look at a line that shows it as a holder
};

/// What a guard says of one line that waits for it.
struct GuardPlace {
    WaitedFor* guard = nullptr;  // null: it's one of the program's own, or isn't made yet
    const char* kind = nullptr;  // by which the line waits for it
    std::string_view name{};
    std::int64_t place = 0;
};

class GuardLook {
  public:
    /// Takes no memory. The name is the guard's.
    static GuardPlace placeOf(const Line& line, WaitedFor& guard) {
        GuardLook look;
        look.line_ = &line;
        WaitedFor::Access::show(guard, look);
        return look.place_;
    }

    /// It gets one when it's shown first.
    static std::uint64_t numberOf(WaitedFor& guard) noexcept;

    /// What was asked last is called so, as who waits for it says.
    const char* asked() const noexcept { return asked_; }

    /// Null: it is one of the program's own, or isn't made yet. Throws bad_alloc.
    GuardSeen* at(WaitedFor& guard) {
        current_ = nullptr;
        WaitedFor::Access::show(guard, *this);
        return current_;
    }

    // ---- for guards

    /// False: it was asked already.
    bool begins(WaitedFor& guard, const char* kind, const std::string& name) {
        return begins(guard, kind, kind, name);
    }
    /// Who waits for one side of it waits for all who are in, whatever the side is called.
    bool begins(WaitedFor& guard, const char* kind, const char* side, const std::string& name) {
        asked_ = side;
        if (line_ != nullptr) {
            place_ = {&guard, side, name};
            return true;
        }
        const auto [place, isNew] = seen_.try_emplace(&guard);
        current_ = &place->second;
        if (!isNew) return false;
        *current_ = {&guard, numberOf(guard), kind, name};
        return true;
    }
    void waiting(std::int64_t count) noexcept {
        if (line_ == nullptr) current_->waiting = count;
    }
    void active(std::int64_t count) noexcept {
        if (line_ == nullptr) current_->active = count;
    }
    void places(std::int64_t taken, std::int64_t free) noexcept {
        if (line_ != nullptr) return;
        current_->active = taken;
        current_->available = free == kUnlimited ? std::nullopt : std::optional(free);
    }
    void queue(const Waiters& waiters) {
        if (line_ != nullptr) {
            if (place_.place == 0) place_.place = waiters.placeOf(*line_);
            return;
        }
        current_->places.reserve(static_cast<std::size_t>(waiters.count()));
        std::int64_t place = 0;
        for (const Waiter* at = waiters.front(); at != nullptr; at = waiters.after(*at))
            current_->places[at->line] = ++place;
    }
    void held(const Hold& hold) {
        if (line_ == nullptr) current_->holders.insert(hold.line);
    }
    void held(const Holds& holds) {
        if (line_ != nullptr) return;
        holds.each([this](const Hold& hold) { held(hold); });
    }

  private:
    std::unordered_map<WaitedFor*, GuardSeen> seen_;
    GuardSeen* current_ = nullptr;
    const char* asked_ = nullptr;
    const Line* line_ = nullptr;  // the only one that is looked for
    GuardPlace place_;
};

}  // namespace steptree::detail
