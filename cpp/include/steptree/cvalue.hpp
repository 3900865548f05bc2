#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/steptree.h"

namespace steptree {

/// A value of the C interface, as C++ has it: what C gives for a list, a map, bytes, something
/// opaque, or for nothing among others, and what channels between the two carry. (A bool, a number
/// and a string of C arrive in C++ as bool, std::int64_t, double and std::string.) It never
/// changes; copies share what is inside. Any thread. Guide: docs/plug-in.md#in-c
///
///     asi.add([](IAsyncSteps&, const Value& list) { log(list.items().size()); });
class STEPTREE_VISIBLE Value {
  public:
    /// Nothing.
    Value() noexcept : raw_{} {}
    explicit Value(bool value) noexcept : Value(STEPTREE_BOOL) { raw_.of.boolean = value ? 1 : 0; }
    explicit Value(std::int64_t value) noexcept : Value(STEPTREE_INT64) { raw_.of.integer = value; }
    explicit Value(double value) noexcept : Value(STEPTREE_DOUBLE) { raw_.of.number = value; }
    explicit Value(std::string_view text);
    /// A copy of what C has. InternalError for what is nested deeper than 256, of no known type, or
    /// a C++ value that is lent to C.
    explicit Value(const steptree_value& raw);
    Value(const Value& other) noexcept;
    Value(Value&& other) noexcept : raw_(std::exchange(other.raw_, steptree_value{})) {}
    Value& operator=(Value other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Value() {
        if (raw_.owner != nullptr) drop(raw_.owner);
    }

    /// A list of copies.
    static Value listOf(std::span<const Value> items);
    /// A map of copies.
    static Value mapOf(std::span<const std::pair<Value, Value>> entries);
    /// Takes over what a C program owns.
    static Value adopt(steptree_value owned) noexcept;
    /// To a C program, which owns it then; this is nothing.
    steptree_value release() noexcept { return std::exchange(raw_, steptree_value{}); }

    /// STEPTREE_LIST and so on.
    std::uint32_t type() const noexcept { return raw_.tag; }
    /// As C sees it, as long as this value or a copy of it is kept.
    const steptree_value& raw() const noexcept { return raw_; }
    /// Of a list; else empty.
    std::span<const steptree_value> items() const noexcept {
        if (raw_.tag != STEPTREE_LIST) return {};
        return {raw_.of.list.items, raw_.of.list.count};
    }
    /// Of a map; else empty.
    std::span<const steptree_entry> entries() const noexcept {
        if (raw_.tag != STEPTREE_MAP) return {};
        return {raw_.of.map.entries, raw_.of.map.count};
    }
    /// Of a string or bytes; else empty.
    std::string_view text() const noexcept {
        if (raw_.tag != STEPTREE_STRING && raw_.tag != STEPTREE_BYTES) return {};
        return {raw_.of.text.data, raw_.of.text.size};
    }

  private:
    explicit Value(int type) noexcept : raw_{} { raw_.tag = static_cast<std::uint32_t>(type); }
    static void drop(const void* owner) noexcept;

    steptree_value raw_;
};

}  // namespace steptree
