#include "given.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "errors.hpp"

namespace steptree::cabi {

namespace {

/// Each struct begins with its size.
std::uint32_t sizeOf(const void* of) noexcept {
    std::uint32_t size = 0;
    std::memcpy(&size, of, sizeof size);
    return size;
}

/// What was never set is 0, or less than any struct has.
constexpr std::uint32_t kLeastSize = 8;

[[noreturn]] void refuse(const char* name, const std::string& why) {
    throw StepError(errors::InternalError, std::string(name) + ": " + why);
}

std::uint32_t sizeSet(const char* name, const void* of) {
    const std::uint32_t size = sizeOf(of);
    if (size < kLeastSize) refuse(name, "its size isn't set, " + std::to_string(size));
    return size;
}

}  // namespace

void copyGiven(void* into, std::size_t known, const void* from) noexcept {
    const std::uint32_t size = sizeOf(from);
    if (size >= kLeastSize) std::memcpy(into, from, std::min<std::size_t>(size, known));
}

void checkGiven(const Shape& shape, std::size_t known, const void* from) {
    const std::uint32_t size = sizeSet(shape.name, from);
    if (size <= known) return;
    const char* const first = static_cast<const char*>(from);
    if (std::all_of(first + known, first + size, [](char byte) { return byte == 0; })) return;
    refuse(shape.name, "this runtime is older than what it is given: of its " +
                           std::to_string(size) + " bytes it knows " + std::to_string(known) +
                           ", and the others aren't 0");
}

void checkBits(const Shape& shape, const char* member, std::uint32_t bits, std::uint32_t known) {
    if ((bits & ~known) == 0) return;
    refuse(shape.name, std::string(member) + " is " + std::to_string(bits) + ", of which " +
                           std::to_string(bits & ~known) + " isn't known");
}

void fillRoom(const char* name, void* into, const void* made, std::size_t size) {
    const auto room =
        std::min<std::uint32_t>(sizeSet(name, into), static_cast<std::uint32_t>(size));
    std::memcpy(into, made, room);
    std::memcpy(into, &room, sizeof room);
}

}  // namespace steptree::cabi
