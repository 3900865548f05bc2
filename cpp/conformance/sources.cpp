#include "sources.hpp"

#include "actions.hpp"

namespace conformance {

bool Source::Asked::pull() {
    if (ready) return true;
    if (!open) return false;
    const std::size_t number = next++;
    if (!id.empty()) world.log(id, "+");
    open = false;
    const std::string key = std::to_string(number);
    perform(world, {nullptr, id}, part(part(form, "at"), key));
    const Json& items = part(form, "items");
    ready = number < items.size() || form.contains("endless");
    item = Value(number < items.size() ? items[number] : Json(number));
    open = ready;
    return ready;
}

Source::Asked::~Asked() {
    if (open && !id.empty()) world.log(id, "-");
}

}  // namespace conformance
