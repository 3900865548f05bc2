#include "steptree/cvalue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "code.hpp"
#include "given.hpp"
#include "steptree/detail/refcount.hpp"
#include "values.hpp"

/// Everything that a value has inside lies in one block, but for what other blocks own.
namespace steptree {

namespace {

using cabi::HeldAs;
using cabi::Hold;
using cabi::loadedCodeOf;

constexpr int kDeepest = 256;
constexpr int kAnyDepth = std::numeric_limits<int>::max();  // of C++ values

struct Block {
    detail::RefCount refs{};
    int depth = 0;                        // of lists and maps, what others own in it counted
    const steptree_kind* kind = nullptr;  // of an opaque value
    void* pointer = nullptr;
    std::size_t used = 0;           // of `others`
    const void** others = nullptr;  // blocks that it counts
    Hold<HeldAs::value> hold{};     // on the code of `kind`
    Block* next = nullptr;          // that is destroyed

    char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
};

void retain(const void* owner) noexcept {
    static_cast<Block*>(const_cast<void*>(owner))->refs.add();
}

/// What a tree takes.
struct Size {
    int deepest;             // what is nested deeper is refused
    std::size_t values = 0;  // bytes of items and entries
    std::size_t texts = 0;
    std::size_t others = 0;
    int depth = 0;
};

/// How deep a value is that has an owner already: at most as deep as all of that.
int depthOf(const steptree_value& value) noexcept {
    if (value.owner == nullptr) return 0;
    if (value.tag != STEPTREE_LIST && value.tag != STEPTREE_MAP) return 0;
    return static_cast<const Block*>(value.owner)->depth;
}

void measure(const steptree_value& value, Size& size, int depth) {
    if (cabi::isForeign(value)) cabi::refuseForeign(value);
    size.depth = std::max(size.depth, depth + depthOf(value));
    if (size.depth > size.deepest) {
        throw StepError(errors::InternalError, "a value is nested deeper than 256");
    }
    if (value.owner != nullptr || value.tag == STEPTREE_OPAQUE) {
        ++size.others;
        return;
    }
    switch (value.tag) {
        case STEPTREE_NOTHING:
        case STEPTREE_BOOL:
        case STEPTREE_INT64:
        case STEPTREE_DOUBLE:
            return;
        case STEPTREE_STRING:
        case STEPTREE_BYTES:
            size.texts += value.of.text.size;
            return;
        case STEPTREE_LIST:
            size.values += value.of.list.count * sizeof(steptree_value);
            for (std::size_t i = 0; i < value.of.list.count; ++i) {
                measure(value.of.list.items[i], size, depth + 1);
            }
            return;
        case STEPTREE_MAP:
            size.values += value.of.map.count * sizeof(steptree_entry);
            for (std::size_t i = 0; i < value.of.map.count; ++i) {
                measure(value.of.map.entries[i].key, size, depth + 1);
                measure(value.of.map.entries[i].value, size, depth + 1);
            }
            return;
        default:
            throw StepError(errors::InternalError,
                            "a value has no known type: " + std::to_string(value.tag));
    }
}

Block* allocate(std::size_t bytes) {
    void* const memory = std::malloc(sizeof(Block) + bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return ::new (memory) Block;
}

Block* allocateFor(const steptree_opaque& opaque) {
    cabi::Given<steptree_kind>(opaque.kind).check();
    Block* const block = allocate(0);
    block->kind = opaque.kind;
    block->pointer = opaque.pointer;
    if (opaque.kind == nullptr) return block;
    block->hold = Hold<HeldAs::value>(loadedCodeOf(opaque.kind, opaque.kind->drop));
    return block;
}

/// Fills a block. Nothing in it throws, but for blocks of opaque values.
struct Filling {
    Block* block;
    char* values;
    char* texts;

    template <class T>
    T* take(std::size_t count) noexcept {
        T* const taken = reinterpret_cast<T*>(values);
        values += count * sizeof(T);
        return taken;
    }
    void count(const void* owner) noexcept { block->others[block->used++] = owner; }

    void fill(const steptree_value& from, steptree_value& to) {
        to = from;
        to.reserved = 0;
        if (from.owner != nullptr) {
            retain(from.owner);
            return count(from.owner);
        }
        if (from.tag == STEPTREE_OPAQUE) {
            Block* const own = allocateFor(from.of.opaque);
            to.owner = own;
            return count(own);
        }
        to.owner = block;
        if (from.tag == STEPTREE_STRING || from.tag == STEPTREE_BYTES) return fillText(from, to);
        if (from.tag == STEPTREE_LIST) return fillList(from, to);
        if (from.tag == STEPTREE_MAP) return fillMap(from, to);
        to.owner = nullptr;
    }
    void fillText(const steptree_value& from, steptree_value& to) noexcept {
        const std::size_t size = from.of.text.size;
        if (size != 0) std::memcpy(texts, from.of.text.data, size);
        to.of.text = {texts, size};
        texts += size;
    }
    void fillList(const steptree_value& from, steptree_value& to) {
        const steptree_list list = from.of.list;
        auto* const items = take<steptree_value>(list.count);
        to.of.list = {items, list.count};
        for (std::size_t i = 0; i < list.count; ++i) fill(list.items[i], items[i]);
    }
    void fillMap(const steptree_value& from, steptree_value& to) {
        const steptree_map map = from.of.map;
        auto* const entries = take<steptree_entry>(map.count);
        to.of.map = {entries, map.count};
        for (std::size_t i = 0; i < map.count; ++i) {
            fill(map.entries[i].key, entries[i].key);
            fill(map.entries[i].value, entries[i].value);
        }
    }
};

/// With all that nothing else counts, however deep it is.
void destroy(Block* block) noexcept {
    for (Block* left = block; left != nullptr; block = left) {
        left = block->next;
        for (std::size_t i = 0; i < block->used; ++i) {
            auto* const other = static_cast<Block*>(const_cast<void*>(block->others[i]));
            if (!other->refs.drop()) continue;
            other->next = left;
            left = other;
        }
        if (block->kind != nullptr && block->kind->drop != nullptr)
            block->kind->drop(block->pointer);
        block->~Block();
        std::free(block);
    }
}

/// The opaque values that have just got a block are still the caller's.
void forgetNew(Block& block) noexcept {
    for (std::size_t i = 0; i < block.used; ++i) {
        auto* const other = static_cast<Block*>(const_cast<void*>(block.others[i]));
        if (other->refs.isOne()) other->kind = nullptr;
    }
}

/// What a program gives is taken, also if it can't be kept.
void dropOpaques(const steptree_value& value, int depth = 0) noexcept {
    if (value.owner != nullptr || depth > kDeepest) return;
    if (value.tag == STEPTREE_OPAQUE) {
        const steptree_opaque& opaque = value.of.opaque;
        if (opaque.kind != nullptr && opaque.kind->drop != nullptr)
            opaque.kind->drop(opaque.pointer);
    } else if (value.tag == STEPTREE_LIST) {
        for (std::size_t i = 0; i < value.of.list.count; ++i)
            dropOpaques(value.of.list.items[i], depth + 1);
    } else if (value.tag == STEPTREE_MAP) {
        for (std::size_t i = 0; i < value.of.map.count; ++i) {
            dropOpaques(value.of.map.entries[i].key, depth + 1);
            dropOpaques(value.of.map.entries[i].value, depth + 1);
        }
    }
}

steptree_value copyTree(const steptree_value& from, int deepest) {
    Size size{deepest};
    measure(from, size, 0);
    Block* const block = allocate(size.values + size.others * sizeof(void*) + size.texts);
    char* const bytes = block->bytes();
    block->depth = size.depth;
    block->others = reinterpret_cast<const void**>(bytes + size.values);
    Filling filling{block, bytes, bytes + size.values + size.others * sizeof(void*)};
    steptree_value to;
    try {
        filling.fill(from, to);
    } catch (...) {
        forgetNew(*block);
        destroy(block);
        throw;
    }
    return to;
}

steptree_value copyOf(const steptree_value& from, int deepest = kDeepest) {
    if (cabi::isForeign(from)) cabi::refuseForeign(from);
    if (from.owner != nullptr) {
        retain(from.owner);
        return from;
    }
    if (from.tag == STEPTREE_OPAQUE) {
        Block* const own = allocateFor(from.of.opaque);
        steptree_value to = from;
        to.owner = own;
        return to;
    }
    if (from.tag > STEPTREE_DOUBLE) return copyTree(from, deepest);
    steptree_value to = from;
    to.reserved = 0;
    return to;
}

}  // namespace

void cabi::dropGiven(const steptree_value* values, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) dropOpaques(values[i]);
}

void cabi::releaseOwner(const void* owner) noexcept {
    auto* const block = static_cast<Block*>(const_cast<void*>(owner));
    if (block->refs.drop()) destroy(block);
}

Value::Value(std::string_view text) : raw_{} {
    steptree_value given{};
    given.tag = STEPTREE_STRING;
    given.of.text = {text.data(), text.size()};
    raw_ = copyOf(given);
}

Value::Value(const steptree_value& raw) : raw_{} {
    try {
        raw_ = copyOf(raw);
    } catch (...) {
        dropOpaques(raw);
        throw;
    }
}

Value::Value(const Value& other) noexcept : raw_(other.raw_) {
    if (raw_.owner != nullptr) retain(raw_.owner);
}

Value Value::listOf(std::span<const Value> items) {
    static_assert(sizeof(Value) == sizeof(steptree_value));
    steptree_value given{};
    given.tag = STEPTREE_LIST;
    given.of.list = {reinterpret_cast<const steptree_value*>(items.data()), items.size()};
    return adopt(copyOf(given, kAnyDepth));
}

Value Value::mapOf(std::span<const std::pair<Value, Value>> entries) {
    static_assert(sizeof(std::pair<Value, Value>) == sizeof(steptree_entry));
    steptree_value given{};
    given.tag = STEPTREE_MAP;
    given.of.map = {reinterpret_cast<const steptree_entry*>(entries.data()), entries.size()};
    return adopt(copyOf(given, kAnyDepth));
}

Value Value::adopt(steptree_value owned) noexcept {
    Value made;
    made.raw_ = owned;
    return made;
}

void Value::drop(const void* owner) noexcept {
    cabi::releaseOwner(owner);
}

}  // namespace steptree
