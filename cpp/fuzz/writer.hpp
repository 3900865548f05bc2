#pragma once

#include <string>

#include "choices.hpp"
#include "value.hpp"

namespace fuzz {

using conformance::Json;

/// Writes a case, form after form, as its choices say. What is named exists: a few names of each
/// kind, so that things meet.
class Writer {
  public:
    explicit Writer(Choices& choices) noexcept : choices_(choices) {}

    Json program();

  private:
    /// Whose actions they are.
    enum class Place { body, handler, cancel, outside };

    // ---- forms.cpp
    Json level(int depth);
    Json form(int depth, bool isBranch);
    Json around(const char* kind, int depth);
    Json mapped(int depth);
    Json overChannel(Json form);
    Json retried(int depth);
    Json hedged(int depth);
    Json handled(Json form, int depth);
    Json does(Json form, int depth);

    // ---- actions.cpp
    Json actions(int depth, Place place);
    Json action(int depth, Place place);
    Json own(int depth, Place place);
    Json holding(int depth, Place place);
    Json anywhere(int depth, Place place);
    Json ofFlow(int depth);
    Json ofTool(int depth);

    // ---- program.cpp
    Json flowOptions();
    Json guards();

    static constexpr int kDeepest = 6;
    static constexpr int kMost = 80;  // forms and actions of a program

    bool more(int depth) {
        return depth < kDeepest && written_ < kMost && !choices_.over() && !choices_.one(3);
    }
    Json id() { return std::string(1, static_cast<char>('a' + choices_.below(8))); }
    Json ms() { return choices_.below(8); }
    Json value() {
        static const Json kValues[] = {1, "a text that is longer than a string's own buffer",
                                       Json::array({1, "b"}), nullptr};
        return kValues[choices_.below(4)];
    }
    Json values() {
        Json list = Json::array();
        for (std::size_t n = choices_.below(6); n > 0; --n) list.push_back(value());
        return list;
    }
    const char* code() {
        return choices_.of(
            {"E", "Timeout", "A code that is longer than a string's own buffer", ""});
    }
    const char* promise() { return choices_.of({"p", "q", "r"}); }
    const char* completion() { return choices_.of({"c", "d"}); }
    const char* flow() { return choices_.of({"main", "other"}); }
    const char* channel() { return choices_.of({"one", "none"}); }
    const char* signal() { return choices_.of({"s", "t"}); }
    const char* guard() {
        return choices_.of({"mutex", "throttle", "limiter", "lock.read", "lock.write", "own"});
    }
    const char* label() { return choices_.of({"", "x", "y"}); }

    Choices& choices_;
    int written_ = 0;
};

}  // namespace fuzz
