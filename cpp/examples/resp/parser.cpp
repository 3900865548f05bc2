#include "parser.hpp"

#include <cstdint>
#include <utility>

#include "inline.hpp"
#include "numbers.hpp"
#include "text.hpp"

namespace resp {

void Parser::feed(std::string_view chunk) {
    // What is consumed is dropped only when it pays: a client that sends byte by byte costs no move
    // a byte.
    if (at_ > pending()) {
        bytes_.erase(0, at_);
        at_ = 0;
    }
    bytes_.append(chunk);
}

std::optional<Command> Parser::next() {
    while (error.empty()) {
        const std::size_t before = at_;
        if (missing_ > 0) {
            if (!argument()) return std::nullopt;
        } else if (pending() == 0) {
            rest();
            return std::nullopt;
        } else if (bytes_[at_] == '*') {
            header();
        } else {
            inlined();
        }
        if (missing_ == 0 && !args_.empty()) return take();
        if (at_ == before) return std::nullopt;
    }
    return std::nullopt;
}

// A client who rests keeps no room that a big command has needed.
void Parser::rest() {
    bytes_ = std::string();
    at_ = 0;
}

Command Parser::take() {
    size_ = 0;
    return std::exchange(args_, {});
}

void Parser::header() {
    const auto text = line("too big mbulk count string");
    if (!text) return;
    const auto count = parseInteger(*text);
    if (!count || *count > static_cast<std::int64_t>(limits_.args)) {
        error = "invalid multibulk length";
    } else {
        missing_ = static_cast<std::size_t>(std::max<std::int64_t>(0, *count));
    }
}

void Parser::inlined() {
    const std::size_t feed = bytes_.find('\n', at_);
    const bool ended = feed != std::string::npos;
    if ((ended ? feed - at_ : pending()) > limits_.line) error = "too big inline request";
    if (!ended || !error.empty()) return;
    const bool bare = feed > at_ && bytes_[feed - 1] == '\r';
    auto words = splitInline(std::string_view(bytes_).substr(at_, (bare ? feed - 1 : feed) - at_));
    at_ = feed + 1;
    if (words) {
        args_ = std::move(*words);
    } else {
        error = "unbalanced quotes in request";
    }
}

// Takes one argument, or its length; false: more bytes are needed.
bool Parser::argument() {
    if (!length_ && !argumentLength()) return false;
    if (pending() < *length_ + 2) return false;
    args_.emplace_back(bytes_, at_, *length_);
    at_ += *length_ + 2;
    length_.reset();
    missing_ -= 1;
    return true;
}

bool Parser::argumentLength() {
    const char kind = pending() > 0 ? bytes_[at_] : '$';
    const auto text = line("too big bulk count string");
    if (!text) return false;
    if (kind != '$') {
        error = concat({"expected '$', got '", {&kind, 1}, "'"});
        return false;
    }
    const auto length = parseInteger(*text);
    if (!length || *length < 0 || *length > static_cast<std::int64_t>(limits_.bulk)) {
        error = "invalid bulk length";
        return false;
    }
    length_ = static_cast<std::size_t>(*length);
    size_ += *length_;
    if (size_ > limits_.request) error = "too big request";
    return error.empty();
}

// What stands between the first character of a line and its end; nothing: the end has not come.
std::optional<std::string_view> Parser::line(std::string_view tooBig) {
    const std::size_t end = bytes_.find('\r', at_);
    const bool ended = end != std::string::npos;
    if ((ended ? end - at_ : pending()) > limits_.line) {
        error = tooBig;
        return std::nullopt;
    }
    if (!ended || end + 1 >= bytes_.size()) return std::nullopt;
    // An empty line has no first character: its end stands there.
    const std::size_t start = std::min(at_ + 1, end);
    const std::string_view text = std::string_view(bytes_).substr(start, end - start);
    at_ = end + 2;
    return text;
}

}  // namespace resp
