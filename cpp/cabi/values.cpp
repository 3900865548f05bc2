#include "values.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <variant>

#include "handles.hpp"

namespace steptree::cabi {

using detail::TypeDesc;
using detail::TypeDescOf;

void refuseForeign(const steptree_value& value) {
    throw StepError(errors::InternalError, "a C++ value of the type " +
                                               std::string(view(value.of.opaque.kind->name)) +
                                               " can only be given on as it is");
}

namespace {

/// A number and a bool are in no block.
template <class T>
Value asValue(const T& from) {
    if constexpr (std::is_same_v<T, Value>) {
        return from;
    } else if constexpr (std::is_same_v<T, bool>) {
        return Value(from);
    } else if constexpr (std::is_integral_v<T>) {
        constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX);
        if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::int64_t)) {
            if (from > kMost) return Value(static_cast<double>(from));
        }
        return Value(static_cast<std::int64_t>(from));
    } else if constexpr (std::is_floating_point_v<T>) {
        return Value(static_cast<double>(from));
    } else if constexpr (std::is_same_v<T, std::monostate>) {
        return {};
    } else {
        return Value(std::string_view(from));
    }
}

/// Of the first value: what a list of results has is what each has left first.
Value firstOf(Results& results);

template <class T>
Value convert(void* at) {
    if constexpr (requires { typename T::mapped_type; }) {
        std::vector<std::pair<Value, Value>> entries;
        for (const auto& [key, value] : *static_cast<T*>(at)) {
            entries.emplace_back(asValue(key), asValue(value));
        }
        return Value::mapOf(entries);
    } else if constexpr (std::is_same_v<T, std::string> || !requires(T & x) { x.begin(); }) {
        return asValue(*static_cast<T*>(at));
    } else {
        std::vector<Value> items;
        for (auto&& item : *static_cast<T*>(at)) {
            if constexpr (std::is_same_v<T, std::vector<Results>>) {
                items.push_back(firstOf(item));
            } else {
                items.push_back(asValue<typename T::value_type>(item));
            }
        }
        return Value::listOf(items);
    }
}

/// Types of C++ that C knows.
struct Known {
    const TypeDesc* type;
    Value (*convert)(void* at);
};

template <class... T>
constexpr std::array<Known, sizeof...(T)> knownOf() {
    return {Known{&TypeDescOf<T>::desc, &convert<T>}...};
}

template <class T>
using MapTo = std::map<std::string, T>;

constexpr auto kKnown =
    knownOf<Value, bool, std::int64_t, double, std::string, int, unsigned, unsigned long, long long,
            unsigned long long, short, unsigned short, signed char, unsigned char, float,
            std::monostate, std::vector<Results>, std::vector<Value>, std::vector<bool>,
            std::vector<int>, std::vector<std::int64_t>, std::vector<double>,
            std::vector<std::string>, MapTo<Value>, MapTo<bool>, MapTo<int>, MapTo<std::int64_t>,
            MapTo<double>, MapTo<std::string>>();

/// Null: C doesn't know it.
const Known* knownAs(const TypeDesc& type) noexcept {
    for (const Known& known : kKnown) {
        if (known.type == &type) return &known;
    }
    for (const Known& known : kKnown) {
        if (sameType(known.type, &type)) return &known;
    }
    return nullptr;
}

Value firstOf(Results& results) {
    if (results.empty()) return {};
    const Known* const known = knownAs(results.type(0));
    if (known != nullptr) return known->convert(results.value(0));
    throw StepError(errors::InternalError,
                    "a list has a C++ value of the type " + results.type(0).text());
}

}  // namespace

void Lent::lend(Results& of, bool moves) {
    const bool movable = moves && !of.seenByOthers();
    for (std::size_t i = 0; i < of.size(); ++i) lendOne(of.type(i), of.value(i), movable);
}

