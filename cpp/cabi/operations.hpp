#pragma once

#include <utility>

#include "functions.hpp"
#include "plugincompletions.hpp"
#include "steptree/completion.hpp"

/// Completions of C are those of C++, two words; and operations that steps await.
namespace steptree::cabi {

template <class Ref>
class Open : public Ref {
  public:
    explicit Open(Ref&& ref) noexcept : Ref(std::move(ref)) {}
    /// Takes over what C owns.
    explicit Open(steptree_completion owned) noexcept {
        this->slot_ = static_cast<detail::Slot*>(owned.slot);
        this->generation_ = owned.generation;
    }
    steptree_completion detach() noexcept {
        return {std::exchange(this->slot_, nullptr), this->generation_};
    }
};

template <class Ref>
steptree_completion detached(Ref ref) noexcept {
    return Open<Ref>(std::move(ref)).detach();
}

/// To a plug-in; null: to any other program.
template <class Ref>
steptree_completion detachedTo(Code* code, Ref ref) {
    const steptree_completion given = detached(std::move(ref));
    if (code == nullptr) return given;
    try {
        keepCompletion(*code, given);
    } catch (...) {
        const Open<Ref> dropped(given);
        throw;
    }
    return given;
}

/// What C goes on owning.
template <class Ref>
class Borrowed {
  public:
    explicit Borrowed(steptree_completion owned) noexcept : open_(owned) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { open_.detach(); }

    const Ref& operator*() const noexcept { return open_; }
    const Ref* operator->() const noexcept { return &open_; }

  private:
    Open<Ref> open_;
};

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
    void (*subscribe_)(steptree_completion, void*);
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
void withOperation(const steptree_awaitable& of, Use use) {
    if (of.subscribe == nullptr) {
        const Data dropped(of.data, of.drop);
        misuse("an awaitable has `subscribe`");
    }
    if ((of.flags & STEPTREE_TAKES_TIME) != 0) {
        use(LastingOperation(of));
    } else {
        use(Operation(of));
    }
}

}  // namespace steptree::cabi
