#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls{0};
std::atomic<std::size_t> blocks{0};
std::atomic<std::size_t> held{0};
thread_local std::size_t succeeding = SIZE_MAX;
thread_local std::size_t failing = 0;
thread_local std::size_t failedBefore = 0;

bool fails() noexcept {
    if (succeeding == SIZE_MAX || (allocations::spared != nullptr && allocations::spared())) {
        return false;
    }
    if (succeeding > 0) {
        --succeeding;
        return false;
    }
    if (failing == 0) return false;
    --failing;
    ++failedBefore;
    return true;
}

/// Null if there is none, or this one is to fail.
void* take(std::size_t size, std::size_t align) noexcept {
    if (fails()) return nullptr;
    const std::size_t whole = (size + align - 1) / align * align;
    void* memory = std::aligned_alloc(align, whole == 0 ? align : whole);
    if (memory == nullptr) return nullptr;
    calls.fetch_add(1, std::memory_order_relaxed);
    blocks.fetch_add(1, std::memory_order_relaxed);
    held.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
    return memory;
}

void* taken(std::size_t size, std::size_t align) {
    void* memory = take(size, align);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

namespace allocations {

std::size_t count() noexcept {
    return calls.load(std::memory_order_relaxed);
}

std::size_t live() noexcept {
    return blocks.load(std::memory_order_relaxed);
}

std::size_t bytes() noexcept {
    return held.load(std::memory_order_relaxed);
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

}  // namespace allocations

void* operator new(std::size_t size) {
    return taken(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t align) {
    return taken(size, static_cast<std::size_t>(align));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return take(size, alignof(std::max_align_t));
}
// A sanitizer has arrays of its own otherwise.
void* operator new[](std::size_t size) {
    return ::operator new(size);
}
void operator delete[](void* memory) noexcept {
    ::operator delete(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    ::operator delete(memory);
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) blocks.fetch_sub(1, std::memory_order_relaxed);
    held.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    ::operator delete(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    ::operator delete(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    ::operator delete(memory);
}
