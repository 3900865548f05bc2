#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limits.hpp"

namespace resp {

/// A command's name and arguments: strings of bytes.
using Command = std::vector<std::string>;

/// Turns bytes as they come into commands. Invariant: what lies before `at_` is consumed; a command
/// that has begun is in `args_`, `missing_` of its arguments have not come yet, `length_` is that
/// of the next one (nothing: not known yet).
class Parser {
  public:
    explicit Parser(const Limits& limits) : limits_(limits) {}

    /// Why the input is no RESP; once set, nothing more is parsed.
    std::string error;

    /// Bytes that have come and are not parsed.
    std::size_t pending() const { return bytes_.size() - at_; }

    /// A command has begun and is not complete.
    bool partial() const { return missing_ > 0 || pending() > 0; }

    void feed(std::string_view chunk);

    /// The next complete command; nothing: it has not come yet, or `error` is set.
    std::optional<Command> next();

  private:
    void rest();
    Command take();
    void header();
    void inlined();
    bool argument();
    bool argumentLength();
    std::optional<std::string_view> line(std::string_view tooBig);

    const Limits& limits_;
    std::string bytes_;
    std::size_t at_ = 0;
    Command args_;
    std::size_t missing_ = 0;
    std::optional<std::size_t> length_;
    std::size_t size_ = 0;
};

}  // namespace resp
