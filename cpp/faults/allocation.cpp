#include "allocation.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

#include "memory.hpp"

namespace {

thread_local std::size_t blocks = 0;
thread_local std::size_t succeeding = SIZE_MAX;
thread_local std::size_t failing = 0;
thread_local std::size_t failedBefore = 0;

/// Null if this one is to fail.
void* take(std::size_t size, std::size_t align) noexcept {
    if (succeeding != SIZE_MAX && conformance::Memory::quiet == 0) {
        if (succeeding == 0 && failing > 0) {
            --failing;
            ++failedBefore;
            return nullptr;
        }
        if (succeeding > 0) --succeeding;
    }
    const std::size_t whole = (size + align - 1) / align * align;
    void* memory = align <= alignof(std::max_align_t)
                       ? std::malloc(size == 0 ? 1 : size)
                       : std::aligned_alloc(align, whole == 0 ? align : whole);
    if (memory != nullptr) ++blocks;
    return memory;
}

void* taken(std::size_t size, std::size_t align) {
    void* memory = take(size, align);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void give(void* memory) noexcept {
    if (memory != nullptr) --blocks;
    std::free(memory);
}

}  // namespace

namespace faults {

std::size_t liveBlocks() noexcept {
    return blocks;
}

Failing::Failing(std::size_t after, std::size_t times) noexcept {
    succeeding = after;
    failing = times;
    failedBefore = 0;
}

Failing::~Failing() {
    succeeding = SIZE_MAX;
    failing = 0;
}

std::size_t Failing::failed() const noexcept {
    return failedBefore;
}

}  // namespace faults

void* operator new(std::size_t size) {
    return taken(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t align) {
    return taken(size, static_cast<std::size_t>(align));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return take(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
    give(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    give(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    give(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    give(memory);
}
