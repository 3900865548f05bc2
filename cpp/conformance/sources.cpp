#include "sources.hpp"

#include "actions.hpp"

namespace conformance {

bool Source::Asked::pull() {
    if (ready) return true;
    if (!open) return false;
    const std::size_t number = next++;
    if (!id.empty()) world.log(id + "+");
    open = false;
    const Json at = form.value("at", Json::object());
    const std::string key = std::to_string(number);
    if (at.contains(key)) perform(world, {nullptr, id}, at[key]);
    const Json items = form.value("items", Json::array());
    ready = number < items.size() || form.contains("endless");
    item = number < items.size() ? items[number] : Json(number);
    open = ready;
    return ready;
}

Source::Asked::~Asked() {
    if (open && !id.empty()) world.log(id + "-");
}

}  // namespace conformance
