#include <functional>
#include <memory>
#include <optional>

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
        : token_(std::move(token)), call_(of.call), data_(std::move(data)) {
        if (token_.stop_requested()) return;  // nobody is told any more
        on_.emplace(token_, [this] {
            if (call_ != nullptr) call_(data_.get());
        });
    }

    void cancel() noexcept override { on_.reset(); }
    bool valid() const noexcept override { return on_ && !token_.stop_requested(); }

  private:
    std::stop_token token_;
    void (*call_)(void*);
    Data data_;
    std::optional<std::stop_callback<std::function<void()>>> on_;
};

const steptree_error* listen(steptree_signal* signal, const steptree_callback* callback,
                             steptree_handle** into) {
    Data data(callback->data, callback->drop, callback->call);
    return attempt([&] { *into = new Listener(signal->token, *callback, std::move(data)); });
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
    delete handle;
}

}  // namespace

const steptree_handle_api kApi{sizeof(kApi), 0, &cancelHandle, &isValid, &dropHandle};

}  // namespace handlecalls

}  // namespace steptree::cabi
