#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace steptree::detail::inspecting {

/// Writes JSON, one value behind the other. Whatever a text holds, it's UTF-8 on one line.
class Json {
  public:
    Json& begin(char bracket);
    Json& end(char bracket);
    Json& key(std::string_view name);
    Json& text(std::string_view value);
    Json& number(double value);
    template <std::integral T>
    Json& number(T value) {
        return raw(std::to_string(value));
    }
    Json& truth(bool value) { return raw(value ? "true" : "false"); }
    /// JSON that is there.
    Json& raw(std::string_view json);

    Json& field(std::string_view name, std::string_view value) { return key(name).text(value); }
    Json& field(std::string_view name, const char* value) { return key(name).text(value); }
    Json& field(std::string_view name, bool value) { return key(name).truth(value); }
    template <class T>
    requires(std::integral<T> || std::floating_point<T>) Json& field(std::string_view name,
                                                                     T value) {
        return key(name).number(value);
    }
    /// If there is one.
    template <class T>
    Json& field(std::string_view name, const std::optional<T>& value) {
        return value ? field(name, *value) : *this;
    }

    std::string take() { return std::move(text_); }
    const std::string& shown() const noexcept { return text_; }

  private:
    void separate();
    void quote(std::string_view value);

    std::string text_;
};

/// To one digit behind the point.
double tenths(double ms) noexcept;
std::int64_t wholeOf(double ms) noexcept;

/// A value of an object that holds no others.
using JsonValue = std::variant<std::nullptr_t, bool, double, std::string>;

/// What such an object has; nothing: it is none.
std::optional<std::vector<std::pair<std::string, JsonValue>>> flatObject(std::string_view json);

}  // namespace steptree::detail::inspecting
