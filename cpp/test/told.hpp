#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rig.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/observe.hpp"

/// What observers are told, as lines.
namespace told {

using namespace rig;
using namespace steptree;

using Lines = std::vector<std::string>;

inline std::string textOf(const FlowEvent& event) {
    std::string text(event.what());
    for (const std::string& word : {event.path(), std::string(event.kind()),
                                    std::string(event.outcome()), std::string(event.code())}) {
        if (!word.empty()) text += " " + word;
    }
    if (const auto wait = event.waits()) text += " " + wait->what;
    return text;
}

inline auto into(Lines& lines) {
    return [&lines](const FlowEvent& event) { lines.push_back(textOf(event)); };
}

inline bool begins(const std::string& line, const char* with) {
    return line.rfind(with, 0) == 0;
}

inline std::ptrdiff_t countOf(const Lines& lines, const char* what) {
    return std::count_if(lines.begin(), lines.end(),
                         [what](const std::string& line) { return begins(line, what); });
}

/// Most of what there is, that ends with ok.
template <class Adds>
void fillWith(Adds& flow, Mutex& mutex) {
    flow.add([&mutex](IAsyncSteps& asi) {
        asi.add([](IAsyncSteps& inner) { inner.error("E"); },
                [](IAsyncSteps& inner, const std::string&) { inner.success(); });
        asi.repeat(2, [](IAsyncSteps& inner) { inner.add([](IAsyncSteps&) {}); });
        IParallel& branches = asi.parallel();
        for (int i = 0; i < 2; ++i) {
            branches.sync(mutex, [](IAsyncSteps& inner) {
                inner.setCancel([](IAsyncSteps&) {});
                inner.add([](IAsyncSteps& in) { in.setTimeout(5); },
                          [](IAsyncSteps& in, const std::string&) { in.success(); });
            });
        }
        asi.defer([](IAsyncSteps&) {});
    });
    flow.add([](IAsyncSteps& asi) { asi.add(delay(1)); });
}

/// A flow in which everything waits that can be told apart.
inline void fillWithWaits(IFlow& flow, Mutex& mutex, Limiter& limiter, Channel<int>& channel) {
    flow.add([&](IAsyncSteps& asi) {
        IParallel& branches = asi.parallel();
        for (int i = 0; i < 3; ++i) {
            branches.sync(mutex, [](IAsyncSteps& inner) { inner.add(delay(2)); });
            branches.sync(limiter, [](IAsyncSteps& inner) { inner.add(delay(3)); });
        }
        branches.add([&](IAsyncSteps& inner) { channel.receive(inner); });
        branches.add([](IAsyncSteps& inner) { inner.waitExternal(), inner.setTimeout(7); },
                     [](IAsyncSteps& inner, const std::string&) { inner.success(); });
        branches.add([&](IAsyncSteps& inner) {
            inner.add(delay(5));
            inner.add([&](IAsyncSteps& in) { channel.send(in, 1); });
        });
    });
}

/// Where a step is open in another one, `left` times; the innermost waits.
struct Nested {
    std::int64_t left;
    Completion* done;

    void operator()(IAsyncSteps& asi) const {
        if (left == 0) {
            *done = asi.waitExternal();
        } else {
            asi.add(Nested{left - 1, done});
        }
    }
};

}  // namespace told
