#include "code.hpp"

namespace steptree::cabi {

std::atomic<Code*> Code::first_{nullptr};

namespace {

/// Who takes codes into the list, and out of it. Readers take no lock: a code that runs is in it.
std::mutex& listMutex() noexcept {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

Code* Code::find(std::uintptr_t address) noexcept {
    Code* code = first_.load(std::memory_order_acquire);
    while (code != nullptr && !code->has(address)) code = code->next_;
    return code;
}

bool Code::has(std::uintptr_t address) const noexcept {
    const std::uintptr_t begin = begin_.load();
    return address >= begin && address < end_.load() && begin == begin_.load();
}

Code& Code::enter(std::uintptr_t begin, std::uintptr_t end) {
    const std::lock_guard locked(listMutex());
    Code* code = first_.load();
    while (code != nullptr && code->end_.load() != 0) code = code->next_;
    const bool isNew = code == nullptr;
    if (isNew) code = new Code;
    // In this order: whoever looks meanwhile finds nothing, or all of it.
    code->begin_.store(begin);
    code->end_.store(end);
    if (isNew) {
        code->next_ = first_.load();
        first_.store(code);
    }
    return *code;
}

void Code::quit() noexcept {
    const std::lock_guard locked(listMutex());
    leaving_.store(false);
    {
        const std::lock_guard own(mutex_);
        leftBy_ = nullptr;
    }
    end_.store(0);
    begin_.store(0);
}

void Code::leave(std::function<void()> leftBy) {
    const std::lock_guard own(mutex_);
    leftBy_ = std::move(leftBy);
    leaving_.store(true);
}

void Code::left() noexcept {
    std::function<void()> leftBy;
    {
        const std::lock_guard own(mutex_);
        leftBy = leftBy_;
    }
    if (leftBy) leftBy();
}

}  // namespace steptree::cabi
