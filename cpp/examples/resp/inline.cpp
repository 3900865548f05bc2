#include "inline.hpp"

#include <charconv>

namespace resp {

namespace {

struct Quoted {
    std::string text;
    /// Where the line goes on after the closing quote.
    std::size_t next;
};

bool isBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

char unescape(char c) {
    switch (c) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'b':
            return '\b';
        case 'a':
            return '\a';
        default:
            return c;
    }
}

std::optional<char> readHex(std::string_view digits) {
    unsigned value = 0;
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value, 16);
    if (digits.size() != 2 || parsed.ptr != end) return std::nullopt;
    return static_cast<char>(value);
}

std::optional<Quoted> readDouble(std::string_view line, std::size_t at) {
    std::string text;
    while (at < line.size()) {
        const char c = line[at];
        if (c == '"') return Quoted{text, at + 1};
        if (c != '\\' || at + 1 >= line.size()) {
            text += c;
            at += 1;
            continue;
        }
        const auto hex = line[at + 1] == 'x' ? readHex(line.substr(at + 2, 2)) : std::nullopt;
        text += hex ? *hex : unescape(line[at + 1]);
        at += hex ? 4 : 2;
    }
    return std::nullopt;
}

std::optional<Quoted> readSingle(std::string_view line, std::size_t at) {
    std::string text;
    while (at < line.size()) {
        const char c = line[at];
        if (c == '\'') return Quoted{text, at + 1};
        const bool escaped = c == '\\' && line.substr(at + 1, 1) == "'";
        text += escaped ? '\'' : c;
        at += escaped ? 2 : 1;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> splitInline(std::string_view line) {
    std::vector<std::string> words;
    std::size_t at = 0;
    for (;;) {
        while (at < line.size() && isBlank(line[at])) ++at;
        if (at >= line.size()) return words;
        std::string word;
        while (at < line.size() && !isBlank(line[at])) {
            const char quote = line[at];
            if (quote != '"' && quote != '\'') {
                word += quote;
                at += 1;
                continue;
            }
            const auto part = quote == '"' ? readDouble(line, at + 1) : readSingle(line, at + 1);
            if (!part || (part->next < line.size() && !isBlank(line[part->next]))) {
                return std::nullopt;
            }
            word += part->text;
            at = part->next;
        }
        words.push_back(std::move(word));
    }
}

}  // namespace resp
