#include "linetimes.hpp"

#include <new>

#include "tree.hpp"

namespace steptree::detail {

void LineTimes::add(const Times& times) noexcept {
    try {
        times_.add(times);
    } catch (const std::bad_alloc&) {
        return;
    }
}

void LineTimes::begun(const Flow& flow, std::int64_t now) noexcept {
    if (Times* const known = times_.find(flow)) {
        *known = {.line = &flow, .begun = now};
    } else {
        add({.line = &flow, .begun = now});
    }
}

void LineTimes::waits(const Line& line, std::int64_t now) noexcept {
    if (Times* const known = times_.find(line)) {
        known->waits = now;
    } else {
        add({.line = &line, .waits = now});
    }
}

void LineTimes::goesOn(const Line& line) noexcept {
    if (Times* const known = times_.find(line)) known->waits.reset();
}

void LineTimes::ended(const Line& line) noexcept {
    if (Times* const known = times_.find(line)) times_.remove(*known);
}

std::optional<std::int64_t> LineTimes::begunAt(const Flow& flow) noexcept {
    const Times* const known = times_.find(flow);
    return known != nullptr ? known->begun : std::nullopt;
}

std::optional<std::int64_t> LineTimes::waitsSince(const Line& line) noexcept {
    const Times* const known = times_.find(line);
    return known != nullptr ? known->waits : std::nullopt;
}

}  // namespace steptree::detail
