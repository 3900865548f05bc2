#include <utility>

#include "writer.hpp"

namespace fuzz {

Json Writer::handled(Json form, int depth) {
    if (choices_.one(2)) form["catch"] = actions(depth + 1, Place::handler);
    return form;
}

Json Writer::does(Json form, int depth) {
    form["do"] = actions(depth + 1, Place::body);
    return form;
}

Json Writer::around(const char* kind, int depth) {
    Json made{{kind, id()}, {"branches", Json::array()}};
    while (more(depth)) made["branches"].push_back(form(depth + 1, true));
    return handled(std::move(made), depth);
}

/// Sometimes a channel is gone through.
Json Writer::overChannel(Json form) {
    if (!choices_.one(3)) return form;
    form.erase("of");
    form["from"] = channel();
    return form;
}

Json Writer::mapped(int depth) {
    Json of = values();
    if (choices_.one(2)) {
        Json source{{"source", "s"}, {"items", std::move(of)}};
        if (choices_.one(3)) source["at"] = {{"1", actions(depth + 1, Place::outside)}};
        of = std::move(source);
    }
    Json made =
        overChannel(does({{"map", id()}, {"of", of}, {"limit", 1 + choices_.below(3)}}, depth));
    made["ordered"] = choices_.one(2);
    if (choices_.one(3)) made["sink"] = actions(depth + 1, Place::outside);
    if (choices_.one(4)) made["at"] = {{"1", actions(depth + 1, Place::body)}};
    return handled(std::move(made), depth);
}

Json Writer::retried(int depth) {
    Json made = does(
        {{"retry", id()}, {"max", 1 + choices_.below(3)}, {"backoff", {{"base", ms()}}}}, depth);
    if (choices_.one(3)) made["budget"] = "budget";
    if (choices_.one(3)) made["on"] = choices_.one(2) ? Json{{"E", ms()}, {"F", true}} : Json{"E"};
    return handled(std::move(made), depth);
}

Json Writer::hedged(int depth) {
    Json made = does({{"hedge", id()}, {"after", ms()}, {"max", 1 + choices_.below(3)}}, depth);
    if (choices_.one(3)) made["budget"] = "budget";
    if (choices_.one(3)) made["on"] = choices_.one(2) ? Json{{"E", ms()}, {"F", true}} : Json{"E"};
    return handled(std::move(made), depth);
}

Json Writer::form(int depth, bool isBranch) {
    ++written_;
    switch (choices_.below(isBranch ? 11 : 17)) {
        case 1:
            return does({{"loop", id()}, {"label", label()}}, depth);
        case 2:
            return does({{"repeat", id()}, {"times", choices_.below(4)}, {"label", label()}},
                        depth);
        case 3:
            return overChannel(
                does({{"forEach", id()}, {"of", values()}, {"label", label()}}, depth));
        case 4:
            return mapped(depth);
        case 5:
            return handled({{"await", id()}, {"on", promise()}}, depth);
        case 6:
            return handled(does({{"sync", id()}, {"guard", guard()}}, depth), depth);
        case 7:
            return handled(does({{"shield", id()}, {"limit", ms()}}, depth), depth);
        case 8:
            return {{"delay", ms()}};
        case 9:
            return retried(depth);
        case 10:
            return hedged(depth);
        case 11:
            return around("parallel", depth);
        case 12:
            return around("race", depth);
        case 13:
            return around("any", depth);
        case 14:
            return {{"successStep", values()}};
        case 15:
            return "relinquish";
        default:
            return handled(does({{"step", id()}}, depth), depth);
    }
}

Json Writer::level(int depth) {
    Json list = Json::array();
    do {
        list.push_back(form(depth, false));
    } while (more(depth));
    return list;
}

}  // namespace fuzz
