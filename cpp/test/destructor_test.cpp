#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;

namespace {

using Reports = std::vector<std::string>;

/// Throws when it is destroyed, if nothing was moved out of it.
struct Throws {
    static inline int live = 0;
    static inline int thrown = 0;

    bool armed = true;

    Throws() { ++live; }
    Throws(Throws&& other) noexcept : armed(std::exchange(other.armed, false)) { ++live; }
    Throws(const Throws&) = delete;
    Throws& operator=(const Throws&) = delete;
    ~Throws() noexcept(false) {
        --live;
        if (!armed) return;
        ++thrown;
        throw std::runtime_error("destructor");
    }
};

steptree::Options reporting(Reports& reports) {
    steptree::Options made;
    made.report = [&reports](const std::string& code, const std::string& info, std::exception_ptr,
                             const std::string&) { reports.push_back(code + ' ' + info); };
    return made;
}

using Fill = std::function<void(IFlow&)>;

/// Runs what was filled in, cancels it once nothing goes on, and lets it go; or lets it go before.
template <class Flow>
void checkOn(std::size_t expected, const Fill& fill, bool runs = true) {
    Throws::live = Throws::thrown = 0;
    Reports reports;
    VirtualTool tool;
    {
        const auto flow = std::make_unique<Flow>(tool, reporting(reports));
        fill(*flow);
        if (runs) run(tool, *flow);
    }
    CHECK(Throws::live == 0);
    CHECK(reports.size() == expected);
    CHECK(Throws::thrown == static_cast<int>(expected));
    for (const std::string& report : reports) CHECK(report == "InternalError destructor");
}

void check(std::size_t expected, const Fill& fill, bool runs = true) {
    checkOn<AsyncSteps>(expected, fill, runs);
    using Nitro = steptree::NitroSteps<steptree::MaxDefers<8>>;
    checkOn<Nitro>(expected, fill, runs);
}

/// A function of a step that holds one.
auto body() {
    return [t = Throws()](IAsyncSteps&) {};
}
auto handler() {
    return [t = Throws()](IAsyncSteps&, const std::string&) {};
}

/// One of each kind of step that is added by a call, 9 that throw in all.
void addAll(IAsyncSteps& asi, steptree::Guard& guard) {
    asi.add(body(), handler());
    asi.repeat(2, body());
    asi.sync(guard, body(), handler());
    asi.parallel(handler()).add(body(), handler());
    asi.loop([t = Throws()](IAsyncSteps& inner) { inner.breakLoop(); });
}
constexpr std::size_t kAll = 9;

}  // namespace

TEST_CASE("what destructors of captures throw is reported, and the flow goes on", "[lifetime]") {
    steptree::Mutex mutex;
    bool after = false;
    check(kAll, [&](IFlow& flow) {
        after = false;
        flow.add([&](IAsyncSteps& asi) { addAll(asi, mutex); });
        flow.add([&](IAsyncSteps&) { after = true; });
    });
    CHECK(after);
    check(3, [](IFlow& flow) {
        flow.add([t = Throws()](IAsyncSteps& asi) {
            asi.setCancel(body());
            asi.stack<Throws>();
            asi.add([](IAsyncSteps&) {});
        });
    });
    check(3, [](IFlow& flow) {
        flow.add([](IAsyncSteps& asi) {
            asi.defer(body());
            asi.defer([t = Throws()](IAsyncSteps& own) { own.add(body()); });
        });
    });
}

TEST_CASE("what destructors of captures throw is reported, however their steps end", "[lifetime]") {
    steptree::Mutex mutex;
    const auto fill = [&](auto end) {
        return [&mutex, end](IFlow& flow) {
            flow.add(
                [&mutex, end, t = Throws()](IAsyncSteps& asi) {
                    asi.setCancel(body());
                    asi.defer(body());
                    asi.stack<Throws>();
                    asi.add([&mutex, end, t = Throws()](IAsyncSteps& inner) {
                        addAll(inner, mutex);
                        end(inner);
                    });
                    asi.add(body());
                },
                handler());
            flow.add(body(), handler());
        };
    };
    constexpr std::size_t all = kAll + 9;
    check(all, fill([](IAsyncSteps& asi) { asi.error("E"); }));
    check(all, fill([](IAsyncSteps& asi) { asi.add([](IAsyncSteps& last) { last.error("E"); }); }));
    check(all,
          fill([](IAsyncSteps& asi) { asi.add([](IAsyncSteps& last) { last.waitExternal(); }); }));
    check(all, fill([](IAsyncSteps& asi) {
              asi.setTimeout(5);
              asi.parallel().add([](IAsyncSteps& last) { last.waitExternal(); });
          }));
}

TEST_CASE("what destructors of captures throw is reported by a flow that never ran", "[lifetime]") {
    const auto fill = [](IFlow& flow) {
        flow.add(body(), handler());
        flow.parallel(handler()).add(body());
    };
    check(4, fill, false);
    check(
        4, [&](IFlow& flow) { fill(flow), flow.cancel(); }, false);
}

TEST_CASE("a handler whose capture throws is replaced by the next one", "[cancel]") {
    int called = 0;
    check(2, [&](IFlow& flow) {
        called = 0;
        flow.add([&](IAsyncSteps& asi) {
            asi.setCancel(body());
            asi.setCancel([&called, t = Throws()](IAsyncSteps&) { ++called; });
            asi.waitExternal();
        });
    });
    CHECK(called == 1);
}

TEST_CASE("what destructors of collections and of large captures throw is reported", "[loop]") {
    struct Items {
        Throws throws;
        int items[3] = {};
        int* begin() { return items; }
        int* end() { return items + 3; }
    };
    check(2, [](IFlow& flow) {
        flow.forEach(Items(), [](IAsyncSteps&, std::size_t, int) {});
        flow.forEach(std::vector<int>(3), [t = Throws()](IAsyncSteps&, std::size_t, int) {});
    });
    struct Large {
        Throws throws;
        char more[1000] = {};
        void operator()(IAsyncSteps&) const {}
    };
    checkOn<AsyncSteps>(1, [](IFlow& flow) { flow.add(Large()); });
}

TEST_CASE("an error handler may hold what can only be moved", "[lifetime]") {
    Rig rig;
    int seen = 0;
    const auto holding = [&seen] {
        return [&seen, held = std::make_unique<int>(1)](IAsyncSteps& asi, const std::string&) {
            seen += *held;
            asi.success();
        };
    };
    const auto fails = [](IAsyncSteps& asi) { asi.error("E"); };
    steptree::Mutex mutex;
    rig.flow.add(fails, holding());
    rig.flow.sync(mutex, fails, holding());
    rig.flow.parallel(holding()).add(fails);
    rig.flow.add(shield(5, fails), holding());
    rig.flow.add(retry({.max = 1}, fails), holding());
    CHECK(rig.run() == "ok");
    CHECK(seen == 5);
}
