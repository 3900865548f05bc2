#include <functional>
#include <memory>
#include <mutex>

#include "ends.hpp"
#include "functions.hpp"
#include "signals.hpp"
#include "tables.hpp"

namespace steptree::cabi {

namespace signalcalls {

namespace {

const steptree_error* make(steptree_signal** into) {
    return attempt([&] { *into = new steptree_signal(std::stop_source()); });
}

void keep(steptree_signal* signal) {
    signal->refs.add();
}
void drop(steptree_signal* signal) {
    if (signal != nullptr && signal->refs.drop()) delete signal;
}

std::int32_t abort(steptree_signal* signal) {
    const Sheltered sheltered;
    return signal->source.request_stop() ? 1 : 0;
}
std::int32_t aborted(const steptree_signal* signal) {
    return signal->token.stop_requested() ? 1 : 0;
}
std::int32_t same(const steptree_signal* one, const steptree_signal* other) {
    return one->token == other->token ? 1 : 0;
}

class Listener final : public steptree_handle {
  public:
    Listener(std::stop_token token, const steptree_callback& of, Data data)
        : token_(std::move(token)) {
        if (token_.stop_requested()) return;  // nobody is told any more
        on_ = std::make_unique<On>(
            token_, [given = std::make_shared<const Given>(Given{of.call, std::move(data)})] {
                const auto kept = given;  // it may drop this
                if (kept->call != nullptr) kept->call(kept->data.get());
            });
    }
    ~Listener() override { cancel(); }

    void cancel() noexcept override {
        std::unique_ptr<On> last;
        const std::lock_guard locked(mutex_);
        last.swap(on_);  // goes behind the lock: it waits for a call on another thread
    }
    bool valid() const noexcept override {
        const std::lock_guard locked(mutex_);
        return on_ != nullptr && !token_.stop_requested();
    }

  private:
    using On = std::stop_callback<std::function<void()>>;
    struct Given {
        void (*call)(void*);
        Data data;
    };

    std::stop_token token_;
    mutable std::mutex mutex_;
    std::unique_ptr<On> on_;
};

const steptree_error* listen(steptree_signal* signal, const steptree_callback* callback,
                             steptree_handle** into) {
    return attempt([&] {
        *into = new Listener(signal->token, *callback,
                             Data(callback->data, callback->drop, callback->call));
    });
}

}  // namespace

const steptree_signal_api kApi{sizeof(kApi), 0,        &make, &keep,  &drop,
                               &abort,       &aborted, &same, &listen};

}  // namespace signalcalls

namespace handlecalls {

namespace {

void cancelHandle(steptree_handle* handle) {
    handle->cancel();
}
std::int32_t isValid(const steptree_handle* handle) {
    return handle->valid() ? 1 : 0;
}
void dropHandle(steptree_handle* handle) {
    const Sheltered sheltered;
    delete handle;
}

}  // namespace

const steptree_handle_api kApi{sizeof(kApi), 0, &cancelHandle, &isValid, &dropHandle};

}  // namespace handlecalls

}  // namespace steptree::cabi
