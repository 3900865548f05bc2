#pragma once

#include <utility>

#include "functions.hpp"
#include "given.hpp"
#include "rights.hpp"

/// Operations that steps await.
namespace steptree::cabi {

/// One that is over when its step is left.
class Operation {
  public:
    explicit Operation(const steptree_awaitable& of) noexcept
        : subscribe_(of.subscribe), cancel_(of.cancel), data_(of.data, of.drop, of.subscribe) {}

    void subscribe(Awaiter awaiter) {
        subscribe_(detachedTo(data_.code(), std::move(awaiter)), data_.get());
    }
    void cancel() { static_cast<void>(left()); }

  protected:
    bool left() { return cancel_ != nullptr && cancel_(data_.get()) != 0; }

  private:
    void (*subscribe_)(steptree_awaiter, void*);
    std::int32_t (*cancel_)(void*);
    Data data_;
};

/// One that may take time to stop.
class LastingOperation : public Operation {
  public:
    using Operation::Operation;
    bool cancel() { return left(); }
};

template <class Use>
void withOperation(const steptree_awaitable* awaitable, Use use) {
    const Given<steptree_awaitable> of(awaitable);
    LastingOperation operation(*of);
    of.check();
    if (of->subscribe == nullptr) misuse("an awaitable has `subscribe`");
    if ((of->flags & STEPTREE_TAKES_TIME) != 0) return use(std::move(operation));
    use(static_cast<Operation&&>(operation));
}

}  // namespace steptree::cabi
