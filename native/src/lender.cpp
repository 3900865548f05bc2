#include "lender.hpp"

#include <utility>

namespace steptree::native {

Lender::Loan* Lender::lend(napi_value object) {
    napi_ref kept = nullptr;
    if (napi_create_reference(env_, object, 1, &kept) != napi_ok) return nullptr;
    auto* const loan = new Loan{shared_from_this(), kept};
    const std::lock_guard locked(mutex_);
    ++lent_;
    return loan;
}

void Lender::giveBack(Loan* loan) noexcept {
    const std::shared_ptr<Lender> lender = loan->lender;
    const std::lock_guard locked(lender->mutex_);
    --lender->lent_;
    if (lender->env_ == nullptr) {
        delete loan;
    } else {
        loan->next = std::exchange(lender->back_, loan);
    }
}

void Lender::collect() noexcept {
    Loan* back = nullptr;
    {
        const std::lock_guard locked(mutex_);
        back = std::exchange(back_, nullptr);
    }
    while (back != nullptr) {
        const std::unique_ptr<Loan> gone(std::exchange(back, back->next));
        napi_delete_reference(env_, gone->object);
    }
}

void Lender::end() noexcept {
    {
        const std::lock_guard locked(mutex_);
        if (env_ == nullptr) return;
    }
    collect();
    const std::lock_guard locked(mutex_);
    env_ = nullptr;
    while (back_ != nullptr) delete std::exchange(back_, back_->next);
}

std::size_t Lender::lent() const noexcept {
    const std::lock_guard locked(mutex_);
    return lent_;
}

}  // namespace steptree::native
