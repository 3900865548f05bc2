#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"

namespace steptree::detail {

template <class Signature>
class Function;

/// A move-only callable. What fits 48 bytes at 8-byte alignment and moves without throwing lives
/// inside; only more goes to the heap. Empty if it is made of an empty std::function or a null
/// pointer.
template <class R, class... Args>
class Function<R(Args...)> {
  public:
    Function() noexcept = default;
    Function(std::nullptr_t) noexcept {}

    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Function> &&
             std::is_invocable_r_v<R, std::remove_cvref_t<F>&, Args...>) Function(F&& callable) {
        using T = std::remove_cvref_t<F>;
        static_assert(std::is_nothrow_destructible_v<T>, "a callback's destructor may not throw");
        if constexpr (nullable<T>) {
            if (!static_cast<bool>(callable)) return;
        }
        if constexpr (fits<T>) {
            // It's moved as a whole pointer.
            if constexpr (sizeof(T) < sizeof(void*)) std::memset(inside_, 0, sizeof(void*));
            ::new (static_cast<void*>(inside_)) T(std::forward<F>(callable));
            table_ = &kInside<T>;
        } else {
            ::new (static_cast<void*>(inside_)) T*(new T(std::forward<F>(callable)));
            table_ = &kOutside<T>;
        }
    }

    Function(Function&& other) noexcept { take(other); }
    Function& operator=(Function&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~Function() { reset(); }

    explicit operator bool() const noexcept { return table_ != nullptr; }

    static constexpr std::size_t kSize = 48;

    /// What a callable of some type is to who keeps it.
    struct Table {
        R (*call)(void*, Args&&...);
        void (*move)(void* from, void* to) noexcept;  // null: copy the bytes
        void (*destroy)(void*) noexcept;              // null: nothing to do
        std::size_t size;
    };

    /// Of one that isn't empty.
    const Table& table() const noexcept { return *table_; }

    /// The callable goes to raw memory of that size, aligned like a pointer; empty then.
    const Table* moveTo(void* place) noexcept {
        const Table* const table = std::exchange(table_, nullptr);
        if (table->move != nullptr) {
            table->move(inside_, place);
        } else if (table->size <= sizeof(void*)) {
            std::memcpy(place, inside_, sizeof(void*));
        } else {
            std::memcpy(place, inside_, kSize);
        }
        return table;
    }

    R operator()(Args... args) { return table_->call(inside_, std::forward<Args>(args)...); }

    void reset() noexcept {
        const Table* const table = std::exchange(table_, nullptr);
        if (table != nullptr && table->destroy != nullptr) table->destroy(inside_);
    }

  private:
    template <class T>
    static constexpr bool fits =
        sizeof(T) <= kSize &&
        alignof(T) <= alignof(void*) && std::is_nothrow_move_constructible_v<T>;

    template <class T>
    static constexpr bool nullable =
        std::is_constructible_v<T, std::nullptr_t>&& std::is_constructible_v<bool, T&>;

    template <class T>
    static T& at(void* place) noexcept {
        return *std::launder(reinterpret_cast<T*>(place));
    }

    template <class T>
    static R callInside(void* f, Args&&... args) {
        return static_cast<R>(at<T>(f)(std::forward<Args>(args)...));
    }
    template <class T>
    static R callOutside(void* f, Args&&... args) {
        return static_cast<R>((*at<T*>(f))(std::forward<Args>(args)...));
    }
    template <class T>
    static void moveInside(void* from, void* to) noexcept {
        ::new (to) T(std::move(at<T>(from)));
        at<T>(from).~T();
    }
    template <class T>
    static void destroyInside(void* f) noexcept {
        at<T>(f).~T();
    }
    template <class T>
    static void destroyOutside(void* f) noexcept {
        delete at<T*>(f);
    }

    template <class T>
    static constexpr Table kInside{
        &callInside<T>, std::is_trivially_copyable_v<T> ? nullptr : &moveInside<T>,
        std::is_trivially_destructible_v<T> ? nullptr : &destroyInside<T>, sizeof(T)};

    template <class T>
    static constexpr Table kOutside{&callOutside<T>, nullptr, &destroyOutside<T>, sizeof(T*)};

    void take(Function& other) noexcept {
        if (other.table_ != nullptr) table_ = other.moveTo(inside_);
    }

    const Table* table_ = nullptr;
    alignas(void*) std::byte inside_[kSize];
};

}  // namespace steptree::detail
