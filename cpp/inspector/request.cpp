#include "request.hpp"

#include <algorithm>
#include <charconv>

#include "cut.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// Without it; nothing: no line ends there.
std::optional<std::string_view> takeLine(std::string_view& text) {
    const std::size_t end = text.find(kLineEnd);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + kLineEnd.size());
    return line;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool isPrinted(char c) noexcept {
    return c > ' ' && c != '\x7f';
}

bool isOneWord(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), isPrinted);
}

/// `GET /path HTTP/1.1`
bool takeFirst(std::string_view line, Request& request) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return false;
    request.method = line.substr(0, first);
    request.target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    return isOneWord(request.method) && isOneWord(request.target) &&
           (version == "HTTP/1.1" || version == "HTTP/1.0");
}

bool takeHeader(std::string_view line, Request& request) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view name = line.substr(0, colon);
    if (!isOneWord(name)) return false;
    request.headers.emplace_back(lowered(std::string(name)), trimmed(line.substr(colon + 1)));
    return true;
}

}  // namespace

std::optional<Request> requestOf(std::string_view head) {
    Request request;
    auto line = takeLine(head);
    if (!line || !takeFirst(*line, request)) return std::nullopt;
    while ((line = takeLine(head)) && !line->empty()) {
        if (!takeHeader(*line, request)) return std::nullopt;
    }
    return line ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<std::string_view> Request::header(std::string_view name) const {
    std::optional<std::string_view> found;
    for (const auto& [key, value] : headers) {
        if (key != name) continue;
        if (found) return std::nullopt;
        found = value;
    }
    return found.value_or(std::string_view());
}

std::optional<std::size_t> Request::length() const {
    const auto coding = header("transfer-encoding");
    const auto said = header("content-length");
    if (!coding || !coding->empty() || !said) return std::nullopt;
    if (said->empty()) return 0;
    std::size_t length = 0;
    const char* const end = said->data() + said->size();
    const auto read = std::from_chars(said->data(), end, length);
    return read.ec == std::errc() && read.ptr == end ? std::optional(length) : std::nullopt;
}

}  // namespace steptree::detail::inspecting
