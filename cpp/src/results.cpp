#include "steptree/results.hpp"

#include <algorithm>

/// Values that several bodies are given.
namespace steptree {

using detail::kMaxValues;
using detail::SharedValues;
using detail::TupleDesc;
using detail::TypeDesc;
using detail::TypeDescOf;

namespace {

constexpr TupleDesc kNone{0, sizeof(SharedValues), alignof(SharedValues), true, false, true, {},
                          {}};

/// Where one more is to lie, behind the description.
void layBehind(TupleDesc& desc, const TypeDesc& type) noexcept {
    desc.size = (desc.size + type.align - 1) / type.align * type.align;
    desc.types[desc.count] = &type;
    desc.offsets[desc.count++] = desc.size;
    desc.size += type.size;
    desc.align = std::max(desc.align, type.align);
}

TupleDesc layOut(const TupleDesc* values, bool numbered) noexcept {
    TupleDesc desc = kNone;
    for (std::uint32_t i = 0; values != nullptr && i < values->count; ++i) {
        layBehind(desc, *values->types[i]);
    }
    if (numbered) layBehind(desc, TypeDescOf<std::int64_t>::desc);
    return desc;
}

}  // namespace

std::int64_t* Results::share(bool numbered) {
    const bool isShared = desc_ != nullptr && desc_->shared;
    const bool hasNumber = numbered && size() < kMaxValues;
    if (isShared && !hasNumber) return nullptr;
    const TupleDesc desc = layOut(desc_, hasNumber);
    const auto count = static_cast<std::uint32_t>(size());
    auto* const memory =
        static_cast<std::byte*>(::operator new(desc.size, std::align_val_t(desc.align)));
    std::uint32_t moved = isShared ? count : 0;
    try {
        for (; moved < count; ++moved) {
            desc.types[moved]->move(memory + desc.offsets[moved], value(moved));
        }
    } catch (...) {
        destroy(desc, moved, memory);
        ::operator delete(memory, std::align_val_t(desc.align));
        throw;
    }
    auto* const shared = ::new (memory) SharedValues{desc};
    for (std::uint32_t i = 0; i < desc.count; ++i) shared->places[i] = memory + desc.offsets[i];
    if (isShared) {
        shared->outer = &sharedBy(*this);
        for (std::uint32_t i = 0; i < count; ++i) shared->places[i] = shared->outer->places[i];
    } else {
        clear();
    }
    desc_ = &shared->desc;
    heap_ = memory;
    return hasNumber ? ::new (shared->places[count]) std::int64_t(0) : nullptr;
}

void Results::gather(std::size_t count, const TypeDesc* const* types, void* const* places) {
    Results made;
    TupleDesc desc = kNone;
    for (std::size_t i = 0; i < count; ++i) layBehind(desc, *types[i]);
    auto* const memory =
        static_cast<std::byte*>(::operator new(desc.size, std::align_val_t(desc.align)));
    std::uint32_t moved = 0;
    try {
        for (; moved < count; ++moved)
            types[moved]->move(memory + desc.offsets[moved], places[moved]);
    } catch (...) {
        destroy(desc, moved, memory);
        ::operator delete(memory, std::align_val_t(desc.align));
        throw;
    }
    auto* const shared = ::new (memory) SharedValues{desc};
    for (std::uint32_t i = 0; i < desc.count; ++i) shared->places[i] = memory + desc.offsets[i];
    made.desc_ = &shared->desc;
    made.heap_ = memory;
    *this = std::move(made);
}

}  // namespace steptree
