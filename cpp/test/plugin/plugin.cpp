#include "plugin.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "steptree/delay.hpp"
#include "steptree/hedge.hpp"
#include "steptree/map.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"
#include "steptree/task.hpp"

namespace {

using namespace steptree;

struct Own {
    std::string text;
};

struct OwnError : std::runtime_error {
    using runtime_error::runtime_error;
};

Task<int> six(IAsyncSteps& asi) {
    asi.add(delay(1));
    co_await asi;
    asi.successStep(Own{"six"});
    const Results values = co_await asi;
    co_return static_cast<int>(values.at<Own>(0).text.size()) * 2;
}

}  // namespace

void everything(IAsyncSteps& asi, Guard& guard) {
    asi.setTimeout(1000);
    asi.setCancel([own = Own{"cancel"}](IAsyncSteps&) {});
    asi.defer([own = Own{"defer"}](IAsyncSteps& s) { s.add(delay(1)); });
    asi.stack<Own>(Own{"stack"});
    asi.state<std::string>("seen") = std::string(100, 's');
    asi.state<int>("count") = 3;
    asi.state<Own>("own").text = "o";
    asi.add([](IAsyncSteps& s) { s.error("Refused", "by the plug-in"); },
            [](IAsyncSteps& s, ErrorCode) { s.success(); }, "named by the plug-in");
    asi.repeat(
        5,
        [](IAsyncSteps& s, std::int64_t i) {
            if (i == 3) s.breakLoop("labelled");
            s.add(delay(1));
        },
        "labelled");
    asi.forEach(std::vector<Own>{{"a"}, {"b"}},
                [](IAsyncSteps& s, std::size_t, Own& own) { s.successStep(own.text); });
    asi.add(map<Own>(std::vector<Own>{{"a"}, {"b"}}, {.limit = 2},
                     [](IAsyncSteps& s, const Own& own, std::size_t) { s.success(own); }));
    asi.add(retry({.max = 2, .backoff = {.base = 1}, .on = [](const std::string&) { return true; }},
                  [](IAsyncSteps&, const std::vector<Own>&, std::int64_t attempt) {
                      if (attempt == 1) throw OwnError("first attempt");
                  }));
    asi.add(hedge({.after = 1, .on = [](const std::string&) { return true; }},
                  [](IAsyncSteps&, std::int64_t attempt) {
                      if (attempt == 1) throw OwnError("first attempt");
                  }));
    asi.sync(guard, [own = Own{"sync"}](IAsyncSteps& s) { s.add(delay(1)); });
    asi.add(race([](IAsyncSteps& s) { s.add(delay(1)); },
                 [](IAsyncSteps& s) { s.setCancel([](IAsyncSteps&) {}); }));
    asi.add(six);
}

void leavesOwn(IAsyncSteps& asi) {
    asi.state().set("own", Own{std::string(100, 'o')});
}

void replaces(IAsyncSteps& asi) {
    asi.state().set("host", std::vector<int>(100, 7));
}

void fails(IAsyncSteps& asi) {
    const auto thrower = [](IAsyncSteps& s) {
        s.defer([](IAsyncSteps&) { throw OwnError("in a cleanup"); });
        throw OwnError("in a body");
    };
    asi.add([thrower](IAsyncSteps& s) { s.add(thrower); },
            [](IAsyncSteps& s, ErrorCode) { s.success(); });
    asi.add([](IAsyncSteps& s) { s.error("NoName", std::string(100, 'n')); }, nullptr, "failer");
}

void throws(IAsyncSteps& asi) {
    asi.add([](IAsyncSteps&) { throw OwnError("out of the plug-in"); });
}

void waits(IAsyncSteps& asi) {
    asi.setTimeout(100);
    asi.defer([](IAsyncSteps& s) { s.add(delay(1)); });
    asi.setCancel([own = Own{"cancel"}](IAsyncSteps&) {});
    asi.add([](IAsyncSteps& s) -> Task<> {
        const Own own{std::string(100, 'l')};
        s.add([](IAsyncSteps& inner) { inner.waitExternal(); });
        co_await s;
    });
}

void locals(IAsyncSteps& asi, const Local<std::string>& local) {
    if (*local.get(asi) != "host") return asi.errorNoThrow("NotFound");
    asi.add([&local](IAsyncSteps& s) {
        local.set(s, "plug-in");
        s.add([&local](IAsyncSteps& inner) { inner.success(*local.get(inner)); });
    });
}
