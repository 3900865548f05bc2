#include "program.hpp"

#include "writer.hpp"

namespace fuzz {

/// What is endless by itself is stopped; so cleanups must not be allowed long.
Json Writer::flowOptions() {
    Json made{{"grace", ms()}};
    if (choices_.one(2)) made["burst"] = 1 + choices_.below(3);
    return made;
}

Json Writer::guards() {
    const auto actionsOfGuard = [this] {
        return choices_.one(3) ? actions(3, Place::handler) : Json::array();
    };
    return {{"mutex", {{"mutex", {{"max", 1 + choices_.below(2)}, {"maxQueue", 2}}}}},
            {"throttle",
             {{"throttle",
               {{"max", 1},
                {"period", 3},
                {"maxQueue", 2},
                {"algorithm", choices_.of({"fixed", "sliding", "bucket"})}}}}},
            {"limiter",
             {{"limiter", {{"concurrent", 1}, {"maxQueue", 2}, {"rate", 2}, {"period", 3}}}}},
            {"lock", {{"rwlock", Json::object()}}},
            {"own", {{"custom", {{"lock", actionsOfGuard()}, {"unlock", actionsOfGuard()}}}}}};
}

Json Writer::program() {
    Json made{{"case", "of an input"}};
    made["order"] = choices_.below(4);
    made["options"] = {{"main", flowOptions()}, {"other", flowOptions()}};
    made["guards"] = guards();
    made["budgets"] = {{"budget", {{"capacity", 2}, {"ratio", 0.5}}}};
    made["channels"] = {{"one", {{"capacity", 1}}}, {"none", {{"capacity", 0}}}};
    if (choices_.one(2)) made["cancellable"] = {"p", "q"};
    made["flows"] = {{"main", level(0)}, {"other", level(0)}};
    made["events"] = Json::array();
    while (more(0)) {
        made["events"].push_back({{"at", ms()}, {"do", actions(1, Place::outside)}});
    }
    made["start"] = {{{"execute", "main"}}};
    if (choices_.one(2)) made["start"].push_back({{"execute", "other"}});
    return made;
}

Json programOf(Choices& choices) {
    return Writer(choices).program();
}

}  // namespace fuzz
