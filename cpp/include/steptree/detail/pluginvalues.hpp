#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <vector>

#include "steptree/steptree.h"

// Values of plug-ins in C++: a part of steptree/plugin.hpp.

#pragma GCC visibility push(hidden)

namespace steptree::plugin {

namespace detail {

constexpr steptree_text textOf(std::string_view text) noexcept {
    return {text.data(), text.size()};
}
inline std::string_view viewOf(steptree_text text) noexcept {
    return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

}  // namespace detail

class List;
class Map;

/// A value to be given; a text, a list and a map have to live until the call returns. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     return in.success(plugin::Value("text"), 7, true);
class Value {
  public:
    /// Nothing.
    Value() noexcept : raw_{} {}
    Value(bool of) noexcept : raw_{} {
        raw_.tag = STEPTREE_BOOL;
        raw_.of.boolean = of ? 1 : 0;
    }
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Value(T of) noexcept : raw_{} {
        raw_.tag = STEPTREE_INT64;
        raw_.of.integer = static_cast<std::int64_t>(of);
    }
    Value(double of) noexcept : raw_{} {
        raw_.tag = STEPTREE_DOUBLE;
        raw_.of.number = of;
    }
    Value(std::string_view of) noexcept : raw_{} {
        raw_.tag = STEPTREE_STRING;
        raw_.of.text = detail::textOf(of);
    }
    Value(const char* of) noexcept : Value(std::string_view(of)) {}
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, std::string_view>, int> = 0>
    Value(const T& of) noexcept : Value(std::string_view(of)) {}
    inline Value(const List& of) noexcept;
    inline Value(const Map& of) noexcept;
    /// Any other one.
    Value(const steptree_value& raw) noexcept : raw_(raw) {}

    /// As the C interface has it.
    const steptree_value& raw() const noexcept { return raw_; }

  private:
    steptree_value raw_;
};

/// Several values as one. What it's made of has to live as long as it's given. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     return in.success(plugin::List{"a", 1, plugin::List{2, 3}});
class List {
  public:
    List() = default;
    List(std::initializer_list<Value> items) {
        for (const Value& item : items) add(item);
    }
    void add(const Value& item) { items_.push_back(item.raw()); }

  private:
    friend class Value;
    std::vector<steptree_value> items_;
};

/// Values by keys, in their order. What it's made of has to live as long as it's given. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     return in.success(plugin::Map{{"name", "Ada"}, {"born", 1815}});
class Map {
  public:
    struct Entry {
        Value key;
        Value value;
    };

    Map() = default;
    Map(std::initializer_list<Entry> entries) {
        for (const Entry& entry : entries) add(entry.key, entry.value);
    }
    void add(const Value& key, const Value& value) { entries_.push_back({key.raw(), value.raw()}); }

  private:
    friend class Value;
    std::vector<steptree_entry> entries_;
};

inline Value::Value(const List& of) noexcept : raw_{} {
    raw_.tag = STEPTREE_LIST;
    raw_.of.list.items = of.items_.data();
    raw_.of.list.count = of.items_.size();
}
inline Value::Value(const Map& of) noexcept : raw_{} {
    raw_.tag = STEPTREE_MAP;
    raw_.of.map.entries = of.entries_.data();
    raw_.of.map.count = of.entries_.size();
}

/// A value that a plug-in is lent: that of a body until it returns. Of another type, or none:
/// empty, or `otherwise`. Guide: docs/plug-in.md#in-c-for-any-c
///
///     const std::string_view name = args.at(0).get("name").text();
class View {
  public:
    explicit View(const steptree_value& raw = steptree_value{}) noexcept : raw_(raw) {}

    /// As the C interface has it.
    const steptree_value& raw() const noexcept { return raw_; }
    bool isNothing() const noexcept { return is(STEPTREE_NOTHING); }
    std::string_view text() const noexcept {
        return is(STEPTREE_STRING) ? detail::viewOf(raw_.of.text) : std::string_view();
    }
    std::string_view bytes() const noexcept {
        return is(STEPTREE_BYTES) ? detail::viewOf(raw_.of.text) : std::string_view();
    }
    /// Also of a double without a fraction that has an integer's value.
    std::int64_t integer(std::int64_t otherwise = 0) const noexcept {
        if (is(STEPTREE_INT64)) return raw_.of.integer;
        const double number = is(STEPTREE_DOUBLE) ? raw_.of.number : 0.5;
        if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) return otherwise;
        const auto whole = static_cast<std::int64_t>(number);
        return static_cast<double>(whole) == number ? whole : otherwise;
    }
    /// Of any number: JavaScript's whole ones come as integers.
    double number(double otherwise = 0) const noexcept {
        if (is(STEPTREE_INT64)) return static_cast<double>(raw_.of.integer);
        return is(STEPTREE_DOUBLE) ? raw_.of.number : otherwise;
    }
    bool boolean(bool otherwise = false) const noexcept {
        return is(STEPTREE_BOOL) ? raw_.of.boolean != 0 : otherwise;
    }

    /// How many items a list has, or entries a map.
    std::size_t size() const noexcept {
        if (is(STEPTREE_LIST)) return raw_.of.list.count;
        return is(STEPTREE_MAP) ? raw_.of.map.count : 0;
    }
    /// That item of a list, or the value of that entry of a map.
    View operator[](std::size_t i) const noexcept {
        if (i >= size()) return View();
        return View(is(STEPTREE_LIST) ? raw_.of.list.items[i] : raw_.of.map.entries[i].value);
    }
    View key(std::size_t i) const noexcept {
        return View(is(STEPTREE_MAP) && i < size() ? raw_.of.map.entries[i].key : steptree_value{});
    }
    /// The value of a map that has this text as key.
    View get(std::string_view text) const noexcept {
        const std::size_t count = is(STEPTREE_MAP) ? size() : 0;
        for (std::size_t i = 0; i < count; ++i) {
            const View at = key(i);
            if (at.is(STEPTREE_STRING) && at.text() == text) return (*this)[i];
        }
        return View();
    }

  private:
    bool is(std::uint32_t type) const noexcept { return raw_.tag == type; }

    steptree_value raw_;
};

/// What a body is given, until it returns. Guide: docs/plug-in.md#in-c-for-any-c
///
///     return in.success(args.text(0));
class Args {
  public:
    explicit Args(const steptree_args* raw) noexcept : raw_(raw) {}

    /// How many values, 0 to 4.
    std::size_t size() const noexcept { return raw_->count; }
    const steptree_value& operator[](std::size_t i) const noexcept { return raw_->values[i]; }
    /// Nothing if there is none; the others are of that.
    View at(std::size_t i) const noexcept { return i < size() ? View((*this)[i]) : View(); }
    std::string_view text(std::size_t i) const noexcept { return at(i).text(); }
    std::int64_t integer(std::size_t i, std::int64_t otherwise = 0) const noexcept {
        return at(i).integer(otherwise);
    }
    double number(std::size_t i, double otherwise = 0) const noexcept {
        return at(i).number(otherwise);
    }
    bool boolean(std::size_t i, bool otherwise = false) const noexcept {
        return at(i).boolean(otherwise);
    }
    /// As the C interface has it.
    const steptree_args* raw() const noexcept { return raw_; }

  private:
    const steptree_args* raw_;
};

}  // namespace steptree::plugin

#pragma GCC visibility pop
