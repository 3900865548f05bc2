#include "lately.hpp"

#include <algorithm>

namespace steptree::detail::inspecting {

Lately::Piece& Lately::at(double now) noexcept {
    const auto number = static_cast<std::int64_t>(now) / kMs;
    if (number > last_) {
        const std::int64_t first = std::max(last_ + 1, number - kCount + 1);
        for (std::int64_t i = first; i <= number; ++i) piece(i) = {};
        last_ = number;
    }
    return piece(last_);
}

void Lately::turn(double began, double now) noexcept {
    at(now);
    const double ms = now - began;
    const auto last = static_cast<std::int64_t>(now) / kMs;
    std::int64_t i = std::max(static_cast<std::int64_t>(began) / kMs, last - kCount + 1);
    for (; i <= last; ++i) {
        const auto from = static_cast<double>(i * kMs);
        const double to = from + static_cast<double>(kMs);
        piece(i).busy += std::min(now, to) - std::max(began, from);
        piece(i).longest = std::max(piece(i).longest, ms);
    }
}

void Lately::show(Json& json, double now) {
    at(now);
    json.begin('{').field("ms", kMs);
    const auto list = [&](const char* name, auto of) {
        json.key(name).begin('[');
        for (std::int64_t i = last_ + 1; i <= last_ + kCount; ++i) json.number(of(piece(i)));
        json.end(']');
    };
    list("begun", [](const Piece& each) { return each.begun; });
    list("ended", [](const Piece& each) { return each.ended; });
    list("failed", [](const Piece& each) { return each.failed; });
    list("busy", [](const Piece& each) { return tenths(each.busy); });
    list("longest", [](const Piece& each) { return tenths(each.longest); });
    json.end('}');
}

}  // namespace steptree::detail::inspecting
