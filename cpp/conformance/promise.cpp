#include "promise.hpp"

#include <utility>

namespace conformance {

void NamedPromise::Shared::tell(const steptree::Awaiter& awaiter) const {
    if (reason != nullptr) {
        awaiter.fail(reason);
    } else if (value) {
        awaiter.success(*value);
    } else {
        awaiter.success();
    }
}

void NamedPromise::subscribe(steptree::Awaiter awaiter) {
    ++shared_->steps;
    if (shared_->settled) {
        shared_->tell(awaiter);
    } else {
        shared_->awaiters.push_back(std::move(awaiter));
    }
}

void NamedPromise::cancel() {
    if (shared_->onCancel) shared_->onCancel();
}

void NamedPromise::leave() {
    if (left()) cancel();
}

bool NamedOperation::cancel() {
    NamedPromise::cancel();
    return true;
}

void NamedPromise::resolve(std::optional<Value> value) {
    if (shared_->settled) return;
    shared_->value = std::move(value);
    settle();
}

void NamedPromise::reject(std::exception_ptr reason) {
    if (shared_->settled) return;
    shared_->reason = std::move(reason);
    settle();
}

void NamedPromise::settle() {
    shared_->settled = true;
    for (const steptree::Awaiter& awaiter : std::exchange(shared_->awaiters, {}))
        shared_->tell(awaiter);
}

}  // namespace conformance
