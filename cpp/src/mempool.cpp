#include <algorithm>
#include <new>

#include "arena.hpp"
#include "steptree/detail/blockpool.hpp"

namespace steptree::detail {

namespace {

class Heap final : public BlockProvider {
  public:
    void* allocate(std::size_t size) override { return ::operator new(size); }
    void release(void* block, std::size_t) noexcept override { ::operator delete(block); }
};

}  // namespace

BlockProvider& BlockProvider::heap() noexcept {
    static Heap heap;
    return heap;
}

BlockPool::~BlockPool() {
    while (Free* block = free_[kLargest]) {
        free_[kLargest] = block->next;
        provider_->release(block, kSizes[kLargest]);
    }
    while (Slab* slab = slabs_) {
        slabs_ = slab->next;
        provider_->release(slab, kSlab);
    }
}

void* BlockPool::obtain(std::size_t size) {
    void* memory = provider_->allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

/// Cuts one slab, so that neighbours in time are neighbours in memory.
void* BlockPool::refill(std::size_t sizeClass) {
    const std::size_t size = kSizes[sizeClass];
    if (sizeClass == kLargest) return obtain(size);
    char* slab = static_cast<char*>(obtain(kSlab));
    slabs_ = ::new (slab) Slab{slabs_};
    char* const begin = slab + kSlabHeader;
    for (std::size_t i = (kSlab - kSlabHeader) / size - 1; i > 0; --i) {
        free_[sizeClass] = ::new (begin + i * size) Free{free_[sizeClass]};
    }
    return begin;
}

void Arena::grow(ToolCore& core, std::size_t size) {
    const std::size_t needed = size + sizeof(Block);
    std::uint32_t sizeClass = BlockPool::kFlow;
    const std::uint32_t base =
        block_ == nullptr ? position(this, end_) : block_->base + position(block_, end_);
    if (block_ != nullptr) {
        sizeClass = std::min<std::uint32_t>(block_->origin + 1, BlockPool::kLargest);
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
    block_ = ::new (memory) Block{block_, end_, base, origin};
    bump_ = reinterpret_cast<char*>(block_ + 1);
    end_ = static_cast<char*>(memory) + length;
}

void Arena::drop(ToolCore& core) noexcept {
    Block* block = block_;
    block_ = block->previous;
    end_ = block->end;
    if (block->origin >= kHeap) {
        ::operator delete(block);
    } else if (block->origin < BlockPool::kSizes.size()) {
        core.blocks.give(block, block->origin);
    } else {
        core.blocks.provider().release(block, block->origin);
    }
}

void Arena::shrink(ToolCore& core, std::uint32_t mark) noexcept {
    while (block_ != nullptr && mark <= block_->base && !stays(mark)) drop(core);
    reset(core, mark);
}

void Arena::giveBack(ToolCore& core, void* begin) noexcept {
    while (block_ != nullptr) drop(core);
    bump_ = static_cast<char*>(begin);
}

}  // namespace steptree::detail
