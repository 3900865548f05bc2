#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace bench {

/// Room for a fixed number of objects that can't be moved: made one after another, destroyed all at
/// once.
template <class T>
class Batch {
  public:
    explicit Batch(std::size_t room) : memory_(std::allocator<T>().allocate(room)), room_(room) {}
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch() {
        clear();
        std::allocator<T>().deallocate(memory_, room_);
    }

    template <class... A>
    T& emplace(A&&... args) {
        T* made = ::new (memory_ + size_) T(std::forward<A>(args)...);
        ++size_;
        return *made;
    }
    void clear() noexcept { std::destroy_n(memory_, std::exchange(size_, 0)); }

    std::size_t size() const noexcept { return size_; }
    T* begin() noexcept { return memory_; }
    T* end() noexcept { return memory_ + size_; }
    T& operator[](std::size_t i) noexcept { return memory_[i]; }

  private:
    T* memory_;
    std::size_t room_;
    std::size_t size_ = 0;
};

}  // namespace bench
