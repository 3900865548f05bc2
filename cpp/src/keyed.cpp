#include "steptree/keyed.hpp"

#include <array>
#include <utility>

#include "extras.hpp"
#include "guardlook.hpp"
#include "run.hpp"
#include "section.hpp"
#include "waiters.hpp"

/// A guard for each key that needs one. What is the program's, `make` and destructors, is called
/// without the lock. Whoever drops a guard refers to its key until he has destroyed it.
namespace steptree::detail {

/// Of a lock step that waits: the section has the guard already, but not if that is left. What the
/// guard itself does then has been done when this is destroyed.
template <class Lock>
struct BasicKey<Lock>::Pin {
    explicit Pin(BasicKey& of) noexcept : key(of) {}
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() {
        if (isLeft) key.left();
    }
    void leave(Step&) noexcept { isLeft = true; }

    BasicKey& key;
    bool isLeft = false;
};

template <class Lock>
void BasicKeyRing<Lock>::Gone::destroy() noexcept {
    if (key == nullptr) return;
    key->destroy(guard);
    key->release();
}

template <class Lock>
void BasicKeyRing<Lock>::dropAll() noexcept {
    for (;;) {
        Gone gone;
        {
            const std::lock_guard locked(mutex);
            if (keys.empty()) return;
            gone = keys.first().drop();
        }
        gone.destroy();
    }
}

template <class Lock>
auto BasicKeyRing<Lock>::lookAtFirst(std::int64_t now) noexcept -> Gone {
    BasicKey<Lock>& key = keys.first();
    if (key.isFree(now)) return key.drop();
    keys.push(keys.take());
    return {};
}

template <class Lock>
void BasicKey<Lock>::retain() noexcept {
    const std::lock_guard locked(ring_.mutex);
    refer();
}

template <class Lock>
bool BasicKey<Lock>::isFree(std::int64_t now) noexcept {
    return users_ == 0 && guard_ != nullptr && isNew(*guard_, now);
}

template <class Lock>
auto BasicKey<Lock>::drop() noexcept -> typename BasicKeyRing<Lock>::Gone {
    List<BasicKey>::unlink(*this);
    --ring_.size;
    refer();
    return {this, std::exchange(guard_, nullptr)};
}

template <class Lock>
void BasicKey<Lock>::left() noexcept {
    typename BasicKeyRing<Lock>::Gone gone;
    {
        const std::lock_guard locked(ring_.mutex);
        --users_;
        if (isFree(kAnyTime)) gone = drop();
    }
    gone.destroy();
    this->release();
}

template <class Lock>
bool BasicKey<Lock>::admit(Line& line) noexcept {
    if (!ring_.home.takes(line.core())) return false;
    {
        const std::lock_guard locked(ring_.mutex);
        if (guard_ == nullptr) return false;
        take();
    }
    if (Section::admit(*guard_, line)) return true;
    const std::lock_guard locked(ring_.mutex);
    --users_;
    --refs_;  // the section that is to wait refers to it
    return false;
}

template <class Lock>
void BasicKey<Lock>::wait(Step& lock) {
    struct Undo {
        BasicKey* key;
        ~Undo() {
            if (key != nullptr) key->left();
        }
    };
    Line& line = *lock.line;
    ring_.home.check("sync", line.core());
    bool isMade = false;
    {
        const std::lock_guard locked(ring_.mutex);
        take();
        isMade = guard_ != nullptr;
    }
    Undo undo{this};
    if (!isMade && !makeFor(line)) return;
    const bool admitted = Section::admit(*guard_, line);
    if (!admitted) newWait<Pin>(lock, *this);
    undo.key = nullptr;
    if (!admitted) Section::wait(*guard_, lock);
}

/// False: the flow was cancelled meanwhile.
template <class Lock>
bool BasicKey<Lock>::makeFor(Line& line) {
    Guard* made = make();
    if (cancelled(line)) {
        destroy(made);
        return false;
    }
    const std::int64_t now = line.core().clockTime();
    using Ring = BasicKeyRing<Lock>;
    std::array<typename Ring::Gone, Ring::kLooks> gone;
    {
        const std::lock_guard locked(ring_.mutex);
        if (guard_ == nullptr) {
            const std::int64_t size = ring_.size;
            for (std::size_t i = 0; i < gone.size() && std::cmp_less(i, size); ++i) {
                gone[i] = ring_.lookAtFirst(now);
            }
            guard_ = std::exchange(made, nullptr);
            ring_.keys.push(*this);
            ++ring_.size;
        }
    }
    for (auto& each : gone) each.destroy();
    if (made != nullptr) destroy(made);  // somebody else was first
    return true;
}

template <class Lock>
void BasicKey<Lock>::leave(Step& section, const Why& why) noexcept {
    Section::leave(*guard_, section, why);
    left();
}

template <class Lock>
KeptPlace* BasicKey<Lock>::keep(Line& line) noexcept {
    return Section::keep(*guard_, line);
}

/// While a section has it or waits for it, its guard stays.
template <class Lock>
void BasicKey<Lock>::show(GuardLook& look) {
    Guard* guard = nullptr;
    {
        const std::lock_guard locked(ring_.mutex);
        guard = guard_;
    }
    if (guard != nullptr) look.at(*guard);
}

template class BasicKeyRing<NoMutex>;
template class BasicKeyRing<std::mutex>;
template class BasicKey<NoMutex>;
template class BasicKey<std::mutex>;

}  // namespace steptree::detail
