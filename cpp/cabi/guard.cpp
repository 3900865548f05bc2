#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "given.hpp"
#include "guardoptions.hpp"
#include "guards.hpp"
#include "outcomes.hpp"
#include "readings.hpp"
#include "tables.hpp"

/// Guards.
namespace steptree::cabi::guardcalls {

namespace {

/// What belongs to another guard.
class Inner : public steptree_guard {
  public:
    explicit Inner(Guard& of) noexcept : of_(of) {}
    Guard* guard() noexcept override { return &of_; }

  private:
    Guard& of_;
};

template <class Side>
class InnerSide final : public Inner {
  public:
    explicit InnerSide(Side& of) noexcept : Inner(of), side_(of) {}
    steptree_guard_reading read() const override { return readingOf(side_); }

  private:
    Side& side_;
};

template <class G>
class OneGuard final : public steptree_guard {
  public:
    template <class Options>
    explicit OneGuard(const Options& options) : made_(options) {}

    Guard* guard() noexcept override {
        if constexpr (std::is_base_of_v<Guard, G>) return &made_;
        return nullptr;
    }
    steptree_guard_reading read() const override { return readingOf(made_); }
    void open() override {
        if constexpr (requires { made_.open(); }) return made_.open();
        refuse("open");
    }
    void close() override {
        if constexpr (requires { made_.close(); }) return made_.close();
        refuse("close");
    }
    void wait(IAsyncSteps& asi) override {
        if constexpr (requires { made_.wait(asi); }) return made_.wait(asi);
        refuse("wait");
    }
    steptree_guard& places(std::int64_t n) override {
        if constexpr (requires { made_.places(n); }) {
            Guard& wanted = made_.places(n);
            const std::lock_guard locked(mutex_);
            for (const auto& known : inner_) {
                if (known->guard() == &wanted) return *known;
            }
            return *inner_.emplace_back(std::make_unique<Inner>(wanted));
        }
        refuse("places");
    }

  private:
    G made_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Inner>> inner_;
};

template <class Lock>
class OneRwLock final : public steptree_guard {
  public:
    explicit OneRwLock(const RwLockOptions& options) : made_(options) {}
    steptree_guard& side(bool writes) override { return writes ? write_ : read_; }
    steptree_guard_reading read() const override { return readingOf(made_); }

  private:
    Lock made_;
    InnerSide<typename Lock::Side> read_{made_.read};
    InnerSide<typename Lock::Side> write_{made_.write};
};

/// One of the program's own.
class Custom final : public steptree_guard, public ISync {
  public:
    Custom(const steptree_custom_guard& of, Data data)
        : lock_(of.lock), unlock_(of.unlock), data_(std::move(data)) {}

    ISync* own() noexcept override { return this; }
    void lock(IAsyncSteps& asi) override { call(lock_, asi, kNoValues, data_.get()); }
    void unlock(IAsyncSteps& asi, const Outcome& outcome) override {
        if (unlock_ == nullptr) return;
        const LentOutcome lent(outcome);
        raise(unlock_(cHandle(asi), &lent, data_.get()));
    }

  private:
    steptree_body lock_;
    steptree_deferred unlock_;
    Data data_;
};

/// `M`: what locks them.
template <class M>
std::unique_ptr<steptree_guard> made(const steptree_guard_options& of, Data data) {
    using namespace detail;
    switch (of.kind) {
        case STEPTREE_MUTEX:
            return std::make_unique<OneGuard<BasicMutex<M>>>(mutexOptions(of, std::move(data)));
        case STEPTREE_THROTTLE:
            return std::make_unique<OneGuard<BasicThrottle<M>>>(
                throttleOptions(of, std::move(data)));
        case STEPTREE_LIMITER:
            return std::make_unique<OneGuard<BasicLimiter<M>>>(limiterOptions(of, std::move(data)));
        case STEPTREE_RWLOCK:
            return std::make_unique<OneRwLock<BasicRwLock<M>>>(rwLockOptions(of, std::move(data)));
        case STEPTREE_GATE:
            return std::make_unique<OneGuard<BasicGate<M>>>(gateOptions(of, std::move(data)));
        case STEPTREE_BARRIER:
            return std::make_unique<OneGuard<BasicBarrier<M>>>(barrierOptions(of, std::move(data)));
        case STEPTREE_BREAKER:
            return std::make_unique<OneGuard<BasicBreaker<M>>>(breakerOptions(of, std::move(data)));
        default:
            misuse("there is no such kind of guard");
    }
}

const steptree_error* make(const steptree_guard_options* given, steptree_guard** into) {
    return attempt([&] {
        const Given<steptree_guard_options> options(given);
        Data data(options->data, options->drop, options->failure);
        options.check();
        const bool anyThread = (options->flags & STEPTREE_ANY_THREAD) != 0;
        const auto of = anyThread ? &made<std::mutex> : &made<detail::NoMutex>;
        *into = of(*options, std::move(data)).release();
    });
}

const steptree_error* makeCustom(const steptree_custom_guard* given, steptree_guard** into) {
    return attempt([&] {
        const Given<steptree_custom_guard> guard(given);
        Data data(guard->data, guard->drop, guard->lock, guard->unlock);
        guard.check();
        *into = new Custom(*guard, std::move(data));
    });
}

void drop(steptree_guard* guard) {
    delete guard;
}

const steptree_error* readSide(steptree_guard* guard, steptree_guard** into) {
    return attempt([&] { *into = &guard->side(false); });
}
const steptree_error* writeSide(steptree_guard* guard, steptree_guard** into) {
    return attempt([&] { *into = &guard->side(true); });
}
const steptree_error* places(steptree_guard* guard, std::int64_t n, steptree_guard** into) {
    return attempt([&] { *into = &guard->places(n); });
}
const steptree_error* read(const steptree_guard* guard, steptree_guard_reading* into) {
    return attempt([&] { fillRoom(into, guard->read()); });
}
const steptree_error* open(steptree_guard* guard) {
    return attempt([&] { guard->open(); });
}
const steptree_error* close(steptree_guard* guard) {
    return attempt([&] { guard->close(); });
}
const steptree_error* wait(steptree_guard* guard, steptree_step* asi) {
    return attempt([&] { guard->wait(from(asi)); });
}

void dropKeyed(steptree_keyed* keyed) {
    delete keyed;
}
const steptree_error* keyedSize(const steptree_keyed* keyed, std::int64_t* into) {
    return attempt([&] { *into = keyed->size(); });
}
const steptree_error* readKey(const steptree_keyed* keyed, steptree_text key,
                              steptree_guard_reading* into, std::int32_t* has) {
    return attempt([&] {
        const auto found = keyed->read(std::string(view(key)));
        if (found) fillRoom(into, *found);
        *has = found ? 1 : 0;
    });
}

}  // namespace

const steptree_guard_api kApi{sizeof(kApi), 0,          &make,      &makeCustom, &drop,  &readSide,
                              &writeSide,   &places,    &read,      &open,       &close, &wait,
                              &makeKeyed,   &dropKeyed, &keyedSize, &readKey};

}  // namespace steptree::cabi::guardcalls
