#include "writer.hpp"

namespace fuzz {

Json Writer::actions(int depth, Place place) {
    Json list = Json::array();
    while (more(depth)) list.push_back(action(depth + 1, place));
    if (place == Place::body && choices_.one(12)) list.push_back({{"return", promise()}});
    return list;
}

Json Writer::action(int depth, Place place) {
    ++written_;
    if (place == Place::outside) return anywhere(depth, place);
    switch (choices_.below(5)) {
        case 0:
            return form(depth, false);
        case 1:
            return anywhere(depth, place);
        case 2:
            return holding(depth, place);
        default:
            return own(depth, place);
    }
}

/// How the step ends, or what it waits for.
Json Writer::own(int depth, Place place) {
    switch (choices_.below(11)) {
        case 0:
            return {{"success", values()}};
        case 1:
            return {{"error", code()}, {"info", "i"}};
        case 2:
            return {{"errorNoThrow", code()}};
        case 3:
            return {
                {choices_.of({"break", "continue", "breakNoThrow", "continueNoThrow"}), label()}};
        case 4:
            if (choices_.one(3)) return {{"setTimeout", ms()}, {"code", code()}};
            return {{"setTimeout", ms()}};
        case 5:
            return {{"setCancel", actions(depth, Place::cancel)}};
        case 6:
            return {{"defer", id()}, {"do", actions(depth, Place::body)}};
        case 7:
            if (place == Place::cancel) return "valid";
            return {{"keep", choices_.of({"k", "l"})}};
        case 8:
            return {{"throwValue", 5}};
        default:
            return {{"waitExternal", completion()}};
    }
}

/// Guards, channels, state and views.
Json Writer::holding(int depth, Place place) {
    switch (choices_.below(10)) {
        case 0:
            return {{"send", channel()}, {"value", value()}};
        case 1:
            return {{"receive", channel()}};
        case 2:
            return {{"state", "key"}, {"set", value()}};
        case 3:
            return {{"show",
                     {"info", "path", "code", "also", "cause", "causes", "retry_after", "guard",
                      "waits"}}};
        case 4:
            if (place == Place::cancel) return "valid";
            return {{"signal", signal()}, {"do", actions(depth, Place::outside)}};
        case 5:
            if (place == Place::cancel) return "valid";
            return {{"newInstance", "further"}, {"steps", level(depth)}};
        case 6:
            return "outcome";
        case 7:
            return {{"local", choices_.of({"u", "v"})}};
        case 8:
            return {{"local", choices_.of({"u", "v"})}, {"set", value()}};
        default:
            return "remaining";
    }
}

Json Writer::anywhere(int depth, Place place) {
    switch (choices_.below(9)) {
        case 0:
            return {{"try", actions(depth, place)}};
        case 1:
            return {{"done", completion()}, {"success", values()}};
        case 2:
            return {{"done", completion()}, {"error", code()}};
        case 3:
            return {{"with", choices_.of({"k", "l"})}, {"do", actions(depth, Place::cancel)}};
        case 4:
            return {{"throw", "thrown"}};
        case 5:
            return {{choices_.of({"trySend", "tryReceive", "close"}), channel()},
                    {"value", value()}};
        case 6:
        case 7:
            return ofFlow(depth);
        default:
            return ofTool(depth);
    }
}

Json Writer::ofFlow(int depth) {
    switch (choices_.below(8)) {
        case 0:
            return {{"execute", flow()}, {"done", !choices_.one(3)}};
        case 1:
            return {{"promise", flow()}};
        case 2:
            return {{"execute", flow()}, {"signal", signal()}};
        case 3:
            return {{"closed", flow()}};
        case 4:
            return {{"addTo", flow()}, {"steps", level(depth)}};
        case 5:
            return {{"abort", signal()}};
        default:
            return {{"cancel", flow()}, {"reason", "r"}};
    }
}

Json Writer::ofTool(int depth) {
    switch (choices_.below(8)) {
        case 0:
            return {{"settle", promise()}, {"value", value()}};
        case 1:
            return {{"settle", promise()}, {"error", "F"}};
        case 2:
            return {{"immediate", actions(depth, Place::outside)}, {"as", "h"}};
        case 3:
            return {{"cancelHandle", "h"}};
        case 4:
            return "runTool";
        case 5:
            return {{"snapshot", choices_.one(2) ? Json(true) : Json(flow())}};
        case 6:
            if (choices_.one(3)) return {{"observe", false}};
            return {{"observe", choices_.one(2) ? Json(true) : Json("bodies")}};
        default:
            return {{"deferred", ms()}, {"do", actions(depth, Place::outside)}, {"as", "h"}};
    }
}

}  // namespace fuzz
