#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "steptree/completion.hpp"
#include "value.hpp"

namespace conformance {

/// A promise that a case settles by name; any number of steps may wait for it.
class NamedPromise {
  public:
    NamedPromise() : shared_(std::make_shared<Shared>()) {}

    void subscribe(steptree::Awaiter awaiter);
    void cancel();
    void leave();

    void onCancel(std::function<void()> act) { shared_->onCancel = std::move(act); }
    void resolve(std::optional<Value> value);
    void reject(std::exception_ptr reason);

  protected:
    /// Whether no other step awaits it.
    bool left() { return --shared_->steps == 0; }

  private:
    struct Shared {
        bool settled = false;
        int steps = 0;  // that await it
        std::optional<Value> value;
        std::exception_ptr reason;
        std::vector<steptree::Awaiter> awaiters;
        std::function<void()> onCancel;

        void tell(const steptree::Awaiter& awaiter) const;
    };

    void settle();

    std::shared_ptr<Shared> shared_;
};

/// One that takes time to stop: till it settles.
class NamedOperation : public NamedPromise {
  public:
    explicit NamedOperation(NamedPromise promise) : NamedPromise(std::move(promise)) {}

    bool cancel();
    bool leave() { return left() && cancel(); }
};

}  // namespace conformance
