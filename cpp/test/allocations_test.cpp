#include "allocations.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "catch.hpp"

namespace {
std::atomic<std::size_t> calls{0};
std::atomic<std::size_t> blocks{0};
thread_local std::size_t succeeding = SIZE_MAX;
thread_local std::size_t failing = 0;
thread_local std::size_t failed = 0;

void* counted(std::size_t size, std::size_t align) {
    if (succeeding == 0 && failing > 0) {
        --failing;
        ++failed;
        throw std::bad_alloc();
    }
    if (succeeding != SIZE_MAX && succeeding > 0) --succeeding;
    calls.fetch_add(1, std::memory_order_relaxed);
    blocks.fetch_add(1, std::memory_order_relaxed);
    const std::size_t rounded = (size + align - 1) / align * align;
    void* memory = std::aligned_alloc(align, rounded == 0 ? align : rounded);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

std::size_t allocations::count() noexcept {
    return calls.load(std::memory_order_relaxed);
}

std::size_t allocations::live() noexcept {
    return blocks.load(std::memory_order_relaxed);
}

allocations::Failing::Failing(std::size_t after, std::size_t times) noexcept {
    succeeding = after;
    failing = times;
    failed = 0;
}

allocations::Failing::~Failing() {
    succeeding = SIZE_MAX;
    failing = 0;
}

bool allocations::Failing::happened() const noexcept {
    return failed > 0;
}

void* operator new(std::size_t size) {
    return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t align) {
    return counted(size, static_cast<std::size_t>(align));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return ::operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) blocks.fetch_sub(1, std::memory_order_relaxed);
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

TEST_CASE("allocations are counted", "[memory]") {
    const std::size_t before = allocations::count();
    const std::string text(100, 'x');
    CHECK(allocations::count() == before + 1);
}
