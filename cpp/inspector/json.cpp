#include "json.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

#include "utf8.hpp"

namespace steptree::detail::inspecting {

// ---- what is written

/// Behind an opening bracket and a colon nothing else has come; texts end with a quote.
void Json::separate() {
    if (text_.empty()) return;
    const char last = text_.back();
    if (last != '{' && last != '[' && last != ':') text_ += ',';
}

Json& Json::begin(char bracket) {
    separate();
    text_ += bracket;
    return *this;
}

Json& Json::end(char bracket) {
    text_ += bracket;
    return *this;
}

Json& Json::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    return *this;
}

Json& Json::text(std::string_view value) {
    separate();
    quote(value);
    return *this;
}

Json& Json::number(double value) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    return raw(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

Json& Json::raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
}

void Json::quote(std::string_view value) {
    static constexpr char kHex[] = "0123456789abcdef";
    text_ += '"';
    for (std::size_t at = 0; at < value.size();) {
        const Utf8Char next = charAt(value, at);
        const auto c = static_cast<unsigned char>(value[at]);
        if (!next.isValid) {
            text_ += "\uFFFD";
        } else if (c == '"' || c == '\\') {
            (text_ += '\\') += value[at];
        } else if (c < 0x20) {
            ((text_ += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
        } else {
            text_ += value.substr(at, next.bytes);
        }
        at += next.bytes;
    }
    text_ += '"';
}

double tenths(double ms) noexcept {
    return std::round(ms * 10) / 10;
}

std::int64_t wholeOf(double ms) noexcept {
    return std::llround(ms);
}

// ---- what is read

namespace {

class FlatReader {
  public:
    explicit FlatReader(std::string_view json) : rest_(json) {}

    using Fields = std::vector<std::pair<std::string, JsonValue>>;

    std::optional<Fields> object() {
        Fields fields;
        if (!takes('{')) return std::nullopt;
        if (!takes('}')) {
            do {
                std::string key;
                JsonValue value;
                if (!next('"') || !text(key) || !takes(':') || !read(value)) return std::nullopt;
                fields.emplace_back(std::move(key), std::move(value));
            } while (takes(','));
            if (!takes('}')) return std::nullopt;
        }
        space();
        if (!rest_.empty()) return std::nullopt;
        return fields;
    }

  private:
    void space() {
        const std::size_t end = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    }

    bool next(char c) {
        space();
        return !rest_.empty() && rest_.front() == c;
    }

    bool takes(char c) {
        if (!next(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool word(std::string_view word) {
        if (rest_.substr(0, word.size()) != word) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    bool read(JsonValue& value) {
        if (next('"')) return text(value.emplace<std::string>());
        if (word("null")) return true;
        if (word("true")) {
            value = true;
            return true;
        }
        if (word("false")) {
            value = false;
            return true;
        }
        return number(value.emplace<double>());
    }

    std::size_t digits(std::size_t at) const {
        while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9') ++at;
        return at;
    }

    /// from_chars() takes more than JSON has, so how long it is is known before.
    bool number(double& value) {
        const std::size_t begin = !rest_.empty() && rest_[0] == '-' ? 1 : 0;
        std::size_t end = digits(begin);
        if (end == begin || (end > begin + 1 && rest_[begin] == '0')) return false;
        if (end < rest_.size() && rest_[end] == '.') {
            const std::size_t point = end + 1;
            end = digits(point);
            if (end == point) return false;
        }
        if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
            std::size_t power = end + 1;
            if (power < rest_.size() && (rest_[power] == '+' || rest_[power] == '-')) ++power;
            end = digits(power);
            if (end == power) return false;
        }
        const char* const last = rest_.data() + end;
        if (std::from_chars(rest_.data(), last, value).ec != std::errc()) return false;
        rest_.remove_prefix(end);
        return true;
    }

    bool text(std::string& value) {
        rest_.remove_prefix(1);
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (static_cast<unsigned char>(c) < 0x20) return false;
            rest_.remove_prefix(1);
            if (c == '"') return true;
            if (c != '\\')
                value += c;
            else if (!escape(value))
                return false;
        }
        return false;
    }

    bool escape(std::string& value) {
        static constexpr std::string_view kShort = "\"\\/bfnrt";
        static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
        if (rest_.empty()) return false;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        if (c == 'u') return unit(value);
        const std::size_t at = kShort.find(c);
        if (at == std::string_view::npos) return false;
        value += kMeant[at];
        return true;
    }

    std::optional<char32_t> hex() {
        if (rest_.size() < 4) return std::nullopt;
        unsigned code = 0;
        const char* const end = rest_.data() + 4;
        const auto read = std::from_chars(rest_.data(), end, code, 16);
        if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
        rest_.remove_prefix(4);
        return code;
    }

    /// Half of a pair is no character.
    bool unit(std::string& value) {
        const auto first = hex();
        if (!first) return false;
        char32_t code = *first;
        if ((code & 0xFC00) == 0xD800 && rest_.substr(0, 2) == "\\u") {
            const std::string_view before = rest_;
            rest_.remove_prefix(2);
            const auto second = hex();
            if (!second) return false;
            if ((*second & 0xFC00) == 0xDC00)
                code = 0x10000 + ((code & 0x3FF) << 10) + (*second & 0x3FF);
            else
                rest_ = before;
        }
        addUtf8(value, (code & 0xF800) == 0xD800 ? U'\uFFFD' : code);
        return true;
    }

    std::string_view rest_;
};

}  // namespace

std::optional<std::vector<std::pair<std::string, JsonValue>>> flatObject(std::string_view json) {
    return FlatReader(json).object();
}

}  // namespace steptree::detail::inspecting
