#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "steptree/breaker.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/keyguard.hpp"
#include "steptree/detail/keyring.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/throttle.hpp"

namespace steptree {

namespace detail {

class RemoteGuard;

/// One that is kept elsewhere is for any threads.
template <class G, class Lock>
inline constexpr bool isKeyable =
    std::is_same_v<G, BasicMutex<Lock>> || std::is_same_v<G, BasicThrottle<Lock>> ||
    std::is_same_v<G, BasicLimiter<Lock>> || std::is_same_v<G, BasicBreaker<Lock>> ||
    std::is_base_of_v<RemoteGuard, G>;

/// All keys, with or without a guard. It outlives its Keyed if somebody still refers to a key.
template <class Key, class G, class Hash, class Equal, class Lock>
class KeyTable final : public BasicKeyRing<Lock> {
    class Entry;
    using Entries = std::unordered_map<Key, Entry, Hash, Equal>;

    class Entry final : public BasicKey<Lock> {
      public:
        explicit Entry(KeyTable& of) noexcept : BasicKey<Lock>(of), table(of) {}

        void release() noexcept override { table.release(*this); }
        Guard* make() override { return table.make_(*key); }
        void destroy(Guard* guard) noexcept override { delete static_cast<G*>(guard); }
        bool isNew(Guard& guard, std::int64_t now) noexcept override {
            return KeyAccess::isNew(static_cast<G&>(guard), now);
        }

        KeyTable& table;
        const Key* key = nullptr;
    };

  public:
    using Make = Function<G*(const Key&)>;

    explicit KeyTable(Make make) : make_(std::move(make)) {}

    /// That of the key, retained.
    BasicKey<Lock>& keyOf(const Key& key) {
        const std::lock_guard locked(this->mutex);
        const auto [at, isNew] = entries_.try_emplace(key, *this);
        if (isNew) at->second.key = &at->first;
        at->second.refer();
        return at->second;
    }

    /// The same, with a guard that isn't dropped till left(); null: it has none.
    BasicKey<Lock>* take(const Key& key) {
        const std::lock_guard locked(this->mutex);
        const auto found = entries_.find(key);
        if (found == entries_.end() || found->second.guard() == nullptr) return nullptr;
        found->second.take();
        return &found->second;
    }

    /// Its owner goes.
    void close() noexcept {
        this->dropAll();
        bool isLast = false;
        {
            const std::lock_guard locked(this->mutex);
            closed_ = true;
            isLast = entries_.empty();
        }
        if (isLast) delete this;
    }

  private:
    ~KeyTable() = default;

    /// What keys and guards have of the program's is destroyed outside of the lock.
    void release(Entry& entry) noexcept {
        bool isLast = false;
        {
            typename Entries::node_type gone;
            const std::lock_guard locked(this->mutex);
            if (!entry.forget()) return;
            gone = entries_.extract(*entry.key);
            isLast = closed_ && entries_.empty();
        }
        if (isLast) delete this;
    }

    Make make_;
    Entries entries_;
    bool closed_ = false;
};

/// Of a guard that is read.
template <class Lock>
struct LeaveKey {
    BasicKey<Lock>* key = nullptr;
    void operator()(const Guard*) const noexcept { key->left(); }
};

/// A guard for each key: `make(key)` gives it, or the options for it, when a section finds none; it
/// is dropped when it is as a new one would be, so that memory is that of the keys in use. A Mutex,
/// or a Limiter without a rate, goes with its last section. What remembers more is looked at when
/// others are made, two for each, and goes when it has nothing to remember: a Throttle, a Breaker,
/// a Limiter with a rate, a guard whose place something abandoned has kept. No timer is armed. A
/// Breaker forgets failures by itself only if it has a period. A RedisMutex, RedisThrottle or
/// RedisLimiter goes with the last section of this process: what it remembers is in Redis.
/// Guide: docs/limits.md#one-for-each-user
///
///     Keyed<std::string, Limiter> perUser([](const std::string& user) {
///         return LimiterOptions{.concurrent = 2, .name = user};
///     });
///     asi.sync(perUser.of("ann"), ask);
///
/// Keyed is for flows of one thread; ThreadKeyed, of guards whose names begin with Thread, for
/// flows of any threads: it calls `make` on any thread, on several at a time, and where two have
/// made the guard of one key, keeps one of them. Has to outlive the runs of the flows that use it.
template <class Key, class G, class Hash, class Equal, class Lock>
class KeyedOf final {
    static_assert(isKeyable<G, Lock>,
                  "a Keyed has a Mutex, Throttle, Limiter or Breaker for each key, a ThreadKeyed a "
                  "ThreadMutex, ThreadThrottle, ThreadLimiter or ThreadBreaker, or one over Redis");
    using Table = KeyTable<Key, G, Hash, Equal, Lock>;

  public:
    /// A pointer that keeps the guard from being dropped.
    using Reading = std::unique_ptr<const G, LeaveKey<Lock>>;

    /// What `make` throws fails the section that needs a guard.
    template <class Make>
    requires(!std::is_same_v<std::decay_t<Make>, KeyedOf>) explicit KeyedOf(Make&& make)
        : table_(new Table([make = std::decay_t<Make>(std::forward<Make>(make))](
                               const Key& key) mutable -> G* { return new G(make(key)); })) {}
    KeyedOf(const KeyedOf&) = delete;
    KeyedOf& operator=(const KeyedOf&) = delete;
    ~KeyedOf() { table_->close(); }

    /// For sections of that key, now or later, any number of them. It makes no guard: the section
    /// does when it locks. Guide: docs/limits.md#one-for-each-user
    KeyedGuard of(const Key& key) {
        table_->home.checkHere("of");
        return KeyedGuard(table_->keyOf(key));
    }

    /// How many keys have a guard now.
    std::int64_t size() const {
        table_->home.checkHere("size");
        const std::lock_guard locked(table_->mutex);
        return table_->size;
    }

    /// The guard that the key has now, to be read, for instance `perUser.get(user)->waiting()`;
    /// null: it has none.
    Reading get(const Key& key) const {
        table_->home.checkHere("get");
        BasicKey<Lock>* const taken = table_->take(key);
        if (taken == nullptr) return Reading(nullptr, {});
        return Reading(static_cast<const G*>(taken->guard()), {taken});
    }

  private:
    Table* const table_;
};

}  // namespace detail

/// A guard for each key: `Keyed<std::string, Limiter> perUser(make);`. For flows of one thread,
/// whichever tools they are of; see detail::KeyedOf. Guide: docs/limits.md#one-for-each-user
template <class Key, class G, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using Keyed = detail::KeyedOf<Key, G, Hash, Equal, detail::NoMutex>;
/// The same for flows of any threads; see detail::KeyedOf. Guide: docs/limits.md#one-for-each-user
template <class Key, class G, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using ThreadKeyed = detail::KeyedOf<Key, G, Hash, Equal, std::mutex>;

}  // namespace steptree
