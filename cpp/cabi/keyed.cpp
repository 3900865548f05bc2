#include "steptree/keyed.hpp"

#include <memory>
#include <string>
#include <utility>

#include "given.hpp"
#include "guardoptions.hpp"
#include "guards.hpp"
#include "readings.hpp"

/// Guards of keys.
namespace steptree::cabi {

namespace {

struct KeyOptions {
    std::uint32_t kind;
    steptree_key_options fill;
    std::shared_ptr<const Data> data;

    /// What `fill` sets, and what that has failed with, or null.
    steptree_guard_options of(const std::string& key, const steptree_error*& error) const {
        steptree_guard_options options{};
        options.size = sizeof(options);
        options.kind = kind;
        error = fill(textOf(key), &options, data->get());
        options.size = sizeof(options);
        return options;
    }
    void check(const steptree_guard_options& of) const {
        Given<steptree_guard_options>(&of).check();
        if (of.kind != kind || (of.flags & STEPTREE_ANY_THREAD) != 0) {
            misuse("guards of keys are of the kind that was given, and of one thread");
        }
    }
};

template <class G, class Options>
class KeyedGuards final : public steptree_keyed {
  public:
    using Read = Options (*)(const steptree_guard_options&, Data);

    KeyedGuards(KeyOptions options, Read read)
        : made_([options = std::move(options), read](const std::string& key) {
              const steptree_error* error = nullptr;
              const steptree_guard_options of = options.of(key, error);
              Data data(of.data, of.drop, of.failure);
              raise(error);
              options.check(of);
              return read(of, std::move(data));
          }) {}

    KeyedGuard of(const std::string& key) override { return made_.of(key); }
    std::int64_t size() const override { return made_.size(); }
    std::optional<steptree_guard_reading> read(const std::string& key) const override {
        const auto guard = made_.get(key);
        if (guard == nullptr) return std::nullopt;
        return readingOf(*guard);
    }

  private:
    Keyed<std::string, G> made_;
};

template <class G, class Options>
steptree_keyed* make(KeyOptions options, Options (*read)(const steptree_guard_options&, Data)) {
    return new KeyedGuards<G, Options>(std::move(options), read);
}

steptree_keyed* make(KeyOptions options) {
    switch (options.kind) {
        case STEPTREE_MUTEX:
            return make<Mutex>(std::move(options), &mutexOptions);
        case STEPTREE_THROTTLE:
            return make<Throttle>(std::move(options), &throttleOptions);
        case STEPTREE_LIMITER:
            return make<Limiter>(std::move(options), &limiterOptions);
        case STEPTREE_BREAKER:
            return make<Breaker>(std::move(options), &breakerOptions);
        default:
            misuse("a key has a mutex, a throttle, a limiter or a breaker");
    }
}

}  // namespace

const steptree_error* makeKeyed(std::uint32_t kind, steptree_key_options options, void* data,
                                void (*drop)(void*), steptree_keyed** into) {
    return attempt([&] {
        Data kept(data, drop, options);
        if (options == nullptr) misuse("make_keyed: `options` is expected");
        *into = make({kind, options, std::make_shared<const Data>(std::move(kept))});
    });
}

}  // namespace steptree::cabi
