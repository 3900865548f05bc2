#include "written.hpp"

#include <string_view>

#include "step.hpp"

/// Where the bodies of steps were written: what the header that their program was compiled with has
/// noted of their types. See steptree/detail/written.hpp.
namespace steptree::detail {

namespace {

constexpr auto kNone = std::string_view::npos;

/// What stands between the two; empty: they aren't there.
std::string_view between(std::string_view text, std::string_view before, std::string_view behind) {
    const std::size_t begin = text.find(before);
    if (begin == kNone) return {};
    text.remove_prefix(begin + before.size());
    const std::size_t end = text.find(behind);
    return end == kNone ? std::string_view() : text.substr(0, end);
}

/// clang says file, line and column, g++ the function.
std::string inWords(std::string_view type) {
    const std::string_view place = between(type, "(lambda at ", ")");
    if (!place.empty()) return std::string(place);
    const std::string_view function = between(type, "F = ", "::<lambda");
    return function.empty() ? std::string() : "in " + std::string(function);
}

/// A round has its loop's body.
const Written* writtenOf(Step& step) noexcept {
    const Step& with = kindOf(step).element == PathElement::round ? *step.parent : step;
    return with.ops->written;
}

}  // namespace

std::string writtenAt(Step& step) {
    const Written* const written = writtenOf(step);
    if (written == nullptr) return {};
    const std::uint32_t line = written->knownLine();
    if (line == 0) return inWords(written->type);
    return __atomic_load_n(&written->file, __ATOMIC_RELAXED) + (":" + std::to_string(line));
}

}  // namespace steptree::detail
