#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

/// What keeps the code of a plug-in loaded. Whose code a function or a kind of values is, is told
/// by its address: also on threads of the plug-in, and without any cost where there is none.
namespace steptree::cabi {

enum class HeldAs { step, function, value, completion };
inline constexpr std::size_t kHeldKinds = 4;

/// The code of a loaded plug-in. It is never freed, only used again: who has let go of the last
/// hold may still look at it.
class Code {
  public:
    Code() = default;
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;

    /// From now on `leftBy` is called, on any thread, when no step is open or nothing is held.
    void leave(std::function<void()> leftBy);

    void hold(HeldAs as) noexcept {
        held_[static_cast<std::size_t>(as)].fetch_add(1, std::memory_order_relaxed);
        all_.fetch_add(1, std::memory_order_relaxed);
    }
    /// All that the holder does with the code has to be done.
    void release(HeldAs as) noexcept {
        const bool last = held_[static_cast<std::size_t>(as)].fetch_sub(1) == 1;
        if ((all_.fetch_sub(1) == 1 || (last && as == HeldAs::step)) && leaving_.load()) left();
    }
    std::size_t held(HeldAs as) const noexcept { return held_[static_cast<std::size_t>(as)]; }
    /// What it counts is exact: without any hold no code of it can run, but on its own threads.
    bool isHeld() const noexcept { return all_.load() != 0; }

    /// Takes the code from `begin` to `end` into the list.
    static Code& enter(std::uintptr_t begin, std::uintptr_t end);
    /// It is unloaded: takes it out.
    void quit() noexcept;
    /// Whose an address is; null: of no plug-in.
    static Code* at(std::uintptr_t address) noexcept {
        return first_.load(std::memory_order_acquire) == nullptr ? nullptr : find(address);
    }

  private:
    static Code* find(std::uintptr_t address) noexcept;
    bool has(std::uintptr_t address) const noexcept;
    void left() noexcept;

    static std::atomic<Code*> first_;

    Code* next_ = nullptr;
    std::atomic<std::uintptr_t> begin_{0};
    std::atomic<std::uintptr_t> end_{0};  // 0: it's free
    std::atomic<std::size_t> all_{0};
    std::array<std::atomic<std::size_t>, kHeldKinds> held_{};
    std::atomic<bool> leaving_{false};
    std::mutex mutex_;
    std::function<void()> leftBy_;
};

/// A hold on the code of a plug-in; of none: nothing.
template <HeldAs as>
class Hold {
  public:
    Hold() noexcept = default;
    explicit Hold(Code* code) noexcept : code_(code) {
        if (code_ != nullptr) code_->hold(as);
    }
    Hold(Hold&& other) noexcept : code_(std::exchange(other.code_, nullptr)) {}
    Hold& operator=(Hold&& other) noexcept {
        std::swap(code_, other.code_);
        return *this;
    }
    ~Hold() {
        if (code_ != nullptr) code_->release(as);
    }

    Code* code() const noexcept { return code_; }

  private:
    Code* code_ = nullptr;
};

/// Of the first of these functions that a plug-in has; null is in none.
template <class... F>
Code* loadedCodeOf(F*... functions) noexcept {
    Code* code = nullptr;
    const auto look = [&code](auto* function) {
        if (code == nullptr) code = Code::at(reinterpret_cast<std::uintptr_t>(function));
    };
    (look(functions), ...);
    return code;
}

}  // namespace steptree::cabi
