#include <array>
#include <cstddef>

#include "flowextras.hpp"
#include "ids.hpp"
#include "lane.hpp"
#include "path.hpp"
#include "telling.hpp"
#include "waiting.hpp"

/// What an event says: found out when it's asked for.
namespace steptree {

/// One that closes is no more among those that are open.
detail::Step* detail::EventData::told() const noexcept {
    return what == What::closed ? step : shownFrom(step);
}

detail::Step* detail::EventData::around() const noexcept {
    Step* const inner = told();
    return inner != nullptr ? shownFrom(stepAround(*inner)) : nullptr;
}

namespace {

std::uint64_t numberOf(const detail::Step* step) noexcept {
    return reinterpret_cast<std::uintptr_t>(step);
}

constexpr std::array<std::string_view, 10> kNames{
    "begun", "turn", "opened", "body", "returned", "handler", "cancel", "closed", "waits", "ended"};

}  // namespace

std::string_view detail::nameOf(What what) noexcept {
    return kNames[static_cast<std::size_t>(what)];
}

std::string_view FlowEvent::what() const noexcept {
    return detail::nameOf(data_.what);
}

std::int64_t FlowEvent::time() const noexcept {
    return data_.time;
}

std::uint64_t FlowEvent::sequence() const noexcept {
    return data_.sequence;
}

std::uint64_t FlowEvent::flowId() const {
    return detail::idOf(data_.flow);
}

std::string_view FlowEvent::flowName() const noexcept {
    const detail::FlowExtras* const extras = data_.flow.flowExtras();
    if (extras == nullptr || extras->options == nullptr) return {};
    return extras->options->name;
}

std::uint64_t FlowEvent::step() const noexcept {
    return numberOf(data_.told());
}

std::uint64_t FlowEvent::parent() const noexcept {
    return numberOf(data_.around());
}

std::string FlowEvent::path() const {
    return data_.step != nullptr ? detail::pathOf(*data_.step) : std::string();
}

std::string FlowEvent::element() const {
    return data_.step != nullptr ? detail::elementOf(detail::shown(*data_.step)) : std::string();
}

std::string_view FlowEvent::kind() const noexcept {
    return data_.kind;
}

std::string_view FlowEvent::outcome() const noexcept {
    return data_.outcome;
}

std::string_view FlowEvent::code() const noexcept {
    return data_.code;
}

std::optional<WaitSnapshot> FlowEvent::waits() const {
    if (data_.line == nullptr) return std::nullopt;
    return detail::waitOf(*data_.line);
}

}  // namespace steptree
