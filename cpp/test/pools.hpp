#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>

#include "steptree/imempool.hpp"

namespace pools {

/// Knows each block that is out, and what is wrong with those that come back.
class Counting final : public steptree::IMemPool {
  public:
    void* allocate(std::size_t size) override {
        ++calls;
        if (failAfter == 0 && failing > 0) {
            --failing;
            ++failed;
            if (failing % 2 == 0) throw std::bad_alloc();
            return nullptr;
        }
        if (failAfter > 0) --failAfter;
        void* memory = std::malloc(size);
        live.emplace(memory, size);
        return memory;
    }
    void deallocate(void* memory, std::size_t size) noexcept override {
        const auto known = live.find(memory);
        if (known == live.end() || known->second != size) {
            ++wrong;
            return;
        }
        live.erase(known);
        std::free(memory);
    }
    void releaseMemory() noexcept override { ++released; }

    std::size_t calls = 0;
    std::size_t wrong = 0;
    std::size_t released = 0;
    std::size_t failAfter = SIZE_MAX;
    std::size_t failing = 0;
    std::size_t failed = 0;
    std::map<void*, std::size_t> live;
};

}  // namespace pools