void Lent::lendOne(const TypeDesc& type, void* at, bool moves) {
    steptree_value& value = all_[count];
    value = {};
    const Known* const known = knownAs(type);
    if (known == nullptr) {
        auto made = std::make_unique<Foreign>();
        made->type = &type;
        made->movable = moves;
        made->size = sizeof(steptree_kind);
        made->reserved = 0;
        made->drop = nullptr;
        made->text = type.text();
        made->name = textOf(made->text);
        value.tag = STEPTREE_OPAQUE;
        value.of.opaque = {at, made.get()};
        value.owner = reinterpret_cast<const char*>(made.get()) + 1;
        foreign_.push_back(std::move(made));
    } else if (known->type == &TypeDescOf<Value>::desc) {
        value = static_cast<Value*>(at)->raw();
    } else if (known->type == &TypeDescOf<std::string>::desc) {
        value.tag = STEPTREE_STRING;
        value.of.text = textOf(*static_cast<std::string*>(at));
    } else {
        Value made = known->convert(at);
        value = made.raw();
        if (value.owner != nullptr) made_.push_back(std::move(made));
    }
    ++count;
}

namespace {

/// One value of C on its way into results.
class Taken {
  public:
    void set(const steptree_value& from) {
        if (isForeign(from)) return setForeign(from);
        switch (from.tag) {
            case STEPTREE_BOOL:
                return keep(boolean_, from.of.boolean != 0);
            case STEPTREE_INT64:
                return keep(integer_, from.of.integer);
            case STEPTREE_DOUBLE:
                return keep(number_, from.of.number);
            case STEPTREE_STRING:
                text_ = std::string(view(from.of.text));
                return refer(text_);
            default:
                value_ = Value(from);
                return refer(value_);
        }
    }

    const TypeDesc* type = nullptr;
    void* at = nullptr;

  private:
    template <class T>
    void refer(T& place) noexcept {
        type = &TypeDescOf<T>::desc;
        at = &place;
    }
    template <class T>
    void keep(T& place, T value) noexcept {
        place = value;
        refer(place);
    }
    void setForeign(const steptree_value& from) {
        const auto& foreign = static_cast<const Foreign&>(*from.of.opaque.kind);
        if (!std::exchange(foreign.movable, false)) refuseForeign(from);
        type = foreign.type;
        at = from.of.opaque.pointer;
    }

    bool boolean_ = false;
    std::int64_t integer_ = 0;
    double number_ = 0;
    std::string text_;
    Value value_;
};

}  // namespace

std::vector<Value> valuesOf(const steptree_value* values, std::size_t count) {
    std::vector<Value> all;
    std::size_t next = 0;
    try {
        all.reserve(count);
        while (next < count) all.emplace_back(values[next++]);
    } catch (...) {
        dropGiven(values + next, count - next);
        throw;
    }
    return all;
}

void take(const steptree_value* values, std::size_t count, Results& into) {
    into.clear();
    if (count == 0) return;
    if (count > detail::kMaxValues) {
        dropGiven(values, count);
        throw StepError(errors::InternalError, detail::kTooManyValues);
    }
    if (count == 1 && !isForeign(*values)) {
        switch (values->tag) {
            case STEPTREE_BOOL:
                return into.set(values->of.boolean != 0);
            case STEPTREE_INT64:
                return into.set(values->of.integer);
            case STEPTREE_DOUBLE:
                return into.set(values->of.number);
            case STEPTREE_STRING:
                return into.set(std::string(view(values->of.text)));
            default:
                return into.set(Value(*values));
        }
    }
    std::array<Taken, detail::kMaxValues> taken;
    std::array<const TypeDesc*, detail::kMaxValues> types{};
    std::array<void*, detail::kMaxValues> places{};
    for (std::size_t i = 0; i < count; ++i) {
        try {
            taken[i].set(values[i]);
        } catch (...) {
            dropGiven(values + i + 1, count - i - 1);
            throw;
        }
        types[i] = taken[i].type;
        places[i] = taken[i].at;
    }
    into.gather(count, types.data(), places.data());
}

}  // namespace steptree::cabi
