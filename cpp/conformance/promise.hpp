#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "steptree/completion.hpp"
#include "value.hpp"

namespace conformance {

/// A promise that a case settles by name; any number of steps may wait for it.
class NamedPromise {
  public:
    NamedPromise() : shared_(std::make_shared<Shared>()) {}

    void subscribe(steptree::Awaiter awaiter);
    bool cancel();
    /// Whether it is an operation, which ends when it settles.
    bool leave();

    void onCancel(std::function<void()> act) { shared_->onCancel = std::move(act); }
    void takeTime() { shared_->lasts = true; }
    void resolve(std::optional<Value> value);
    void reject(std::exception_ptr reason);

  private:
    struct Shared {
        bool settled = false;
        bool lasts = false;
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

}  // namespace conformance
