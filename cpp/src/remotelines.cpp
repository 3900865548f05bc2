#include "remotelines.hpp"

#include <utility>

#include "extras.hpp"

namespace steptree::detail {

PlaceState::PlaceState(Step& lock, std::shared_ptr<RemoteLines> of) noexcept
    : lines(std::move(of)), core(lock.line->core()), lease(*lock.parent) {}

RemoteWait::RemoteWait(RemoteGuard& guard, std::shared_ptr<RemotePlace> place, Line& line,
                       Completion completion) noexcept
    : Waiter(line, std::move(completion)), guard(guard), place(std::move(place)) {}

void RemoteLines::reserve() {
    const std::size_t count = holds.count() + static_cast<std::size_t>(waiters.count()) + 1;
    while (2 * count > holds.size()) holds.grow();
}

void RemoteLines::enter(Line& line, RemotePlace& place) noexcept {
    if (RemoteHold* const hold = holds.find(line)) {
        ++hold->times;
    } else if (place.count > 0) {
        holds.add({{&line, 1, nullptr, place.count}, &place});
        of(place).held = place.shared_from_this();
    }
}

void RemoteLines::undo(Line& line) noexcept {
    RemoteHold* const hold = holds.find(line);
    if (hold == nullptr || --hold->times > 0) return;
    if (hold->place != nullptr) of(*hold->place).held.reset();
    holds.remove(*hold);
}

std::shared_ptr<RemotePlace> RemoteLines::leave(RemoteHold& hold, bool& isKept) noexcept {
    if (--hold.times > 0) return nullptr;
    RemotePlace* const place = hold.place;
    isKept = Keeps::isKept(hold);
    KeptHold* const by = hold.kept;
    holds.remove(hold);
    if (place == nullptr) return nullptr;
    if (!isKept) return std::move(of(*place).held);
    of(*place).keptBy = by;
    of(*place).nextKept = std::exchange(kept, place);
    return of(*place).held;
}

std::shared_ptr<RemotePlace> RemoteLines::letGo(KeptHold& by) noexcept {
    if (by.line != nullptr) {
        if (RemoteHold* const hold = holds.find(*by.line)) hold->kept = nullptr;
        return nullptr;
    }
    RemotePlace** at = &kept;
    while (*at != nullptr && of(**at).keptBy != &by) at = &of(**at).nextKept;
    RemotePlace* const place = *at;
    if (place == nullptr) return nullptr;
    *at = of(*place).nextKept;
    return std::move(of(*place).held);
}

void RemoteLines::clear() noexcept {
    holds.each([](const RemoteHold& hold) {
        if (hold.place != nullptr) of(*hold.place).held.reset();
    });
    holds.clear();
    while (kept != nullptr) {
        const auto place = std::move(of(*kept).held);
        kept = of(*place).nextKept;
    }
}

// ---- who gives it, on any thread

RemotePlace::RemotePlace(std::int64_t count, bool isInside) noexcept
    : count(count), isInside(isInside) {}
RemotePlace::~RemotePlace() = default;

bool RemotePlace::grant(std::string token) noexcept {
    RemoteLines& lines = *state_->lines;
    std::unique_lock locked(lines.mutex);
    RemoteWait* const wait = state_->wait;
    if (wait == nullptr || wait->state != Waiter::queued) return false;
    state_->token = std::move(token);
    lines.waiters.remove(*wait);
    Line& line = *wait->line;
    lines.enter(line, *this);
    bool abandoned = false;
    if (give(*wait, locked, abandoned)) return true;
    if (!abandoned) lines.undo(line);
    return false;
}

void RemotePlace::lose(const char* why) noexcept {
    PlaceState::Losing& losing = state_->losing;
    losing.why = why;
    losing.of = shared_from_this();
    losing.deliver = [](ToolCore&, RemoteNode* node, bool alive) noexcept {
        auto& lost = *static_cast<PlaceState::Losing*>(node);
        const auto place = std::move(lost.of);
        LeaseNode& lease = place->state_->lease;
        lease.why = lost.why;
        if (alive) lease.lose(0);
    };
    state_->core->postRemote(losing);
}

RemoteSource::~RemoteSource() = default;

}  // namespace steptree::detail
