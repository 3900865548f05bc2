#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace steptree::detail {

template <class Signature>
class Function;

/// A move-only callable. What fits 48 bytes and moves without throwing lives inside; only more goes
/// to the heap. Empty if it is made of an empty std::function or a null pointer.
template <class R, class... Args>
class Function<R(Args...)> {
  public:
    Function() noexcept = default;
    Function(std::nullptr_t) noexcept {}

    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Function> &&
             std::is_invocable_r_v<R, std::remove_cvref_t<F>&, Args...>) Function(F&& callable) {
        using T = std::remove_cvref_t<F>;
        if constexpr (nullable<T>) {
            if (!static_cast<bool>(callable)) return;
        }
        if constexpr (fits<T>) {
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

    R operator()(Args... args) { return table_->call(inside_, std::forward<Args>(args)...); }

    void reset() noexcept {
        if (const Table* table = std::exchange(table_, nullptr)) table->destroy(inside_);
    }

  private:
    static constexpr std::size_t kSize = 48;

    struct Table {
        R (*call)(void*, Args&&...);
        void (*move)(void* from, void* to) noexcept;
        void (*destroy)(void*) noexcept;
    };

    template <class T>
    static constexpr bool fits =
        sizeof(T) <= kSize &&
        alignof(T) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<T>;

    template <class T>
    static constexpr bool nullable =
        std::is_constructible_v<T, std::nullptr_t>&& std::is_constructible_v<bool, T&>;

    template <class T>
    static T& at(void* place) noexcept {
        return *std::launder(reinterpret_cast<T*>(place));
    }

    template <class T>
    static constexpr Table kInside{[](void* f, Args&&... args) -> R {
                                       return static_cast<R>(at<T>(f)(std::forward<Args>(args)...));
                                   },
                                   [](void* from, void* to) noexcept {
                                       ::new (to) T(std::move(at<T>(from)));
                                       at<T>(from).~T();
                                   },
                                   [](void* f) noexcept { at<T>(f).~T(); }};

    template <class T>
    static constexpr Table kOutside{
        [](void* f, Args&&... args) -> R {
            return static_cast<R>((*at<T*>(f))(std::forward<Args>(args)...));
        },
        [](void* from, void* to) noexcept { ::new (to) T*(at<T*>(from)); },
        [](void* f) noexcept { delete at<T*>(f); }};

    void take(Function& other) noexcept {
        if (other.table_ == nullptr) return;
        other.table_->move(other.inside_, inside_);
        table_ = std::exchange(other.table_, nullptr);
    }

    const Table* table_ = nullptr;
    alignas(std::max_align_t) std::byte inside_[kSize];
};

}  // namespace steptree::detail
