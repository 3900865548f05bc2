#include "steptree/detail/remoteguard.hpp"

#include <forward_list>
#include <utility>

#include "guardlook.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "remotelines.hpp"
#include "waiters.hpp"

/// A line asks once; then it waits as for any guard, until it's let in, or refused, whenever that
/// is heard. Nobody is asked, or told, with the lock taken.
namespace steptree::detail {

class RemoteGuard::Several final : public Guard {
  public:
    Several(RemoteGuard& whole, std::int64_t count) noexcept : count(count), whole_(whole) {}
    Several(const Several&) = delete;
    Several& operator=(const Several&) = delete;
    ~Several() = default;

    const std::int64_t count;

  private:
    bool admit(Line& line) noexcept override { return whole_.admit(line, count); }
    void wait(Step& lock) override { whole_.wait(lock, count); }
    void leave(Step& section, const Why& why) noexcept override { whole_.leave(section, why); }
    KeptPlace* keep(Line& line) noexcept override { return whole_.keep(line); }
    void show(GuardLook& look) override { whole_.show(look); }

    RemoteGuard& whole_;
};

RemoteGuard::RemoteGuard(const char* kind, std::string name, Abandoned abandoned,
                         std::shared_ptr<RemoteSource> source)
    : kind_(kind),
      name_(std::move(name)),
      source_(std::move(source)),
      lines_(std::make_shared<RemoteLines>()),
      keeps_(abandoned == Abandoned::keep, this, [](void* guard, KeptHold& kept) noexcept {
          static_cast<RemoteGuard*>(guard)->free(kept);
      }) {}

RemoteGuard::~RemoteGuard() {
    if (const std::int64_t count = waiting(); count > 0) destroyedUnder(count);
    source_->close();
    const std::lock_guard locked(lines_->mutex);
    lines_->clear();
}

std::int64_t RemoteGuard::waiting() const {
    const std::lock_guard locked(lines_->mutex);
    return lines_->waiters.count();
}

/// What there is to remember is elsewhere.
bool RemoteGuard::isNew(std::int64_t) noexcept {
    const std::lock_guard locked(lines_->mutex);
    return lines_->isEmpty();
}

Guard& RemoteGuard::several(std::int64_t n) {
    if (n < 1 || n > source_->max) {
        misuse("places: expected a whole number from 1 to " + std::to_string(source_->max) +
               ", got " + std::to_string(n));
    }
    const std::lock_guard locked(lines_->mutex);
    for (Several& known : several_) {
        if (known.count == n) return known;
    }
    return several_.emplace_front(*this, n);
}

Line& RemoteGuard::lineOf(Step& lock) noexcept {
    return *lock.line;
}

bool RemoteGuard::has(Line& line) const noexcept {
    const std::lock_guard locked(lines_->mutex);
    return lines_->holds.find(line) != nullptr;
}

namespace {

std::int64_t placesAround(RemoteLines& lines, Line* line) noexcept {
    std::int64_t count = 0;
    const std::lock_guard locked(lines.mutex);
    while ((line = lineAround(*line)) != nullptr) {
        if (const RemoteHold* const hold = lines.holds.find(*line)) count += hold->places;
    }
    return count;
}

}  // namespace

bool RemoteGuard::hasAround(Line& line) const noexcept {
    return placesAround(*lines_, &line) > 0;
}

void RemoteGuard::take(Line& line) {
    const std::lock_guard locked(lines_->mutex);
    lines_->reserve();
    lines_->holds.add({{&line, 1, nullptr, 1}, nullptr});
}

bool RemoteGuard::admit(Line& line, std::int64_t count) noexcept {
    const std::lock_guard locked(lines_->mutex);
    RemoteHold* const hold = lines_->holds.find(line);
    if (hold == nullptr || hold->places < count || source_->isRated) return false;
    ++hold->times;
    return true;
}

const char* RemoteGuard::deadlock(Line& line, std::int64_t count) const noexcept {
    const std::int64_t around = placesAround(*lines_, &line);
    const std::lock_guard locked(lines_->mutex);
    const RemoteHold* const hold = lines_->holds.find(line);
    const bool could = hold != nullptr ? hold->places >= count : around <= source_->max - count;
    return could ? nullptr : "the places are those of enclosing lines, or of the line itself";
}

void RemoteGuard::wait(Step& lock, std::int64_t count) {
    Line& line = *lock.line;
    if (admit(line, count)) return;
    if (const char* const why = deadlock(line, count))
        reject(lock, blamed(), name_, -1, why, errors::Deadlock);
    const bool isUsed = source_->max != kUnlimited && !has(line);
    const auto place = source_->make(isUsed ? count : 0, hasAround(line));
    place->state_ = std::make_unique<PlaceState>(lock, lines_);
    place->state_->lease.kind = blamed();
    place->state_->lease.name = &name_;
    enum class Entry : std::uint8_t { in, waits };
    const auto begin = [&](RemoteWait& wait) {
        const std::lock_guard locked(lines_->mutex);
        lines_->reserve();
        lines_->waiters.push(wait);
        place->state_->wait = &wait;
        return Entry::waits;
    };
    attemptWaiting<RemoteWait>(lock, begin, *this, place);
    source_->ask(*place);
}

void RemoteGuard::leave(Step& section, const Why&) noexcept {
    leave(*section.line);
}

/// Without places there is nothing to give back.
void RemoteGuard::leave(Line& line) noexcept {
    std::shared_ptr<RemotePlace> place;
    bool isKept = false;
    {
        const std::lock_guard locked(lines_->mutex);
        RemoteHold* const hold = lines_->holds.find(line);
        if (hold != nullptr) place = lines_->leave(*hold, isKept);
    }
    if (place == nullptr) return;
    place->state_->lease.end();
    if (!isKept) source_->free(*place);
}

void RemoteGuard::free(KeptHold& kept) noexcept {
    std::shared_ptr<RemotePlace> place;
    {
        const std::lock_guard locked(lines_->mutex);
        place = lines_->letGo(kept);
    }
    if (place != nullptr) source_->free(*place);
}

/// The step of the waiter was cancelled.
void RemoteGuard::giveUp(RemoteWait& wait) noexcept {
    RemotePlace& place = *wait.place;
    bool isLeft = false;
    {
        const std::lock_guard locked(lines_->mutex);
        place.state_->wait = nullptr;
        isLeft = wait.state == Waiter::queued;
        if (isLeft) lines_->waiters.remove(wait);
        if (wait.state == Waiter::granting) {
            lines_->undo(*wait.line);
            dropGrant(wait, true);
        }
    }
    if (isLeft) source_->left(place);
    if (std::exchange(wait.state, Waiter::over) == Waiter::granted) leave(*wait.line);
    place.state_->lease.end();
}

/// The step of the waiter has closed. Who was let in has the place with his section.
void RemoteGuard::gone(RemoteWait& wait) noexcept {
    RemotePlace& place = *wait.place;
    bool isLeft = false;
    bool isIn = false;
    {
        const std::lock_guard locked(lines_->mutex);
        place.state_->wait = nullptr;
        isLeft = wait.state == Waiter::queued;
        isIn = wait.state == Waiter::granted || wait.state == Waiter::granting;
        if (isLeft) lines_->waiters.remove(wait);
        if (wait.state == Waiter::granting) dropGrant(wait, false);
    }
    if (isLeft) source_->left(place);
    if (!isIn || place.count == 0) place.state_->lease.end();
}

KeptPlace* RemoteGuard::keep(Line& line) noexcept {
    const std::lock_guard locked(lines_->mutex);
    RemoteHold* const hold = lines_->holds.find(line);
    return hold != nullptr ? keeps_.keep(*hold) : nullptr;
}

void RemoteGuard::show(GuardLook& look) {
    if (!look.begins(*this, kind_, name_)) return;
    const std::lock_guard locked(lines_->mutex);
    look.waiting(lines_->waiters.count());
    look.queue(lines_->waiters);
    lines_->holds.each([&look](const RemoteHold& hold) { look.held(hold); });
}

const std::string* RemoteGuard::tokenOf(IAsyncSteps& asi, const char* call) const {
    Line* line = stepOf(asi).line;
    checkThread(line->core(), call);
    const std::lock_guard locked(lines_->mutex);
    for (; line != nullptr; line = lineAround(*line)) {
        const RemoteHold* const hold = lines_->holds.find(*line);
        if (hold == nullptr) continue;
        return hold->place != nullptr ? &RemoteLines::of(*hold->place).token : nullptr;
    }
    return nullptr;
}

void RemotePlace::refuse(std::string_view code, const char* why, std::int64_t retryAfter) noexcept {
    RemoteLines& lines = *state_->lines;
    std::unique_lock locked(lines.mutex);
    RemoteWait* const wait = state_->wait;
    if (wait == nullptr || wait->state != Waiter::queued) return;
    lines.waiters.remove(*wait);
    const RemoteGuard& guard = wait->guard;  // as long as somebody waits
    const std::exception_ptr reason = refusal(guard.blamed(), guard.name(), retryAfter, why, code);
    const Completion told = std::move(wait->completion);
    locked.unlock();
    told.fail(reason);
}

}  // namespace steptree::detail
