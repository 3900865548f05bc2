#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "fixed.hpp"
#include "outliving.hpp"
#include "steptree/detail/blockpool.hpp"

namespace steptree::detail {

namespace {

/// In the place of a pool: each block is the heap's.
class Heap final : public IMemPool {
  public:
    void* allocate(std::size_t size) override { return ::operator new(size); }
    void deallocate(void* memory, std::size_t) noexcept override { ::operator delete(memory); }
};
constinit Heap heap;

template <class Node>
Node* merged(Node* one, Node* other) noexcept {
    Node* first = nullptr;
    for (Node** last = &first;; last = &(*last)->next) {
        if (one == nullptr || other == nullptr) {
            *last = one != nullptr ? one : other;
            return first;
        }
        Node*& least = std::less<>()(one, other) ? one : other;
        *last = least;
        least = least->next;
    }
}

/// By address: list `i` of the sorted ones is of 2^i nodes.
template <class Node>
Node* sorted(Node* list) noexcept {
    std::array<Node*, 48> runs{};
    while (list != nullptr) {
        Node* run = list;
        list = list->next;
        run->next = nullptr;
        std::size_t i = 0;
        for (; runs[i] != nullptr; ++i) run = merged(std::exchange(runs[i], nullptr), run);
        runs[i] = run;
    }
    Node* all = nullptr;
    for (Node* run : runs) all = merged(run, all);
    return all;
}

/// The arena of a pin has no use any more for what is below. Whether the pin keeps it.
bool giveUp(Block& block) noexcept {
    Pin& pin = reinterpret_cast<Pin&>(block);
    Remains& remains = *pin.remains;
    if (remains.active == 0) return false;
    pin.next = std::exchange(remains.given, &pin);
    return true;
}

}  // namespace

IMemPool* BlockPool::chosen(IMemPool* given) noexcept {
    if (given != nullptr) return given;
    const char* wanted = std::getenv("STEPTREE_MEMPOOL");
    return wanted != nullptr && std::strcmp(wanted, "off") == 0 ? &heap : nullptr;
}

bool BlockPool::isUsers() const noexcept {
    return replacement_ != nullptr && replacement_ != &heap;
}

BlockPool::~BlockPool() {
    freeLarge();
    while (Slab* slab = slabs_) {
        slabs_ = slab->next;
        ::operator delete(slab);
    }
}

void* BlockPool::obtain(std::size_t size) {
    if (!isReplaced()) return ::operator new(size);
    void* memory = replacement_->allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void BlockPool::putBack(void* block, std::size_t size) noexcept {
    if (isReplaced()) {
        replacement_->deallocate(block, size);
    } else {
        ::operator delete(block);
    }
}

/// Cuts one slab, so that neighbours in time are neighbours in memory.
void* BlockPool::refill(std::size_t sizeClass) {
    const std::size_t size = kSizes[sizeClass];
    if (isReplaced() || sizeClass == kLargest) return obtain(size);
    char* slab = static_cast<char*>(::operator new(kSlab));
    slabs_ = ::new (slab) Slab{slabs_, sizeClass};
    char* const begin = slabs_->blocks();
    for (std::size_t i = blocksOfSlab(sizeClass) - 1; i > 0; --i) keep(begin + i * size, sizeClass);
    return begin;
}

void BlockPool::giveBack(void* block, std::size_t sizeClass) noexcept {
    if (isReplaced() || large_ >= kMostLarge) return putBack(block, kSizes[sizeClass]);
    ++large_;
    keep(block, sizeClass);
}

void BlockPool::freeLarge() noexcept {
    while (Free* block = free_[kLargest]) {
        free_[kLargest] = block->next;
        ::operator delete(block);
    }
    large_ = 0;
}

/// With slabs and free blocks in the order of their addresses, the free blocks of a slab follow one
/// another.
void BlockPool::releaseMemory() noexcept {
    if (isReplaced()) return replacement_->releaseMemory();
    freeLarge();
    slabs_ = sorted(slabs_);
    std::array<Free**, kLargest> next{};
    for (std::size_t i = 0; i < next.size(); ++i) {
        free_[i] = sorted(free_[i]);
        next[i] = &free_[i];
    }
    for (Slab** at = &slabs_; *at != nullptr;) {
        Slab* const slab = *at;
        Free**& begin = next[slab->sizeClass];
        const char* const slabEnd = reinterpret_cast<char*>(slab) + kSlab;
        std::size_t free = 0;
        Free** end = begin;
        for (; *end != nullptr && reinterpret_cast<char*>(*end) < slabEnd; end = &(*end)->next) {
            ++free;
        }
        if (free == blocksOfSlab(slab->sizeClass)) {
            *begin = *end;
            *at = slab->next;
            ::operator delete(slab);
        } else {
            begin = end;
            at = &slab->next;
        }
    }
}

void Arena::grow(Line& line, std::size_t size) {
    if (fixedOf(*line.flow) != nullptr) {
        outOfSteps(line, std::to_string(size) + " bytes for a step: " + std::to_string(left()) +
                             " are left of its line (MaxSteps, MaxCapture)");
    }
    ToolCore& core = line.core();
    const std::size_t needed = size + sizeof(Block);
    std::uint32_t sizeClass = BlockPool::kFlow;
    std::uint32_t base = 0;
    if (small()) {
        base = position(this, reinterpret_cast<const char*>(end_));
    } else {
        base = block()->base + 1 + position(block()->begin, reinterpret_cast<char*>(block()));
        if (block()->origin != kPin)
            sizeClass = std::min<std::uint32_t>(block()->origin + 1, BlockPool::kLargest);
    }
    while (sizeClass < BlockPool::kSizes.size() && BlockPool::kSizes[sizeClass] < needed)
        ++sizeClass;
    std::size_t length = needed;
    std::uint32_t origin = static_cast<std::uint32_t>(needed);
    void* memory = nullptr;
    if (!core.onOwnThread()) {
        length = std::max<std::size_t>(needed, 1024);
        memory = ::operator new(length);
        origin = kHeap;
    } else if (sizeClass < BlockPool::kSizes.size()) {
        length = BlockPool::kSizes[sizeClass];
        memory = core.blocks.take(sizeClass);
        origin = sizeClass;
    } else {
        memory = core.blocks.obtain(needed);
    }
    bump_ = static_cast<char*>(memory);
    auto* const block = ::new (bump_ + length - sizeof(Block)) Block{bump_, end_, base, origin};
    end_ = reinterpret_cast<std::uintptr_t>(block) + kInBlock;
}

/// Gives a block back; what was before it.
std::uintptr_t Arena::drop(ToolCore& core, const Block& block) noexcept {
    char* const begin = block.begin;
    const std::uint32_t origin = block.origin;
    const std::uintptr_t previous = block.previous;
    if (origin == kPin) {
        // has no memory of its own
    } else if (origin >= kHeap) {
        ::operator delete(begin);
    } else if (origin < BlockPool::kSizes.size()) {
        core.blocks.give(begin, origin);
    } else {
        core.blocks.putBack(begin, origin);
    }
    return previous;
}

void Arena::drop(ToolCore& core) noexcept {
    end_ = drop(core, *block());
}

void Arena::pin(Pin& pin) noexcept {
    char* const begin = reinterpret_cast<char*>(&pin.block);
    pin.block = {begin, end_, mark(), kPin};
    bump_ = begin;
    end_ = reinterpret_cast<std::uintptr_t>(&pin.block) + kInBlock;
}

void Arena::dropFrom(ToolCore& core, std::uintptr_t end) noexcept {
    while (Block* const block = blockAt(end)) {
        if (block->origin == kPin && giveUp(*block)) return;
        end = drop(core, *block);
    }
}

void Arena::shrink(ToolCore& core, std::uint32_t mark) noexcept {
    while (!small() && mark <= block()->base && !stays(mark)) drop(core);
    reset(core, mark);
}

/// What an operation may still use below a pin is not there any more for this arena.
void Arena::giveBack(ToolCore& core, void* begin) noexcept {
    while (!small()) {
        if (block()->origin == kPin && giveUp(*block())) {
            while (!small()) end_ = block()->previous;
            begin = reinterpret_cast<char*>(end_);
        } else {
            drop(core);
        }
    }
    bump_ = static_cast<char*>(begin);
}

}  // namespace steptree::detail
