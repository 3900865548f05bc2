#pragma once

#include <cstddef>
#include <cstdint>

#include "steptree/steptree.h"

/// Structs that programs give, and those that they have filled, of whichever size: as the header
/// says of structs. [abi-21] to [abi-24]
namespace steptree::cabi {

/// What a struct is called, and which bits it may have.
struct Shape {
    const char* name;
    std::uint32_t given = 0;
    std::uint32_t flags = 0;
};
template <class T>
inline constexpr Shape kShape{};  // each that is given has its own, below

/// Copies as much as both know.
void copyGiven(void* into, std::size_t known, const void* from) noexcept;
/// Throws what is wrong with the size, or with what is beyond `known`.
void checkGiven(const Shape& shape, std::size_t known, const void* from);
void checkBits(const Shape& shape, const char* member, std::uint32_t bits, std::uint32_t known);

/// A struct as this runtime has it; null: all of it is 0. It isn't checked yet: whatever data it
/// has is taken over first.
template <class T>
class Given {
  public:
    explicit Given(const T* from) noexcept : from_(from) {
        if (from != nullptr) copyGiven(&of_, sizeof of_, from);
    }

    const T& operator*() const noexcept { return of_; }
    const T* operator->() const noexcept { return &of_; }

    void check() const {
        static_assert(kShape<T>.name != nullptr);
        if (from_ == nullptr) return;
        checkGiven(kShape<T>, sizeof of_, from_);
        if constexpr (requires { of_.reserved; }) {
            checkBits(kShape<T>, "reserved", of_.reserved, 0);
        }
        if constexpr (requires { of_.given; }) {
            checkBits(kShape<T>, "given", of_.given, kShape<T>.given);
        }
        if constexpr (requires { of_.flags; }) {
            checkBits(kShape<T>, "flags", of_.flags, kShape<T>.flags);
        }
    }

  private:
    const T* from_;
    T of_{};
};

/// Writes no further than the program has room.
void fillRoom(const char* name, void* into, const void* made, std::size_t size);
template <class T>
void fillRoom(T* into, const T& made) {
    fillRoom(kShape<T>.name, into, &made, sizeof made);
}

template <>
inline constexpr Shape kShape<steptree_options>{"steptree_options",
                                                STEPTREE_GIVEN_BURST | STEPTREE_GIVEN_GRACE};
template <>
inline constexpr Shape kShape<steptree_virtual_options>{"steptree_virtual_options",
                                                        STEPTREE_GIVEN_CHOICES};
template <>
inline constexpr Shape kShape<steptree_start_options>{"steptree_start_options"};
template <>
inline constexpr Shape kShape<steptree_retry_options>{
    "steptree_retry_options", STEPTREE_GIVEN_BASE | STEPTREE_GIVEN_FACTOR | STEPTREE_GIVEN_CAP |
                                  STEPTREE_GIVEN_JITTER | STEPTREE_GIVEN_CODES};
template <>
inline constexpr Shape kShape<steptree_hedge_options>{"steptree_hedge_options",
                                                      STEPTREE_GIVEN_MAX | STEPTREE_GIVEN_CODES};
template <>
inline constexpr Shape kShape<steptree_map_options>{"steptree_map_options", 0, STEPTREE_UNORDERED};
template <>
inline constexpr Shape kShape<steptree_guard_options>{
    "steptree_guard_options",
    STEPTREE_GIVEN_MAX | STEPTREE_GIVEN_MAX_QUEUE | STEPTREE_GIVEN_RATE | STEPTREE_GIVEN_PERIOD |
        STEPTREE_GIVEN_BURST | STEPTREE_GIVEN_CALLS | STEPTREE_GIVEN_MIN_CALLS |
        STEPTREE_GIVEN_OPEN_FOR | STEPTREE_GIVEN_PROBES | STEPTREE_GIVEN_SHARE |
        STEPTREE_GIVEN_ALGORITHM,
    STEPTREE_RELEASES | STEPTREE_CLOSED | STEPTREE_ANY_THREAD};
template <>
inline constexpr Shape kShape<steptree_channel_options>{"steptree_channel_options", 0,
                                                        STEPTREE_ANY_THREAD};
template <>
inline constexpr Shape kShape<steptree_plugin_host_options>{"steptree_plugin_host_options"};
template <>
inline constexpr Shape kShape<steptree_stall_options>{"steptree_stall_options",
                                                      STEPTREE_GIVEN_BODY | STEPTREE_GIVEN_WAIT};
template <>
inline constexpr Shape kShape<steptree_awaitable>{"steptree_awaitable", 0, STEPTREE_TAKES_TIME};
template <>
inline constexpr Shape kShape<steptree_source>{"steptree_source"};
template <>
inline constexpr Shape kShape<steptree_custom_guard>{"steptree_custom_guard"};
template <>
inline constexpr Shape kShape<steptree_kind>{"steptree_kind"};
template <>
inline constexpr Shape kShape<steptree_guard_reading>{"steptree_guard_reading"};
template <>
inline constexpr Shape kShape<steptree_channel_reading>{"steptree_channel_reading"};

}  // namespace steptree::cabi
