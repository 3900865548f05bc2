#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "steptree/detail/tupledesc.hpp"
#include "steptree/error.hpp"

namespace steptree {

/// The values between two steps: at most 4 of any movable types. A body that takes one `Results&`
/// gets all of them as they are. What fits 32 bytes and moves without throwing needs no allocation.
/// Guide: docs/values.md#to-the-next-step
///
///     asi.add([](IAsyncSteps& asi, Results& all) { asi.success(std::move(all)); });
class Results {
  public:
    Results() noexcept {}
    Results(Results&& other) noexcept { take(other); }
    Results& operator=(Results&& other) noexcept {
        if (this != &other) {
            clear();
            take(other);
        }
        return *this;
    }
    ~Results() { clear(); }

    /// How many values there are.
    std::size_t size() const noexcept { return desc_ == nullptr ? 0 : desc_->count; }
    /// Whether there is none.
    bool empty() const noexcept { return desc_ == nullptr; }

    /// Whether there is a value `index` and its type is T.
    template <class T>
    bool holds(std::size_t index) const noexcept {
        return index < size() &&
               detail::sameType(desc_->types[index], &detail::TypeDescOf<T>::desc);
    }

    /// The value `index`. InternalError that names what is missing, or both types, if it is no T.
    template <class T>
    T& at(std::size_t index) {
        if (!holds<T>(index)) mismatch(index, detail::TypeDescOf<T>::desc);
        return *static_cast<T*>(value(index));
    }
    /// The same, to be read.
    template <class T>
    const T& at(std::size_t index) const {
        return const_cast<Results*>(this)->at<T>(index);
    }

    /// Replaces all by the given values.
    template <class... T>
    requires(sizeof...(T) > 0 && sizeof...(T) <= detail::kMaxValues) void set(T&&... values) {
        clear();
        constexpr const detail::TupleDesc& desc = detail::TupleDescOf<detail::Kept<T>...>::desc;
        Building building{*this, desc, reserve(desc)};
        (building.template add<detail::Kept<T>>(std::forward<T>(values)), ...);
        building.done();
    }

    /// Destroys all values.
    void clear() {
        if (desc_ == nullptr) return;
        const detail::TupleDesc& desc = *std::exchange(desc_, nullptr);
        if (!desc.trivial) destroy(desc, desc.count, data(desc));
        free(desc);
    }

    /// For the runtime: from now on others may see them, too. With a number behind them, if there
    /// is a place; else null. Throws bad_alloc, and leaves them as they are;
    /// after what a move throws, those before are moved from.
    std::int64_t* share(bool numbered);
    /// For the runtime: the values that another one shares.
    void refer(const Results& shared) noexcept {
        clear();
        sharedBy(shared).refs.add();
        desc_ = shared.desc_;
        heap_ = shared.heap_;
    }
    /// For the runtime: whether others see them, too.
    bool seenByOthers() const noexcept {
        if (desc_ == nullptr || !desc_->shared) return false;
        const detail::SharedValues* at = &sharedBy(*this);
        while (at != nullptr && at->refs.isOne()) at = at->outer;
        return at != nullptr;
    }

    /// For the runtime: replaces all by 1 to 4 values whose types are known at run time only; each
    /// is moved out of its place.
    STEPTREE_VISIBLE void gather(std::size_t count, const detail::TypeDesc* const* types,
                                 void* const* places);
    /// The type of value `index`. For the runtime.
    const detail::TypeDesc& type(std::size_t index) const noexcept { return *desc_->types[index]; }
    /// The place of value `index`, whatever its type. For the runtime.
    void* value(std::size_t index) noexcept {
        if (desc_->shared) [[unlikely]]
            return sharedBy(*this).places[index];
        return static_cast<std::byte*>(data(*desc_)) + desc_->offsets[index];
    }

  private:
    static constexpr std::size_t kInline = detail::kInsideValues;

    // Takes back what was made if a constructor throws.
    struct Building {
        Results& results;
        const detail::TupleDesc& desc;
        void* place;
        std::uint32_t count = 0;

        template <class Value, class T>
        void add(T&& value) {
            ::new (static_cast<std::byte*>(place) + desc.offsets[count])
                Value(std::forward<T>(value));
            ++count;
        }
        void done() noexcept {
            results.desc_ = &desc;
            place = nullptr;
        }
        ~Building() {
            if (place == nullptr) return;
            destroy(desc, count, place);
            results.free(desc);
        }
    };

// Where there are values one of the two is. What is inlined into the program's code looks
// otherwise.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
    void* data(const detail::TupleDesc& desc) noexcept {
        return desc.inside ? static_cast<void*>(inline_) : heap_;
    }
#pragma GCC diagnostic pop
    void* reserve(const detail::TupleDesc& desc) {
        if (desc.inside) return inline_;
        return heap_ = ::operator new(desc.size, std::align_val_t(desc.align));
    }
    void free(const detail::TupleDesc& desc) noexcept {
        if (!desc.inside) freeHeap(heap_, desc);
    }
    [[gnu::noinline]] static void freeHeap(void* place, const detail::TupleDesc& desc) noexcept {
        if (desc.shared) return release(static_cast<detail::SharedValues*>(place));
        ::operator delete(place, std::align_val_t(desc.align));
    }
    static void release(detail::SharedValues* shared) noexcept {
        while (shared != nullptr) {
            if (!shared->refs.drop()) return;
            detail::SharedValues* const outer = shared->outer;
            if (outer == nullptr) destroy(shared->desc, shared->desc.count, shared);
            ::operator delete(shared, std::align_val_t(shared->desc.align));
            shared = outer;
        }
    }
    static detail::SharedValues& sharedBy(const Results& results) noexcept {
        return *static_cast<detail::SharedValues*>(results.heap_);
    }
    static void destroy(const detail::TupleDesc& desc, std::uint32_t count, void* place) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (desc.types[i]->destroy == nullptr) continue;
            desc.types[i]->destroy(static_cast<std::byte*>(place) + desc.offsets[i]);
        }
    }

    void take(Results& other) noexcept {
        if (other.desc_ == nullptr) return;
        const detail::TupleDesc& desc = *other.desc_;
        if (!desc.inside) {
            heap_ = other.heap_;
        } else if (desc.trivial) {
            std::memcpy(inline_, other.inline_, kInline);
        } else {
            for (std::uint32_t i = 0; i < desc.count; ++i) {
                desc.types[i]->move(inline_ + desc.offsets[i], other.inline_ + desc.offsets[i]);
            }
            desc_ = &desc;
            other.clear();
            return;
        }
        desc_ = std::exchange(other.desc_, nullptr);
    }

    [[noreturn]] void mismatch(std::size_t index, const detail::TypeDesc& wanted) const {
        const std::string expected =
            "value " + std::to_string(index) + ": expected a " + wanted.text();
        throw StepError(errors::InternalError,
                        index < size() ? expected + ", got a " + desc_->types[index]->text()
                                       : expected + ", got nothing");
    }

    const detail::TupleDesc* desc_ = nullptr;
    union {
        alignas(void*) std::byte inline_[kInline];
        void* heap_;
    };
};

}  // namespace steptree
