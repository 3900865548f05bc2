#include "values.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "js.hpp"
#include "steptree/error.hpp"

namespace steptree::native {

namespace {

constexpr int kDeepest = 256;
constexpr double kLargest = 9007199254740991.0;  // of the whole numbers that a double has exactly

/// What tells an opaque value's object from those of others.
constexpr napi_type_tag kOpaque{0x7374657074726565, 0x6f70617175653031};

[[noreturn]] void refuse(const std::string& what) {
    throw StepError(errors::InternalError, "a native step can't have " + what);
}

/// A value that has no items and no bytes.
Value plain(std::uint32_t type, std::int64_t number = 0) noexcept {
    steptree_value made{};
    made.tag = type;
    made.of.integer = number;
    return Value::adopt(made);
}

Value fromNumber(double number) {
    const bool isWhole = std::trunc(number) == number && std::fabs(number) <= kLargest;
    if (!isWhole || (number == 0 && std::signbit(number))) return Value(number);
    return Value(static_cast<std::int64_t>(number));
}

Value fromBigint(napi_env env, napi_value value) {
    std::int64_t number = 0;
    bool isExact = false;
    napi_get_value_bigint_int64(env, value, &number, &isExact);
    if (!isExact) refuse("a bigint of more than 64 bits");
    return Value(number);
}

Value fromText(napi_env env, napi_value value) {
    char small[256];
    std::size_t size = 0;
    if (napi_get_value_string_utf8(env, value, small, sizeof small, &size) != napi_ok) return {};
    // It is cut at a character: up to 4 bytes may be missing.
    if (size + 5 < sizeof small) return Value(std::string_view(small, size));
    return Value(std::string_view(stringOf(env, value)));
}

/// Of bytes that JavaScript has.
constexpr steptree_kind kLent{sizeof(steptree_kind), 0, {"JavaScript's bytes", 18}, [](void* loan) {
                                  Lender::giveBack(static_cast<Lender::Loan*>(loan));
                              }};

Value fromBytes(Lender& lender, napi_value owner, void* data, std::size_t size) {
    steptree_value bytes{};
    bytes.tag = STEPTREE_BYTES;
    if (size == 0) return Value::adopt(bytes);
    Lender::Loan* const loan = lender.lend(owner);
    if (loan == nullptr) return {};
    steptree_value opaque{};
    opaque.tag = STEPTREE_OPAQUE;
    opaque.of.opaque = {loan, &kLent};
    // What owns an opaque value may own any other.
    steptree_value owned = Value(opaque).release();
    owned.tag = STEPTREE_BYTES;
    owned.of.text = {static_cast<const char*>(data), size};
    return Value::adopt(owned);
}

class Reader {
  public:
    Reader(napi_env env, Lender& lender) noexcept : env_(env), lender_(lender) {}

    Value read(napi_value value, int depth) {
        napi_valuetype type = napi_undefined;
        if (value != nullptr) napi_typeof(env_, value, &type);
        switch (type) {
            case napi_undefined:
            case napi_null:
                return {};
            case napi_boolean: {
                bool is = false;
                napi_get_value_bool(env_, value, &is);
                return plain(STEPTREE_BOOL, is ? 1 : 0);
            }
            case napi_number:
                return fromNumber(doubleOf(env_, value));
            case napi_bigint:
                return fromBigint(env_, value);
            case napi_string:
                return fromText(env_, value);
            case napi_object:
                if (depth > kDeepest) refuse("a value that is nested deeper than 256");
                return readObject(value, depth);
            case napi_symbol:
                refuse("a symbol");
            case napi_function:
                refuse("a function");
            default:
                refuse("an external value");
        }
    }

  private:
    Value readObject(napi_value value, int depth) {
        bool is = false;
        if (napi_is_array(env_, value, &is) == napi_ok && is) return readArray(value, depth);
        if (napi_is_typedarray(env_, value, &is) == napi_ok && is) return readTyped(value);
        if (napi_is_arraybuffer(env_, value, &is) == napi_ok && is) {
            void* data = nullptr;
            std::size_t size = 0;
            napi_get_arraybuffer_info(env_, value, &data, &size);
            return fromBytes(lender_, value, data, size);
        }
        if (napi_is_dataview(env_, value, &is) == napi_ok && is) {
            void* data = nullptr;
            std::size_t size = 0;
            napi_get_dataview_info(env_, value, &size, &data, nullptr, nullptr);
            return fromBytes(lender_, value, data, size);
        }
        if (napi_check_object_type_tag(env_, value, &kOpaque, &is) == napi_ok && is) {
            void* opaque = nullptr;
            napi_unwrap(env_, value, &opaque);
            return *static_cast<const Value*>(opaque);
        }
        return readEntries(value, depth);
    }

    Value readTyped(napi_value value) {
        napi_typedarray_type type = napi_uint8_array;
        std::size_t length = 0;
        void* data = nullptr;
        napi_get_typedarray_info(env_, value, &type, &length, &data, nullptr, nullptr);
        return fromBytes(lender_, value, data, length * sizeOf(type));
    }

    static std::size_t sizeOf(napi_typedarray_type type) noexcept {
        switch (type) {
            case napi_int16_array:
            case napi_uint16_array:
                return 2;
            case napi_int32_array:
            case napi_uint32_array:
            case napi_float32_array:
                return 4;
            case napi_float64_array:
            case napi_bigint64_array:
            case napi_biguint64_array:
                return 8;
            default:
                return 1;
        }
    }

    napi_value at(napi_value list, std::uint32_t i) {
        napi_value item = nullptr;
        napi_get_element(env_, list, i, &item);
        return item;
    }

