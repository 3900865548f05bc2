#pragma once

#include <cstdint>
#include <mutex>

#include "steptree/abi.hpp"
#include "steptree/detail/keyguard.hpp"
#include "steptree/detail/list.hpp"
#include "steptree/detail/waiters.hpp"

namespace steptree::detail {

template <class Lock>
class BasicKey;

/// The keys that have a guard. Those that were made or looked at longest ago come first.
template <class Lock>
class STEPTREE_VISIBLE BasicKeyRing {
  public:
    explicit BasicKeyRing() noexcept = default;
    BasicKeyRing(const BasicKeyRing&) = delete;
    BasicKeyRing& operator=(const BasicKeyRing&) = delete;

    [[no_unique_address]] HomeOf<Lock> home{"Keyed"};
    Lock mutex;  // for all of it, and of its keys
    List<BasicKey<Lock>> keys;
    std::int64_t size = 0;

    /// A key whose guard is to be destroyed, outside of the lock.
    struct Gone {
        BasicKey<Lock>* key = nullptr;
        Guard* guard = nullptr;

        void destroy() noexcept;
    };
    static constexpr int kLooks = 2;  // more than one: so they go faster than they come

    /// Under the lock; there is one.
    Gone lookAtFirst(std::int64_t now) noexcept;

  protected:
    ~BasicKeyRing() = default;

    /// Nobody uses them any more.
    void dropAll() noexcept;
};

/// A key as a guard, which a section of it locks: the key's guard is made then, if it has none. It
/// isn't dropped from when a section begins to lock it until that has closed.
template <class Lock>
class STEPTREE_VISIBLE BasicKey : public SharedGuard, public Link {
  public:
    void retain() noexcept override;

    /// Null: it has none. Under the lock, or between take() and left().
    Guard* guard() const noexcept { return guard_; }
    /// Under the lock: one more refers to it; one less does, and there is no use for it any more.
    void refer() noexcept { ++refs_; }
    bool forget() noexcept { return --refs_ == 0 && guard_ == nullptr; }
    /// Under the lock: one more has it.
    void take() noexcept {
        refer();
        ++users_;
    }
    /// One less. It may be gone then.
    void left() noexcept;

    /// Under the lock: its guard may be dropped at that time; it is.
    bool isFree(std::int64_t now) noexcept;
    typename BasicKeyRing<Lock>::Gone drop() noexcept;
    virtual void destroy(Guard* guard) noexcept = 0;

  protected:
    explicit BasicKey(BasicKeyRing<Lock>& ring) noexcept : ring_(ring) {}
    ~BasicKey() = default;

  private:
    struct Pin;

    /// Makes a guard, which is the caller's. Throws what the program's function does.
    virtual Guard* make() = 0;
    virtual bool isNew(Guard& guard, std::int64_t now) noexcept = 0;

    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    void leave(Step& section, const Why& why) noexcept override;
    KeptPlace* keep(Line& line) noexcept override;
    void show(GuardLook& look) override;
    bool makeFor(Line& line);

    BasicKeyRing<Lock>& ring_;
    Guard* guard_ = nullptr;
    std::int64_t refs_ = 0;
    std::int64_t users_ = 0;
};

extern template class BasicKeyRing<NoMutex>;
extern template class BasicKeyRing<std::mutex>;
extern template class BasicKey<NoMutex>;
extern template class BasicKey<std::mutex>;

/// To what a guard says only to these.
struct KeyAccess {
    template <class G>
    static bool isNew(G& guard, std::int64_t now) noexcept {
        return guard.isNew(now);
    }
};

}  // namespace steptree::detail
