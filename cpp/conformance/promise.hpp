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
    void cancel();

    void onCancel(std::function<void()> act) { shared_->onCancel = std::move(act); }
    void resolve(std::optional<Value> value);
    void reject(std::exception_ptr reason);

  private:
    struct Shared {
        bool settled = false;
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
