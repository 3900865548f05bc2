#include "cut.hpp"

#include "utf8.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::string_view kLeft = "…";
constexpr std::size_t kMostElements = 16;

}  // namespace

std::string cut(std::string_view text, std::size_t most) {
    std::size_t end = 0;  // of what remains if it's too long
    std::size_t units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = charAt(text, at);
        units += next.units();
        at += next.bytes;
        if (units < most) end = at;
        if (units > most) return std::string(text.substr(0, end)).append(kLeft);
    }
    return std::string(text);
}

std::string cutFront(std::string_view text, std::size_t most) {
    std::size_t begin = text.size();
    std::size_t units = 0;
    for (std::size_t at = text.size(); at > 0;) {
        const Utf8Char next = charBefore(text, at);
        units += next.units();
        at -= next.bytes;
        if (units < most) begin = at;
        if (units > most) return std::string(kLeft).append(text.substr(begin));
    }
    return std::string(text);
}

std::string cutPath(const std::vector<const std::string*>& elements) {
    std::string path;
    const auto say = [&path](std::string_view element) {
        if (!path.empty()) path += '/';
        path += element;
    };
    const bool isLong = elements.size() > kMostElements;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (isLong && i == kMostElements / 2) {
            say(kLeft);
            i = elements.size() - kMostElements / 2;
        }
        say(cut(*elements[i], kMostOfElement));
    }
    return path;
}

std::string lowered(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

}  // namespace steptree::detail::inspecting