    Value readArray(napi_value value, int depth) {
        std::uint32_t length = 0;
        napi_get_array_length(env_, value, &length);
        std::vector<Value> items;
        items.reserve(length);
        for (std::uint32_t i = 0; i < length; ++i) {
            const HandleScope scope(env_);
            items.push_back(read(at(value, i), depth + 1));
        }
        return Value::listOf(items);
    }

    /// Behind it there is Object.prototype, of whatever realm, or nothing.
    bool isPlain(napi_value value) {
        for (int i = 0; i < 2; ++i) {
            napi_valuetype type = napi_null;
            if (napi_get_prototype(env_, value, &value) != napi_ok) return true;
            napi_typeof(env_, value, &type);
            if (type == napi_null) return true;
        }
        return false;
    }

    /// What its own enumerable names are is asked of JavaScript, which may be a proxy's code.
    Value readEntries(napi_value value, int depth) {
        napi_value names = nullptr;
        const auto filter =
            static_cast<napi_key_filter>(napi_key_enumerable | napi_key_skip_symbols);
        if (napi_get_all_property_names(env_, value, napi_key_own_only, filter,
                                        napi_key_numbers_to_strings, &names) != napi_ok)
            return {};
        std::uint32_t length = 0;
        napi_get_array_length(env_, names, &length);
        if (length == 0 && !isPlain(value)) {
            refuse("an object that has no names of its own, such as a Map or a Date");
        }
        std::vector<std::pair<Value, Value>> entries;
        entries.reserve(length);
        for (std::uint32_t i = 0; i < length; ++i) {
            const HandleScope scope(env_);
            const napi_value name = at(names, i);
            napi_value item = nullptr;
            napi_get_property(env_, value, name, &item);
            Value key = read(name, depth + 1);
            entries.emplace_back(std::move(key), read(item, depth + 1));
        }
        return Value::mapOf(entries);
    }

    napi_env env_;
    Lender& lender_;
};

void dropValue(napi_env, void*, void* hint) {
    delete static_cast<Value*>(hint);
}

/// The buffer has the native value, and with it the bytes, as long as it lives.
napi_value bufferOf(napi_env env, const steptree_value& value) {
    napi_value made = nullptr;
    if (value.of.text.size == 0) {
        napi_create_buffer(env, 0, nullptr, &made);
        return made;
    }
    auto kept = std::make_unique<Value>(value);
    const std::string_view bytes = kept->text();
    const auto status = napi_create_external_buffer(
        env, bytes.size(), const_cast<char*>(bytes.data()), &dropValue, kept.get(), &made);
    if (status == napi_ok) {
        kept.release();
    } else if (status == napi_no_external_buffers_allowed) {
        napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &made);
    }
    return made;
}

napi_value opaqueOf(napi_env env, const steptree_value& value) {
    napi_value made = objectOf(env);
    if (made == nullptr) return nullptr;
    auto kept = std::make_unique<Value>(value);
    const auto drop = [](napi_env, void* data, void*) { delete static_cast<Value*>(data); };
    if (napi_wrap(env, made, kept.get(), drop, nullptr, nullptr) != napi_ok) return nullptr;
    kept.release();
    napi_type_tag_object(env, made, &kOpaque);
    return made;
}

napi_value integerOf(napi_env env, std::int64_t number) {
    constexpr auto kLargestWhole = static_cast<std::int64_t>(kLargest);
    napi_value made = nullptr;
    if (number < -kLargestWhole || number > kLargestWhole) {
        napi_create_bigint_int64(env, number, &made);
    } else {
        napi_create_int64(env, number, &made);
    }
    return made;
}

napi_value listOf(napi_env env, const steptree_list& list) {
    napi_value made = nullptr;
    if (napi_create_array_with_length(env, list.count, &made) != napi_ok) return nullptr;
    for (std::size_t i = 0; i < list.count; ++i) {
        const HandleScope scope(env);
        napi_set_element(env, made, static_cast<std::uint32_t>(i), toJs(env, list.items[i]));
    }
    return made;
}

/// A name may be `__proto__`: it's defined, not set.
napi_value mapOf(napi_env env, const steptree_map& map) {
    napi_value made = objectOf(env);
    if (made == nullptr) return nullptr;
    for (std::size_t i = 0; i < map.count; ++i) {
        const auto& [key, value] = map.entries[i];
        const HandleScope scope(env);
        napi_property_descriptor entry{};
        entry.name = toJs(env, key);
        if (key.tag != STEPTREE_STRING) napi_coerce_to_string(env, entry.name, &entry.name);
        entry.value = toJs(env, value);
        entry.attributes = napi_default_jsproperty;
        napi_define_properties(env, made, 1, &entry);
    }
    return made;
}

}  // namespace

Value fromJs(napi_env env, Lender& lender, napi_value value) {
    return Reader(env, lender).read(value, 1);
}

napi_value toJs(napi_env env, const steptree_value& value) {
    napi_value made = nullptr;
    switch (value.tag) {
        case STEPTREE_BOOL:
            napi_get_boolean(env, value.of.boolean != 0, &made);
            return made;
        case STEPTREE_INT64:
            return integerOf(env, value.of.integer);
        case STEPTREE_DOUBLE:
            return numberOf(env, value.of.number);
        case STEPTREE_STRING:
            return textOf(env, {value.of.text.data, value.of.text.size});
        case STEPTREE_BYTES:
            return bufferOf(env, value);
        case STEPTREE_LIST:
            return listOf(env, value.of.list);
        case STEPTREE_MAP:
            return mapOf(env, value.of.map);
        case STEPTREE_OPAQUE:
            return opaqueOf(env, value);
        default:
            napi_get_null(env, &made);
            return made;
    }
}

}  // namespace steptree::native
