#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/channel.hpp"

using namespace rig;

namespace {

/// Throws when one of them is copied or moved for the n-th time.
struct Fragile {
    static inline int left = -1;  // below 0: none throws
    static inline int live = 0;

    Fragile() { ++live; }
    Fragile(const Fragile&) {
        burn();
        ++live;
    }
    Fragile(Fragile&&) noexcept(false) {
        burn();
        ++live;
    }
    Fragile& operator=(const Fragile&) {
        burn();
        return *this;
    }
    ~Fragile() { --live; }

    static void burn() {
        if (left >= 0 && left-- == 0) throw std::runtime_error("fragile");
    }
};

/// How a flow ends whose n-th copy or move throws: as `normal`, with InternalError, or not made.
void check(const std::string& normal, const std::function<void(VirtualTool&, IFlow&)>& fill) {
    bool thrown = true;
    for (int n = 0; thrown; ++n) {
        Fragile::live = 0;
        {
            VirtualTool tool;
            AsyncSteps flow(tool);
            Fragile::left = n;
            std::string end = "not made";
            try {
                fill(tool, flow);
                end = run(tool, flow);
            } catch (const std::runtime_error&) {
                flow.cancel();
            }
            thrown = Fragile::left < 0;
            Fragile::left = -1;
            CAPTURE(n);
            if (thrown) {
                CHECK((end == normal || end == "error InternalError" || end == "not made"));
            } else {
                CHECK(end == normal);
            }
            AsyncSteps further(tool);
            further.add([](IAsyncSteps& asi) { asi.success(Fragile()); });
            further.add([](IAsyncSteps&, const Fragile&) {});
            CHECK(run(tool, further) == "ok");
        }
        CHECK(Fragile::live == 0);
        REQUIRE(n < 200);
    }
}

}  // namespace

TEST_CASE("captures of every kind may throw when they are copied or moved", "[lifetime]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        const auto handler = [f = Fragile()](IAsyncSteps&, const std::string&) {};
        flow.add([f = Fragile()](IAsyncSteps& asi) {
            asi.setCancel([f](IAsyncSteps&) {});
            asi.defer([f](IAsyncSteps&) {});
            asi.loop([f](IAsyncSteps& inner) { inner.breakLoop(); });
            asi.repeat(2, [f](IAsyncSteps&) {});
            asi.add(shield(10, [f](IAsyncSteps&) {}));
        });
        flow.add([](IAsyncSteps&) {}, handler);
        IParallel& branches = flow.parallel(handler);
        branches.add([f = Fragile()](IAsyncSteps&) {});
        branches.add([f = Fragile()](IAsyncSteps&) {});
        flow.add(race([f = Fragile()](IAsyncSteps&) {}));
        flow.add(retry({.max = 2}, [f = Fragile()](IAsyncSteps&) {}));
    });
}

TEST_CASE("results may throw when they are copied or moved", "[results]") {
    check("ok", [](VirtualTool& tool, IFlow& flow) {
        flow.add([](IAsyncSteps& asi) { asi.success(Fragile(), 1, Fragile()); });
        flow.add([](IAsyncSteps& asi, Fragile one, int, const Fragile&) {
            asi.success(std::move(one));
        });
        flow.relinquish();
        flow.add([&tool](IAsyncSteps& asi) {
            const Completion done = asi.waitExternal();
            tool.immediate([done] { done.success(Fragile()); });
        });
        flow.add(race([](IAsyncSteps& asi) { asi.success(Fragile()); }));
        flow.add([](IAsyncSteps&, const Fragile&) {});
    });
}

TEST_CASE("state and stack may throw when they are made", "[lifetime]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.add([](IAsyncSteps& asi) {
            asi.state<Fragile>("a");
            asi.state().set("b", Fragile());
            asi.state().set("b", Fragile());
            const Fragile given;
            asi.stack<Fragile>(given);
        });
    });
}

TEST_CASE("a value of the state stays if the one in its place can't be made", "[lifetime]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) {
        asi.state().set("a", 7);
        const Fragile given;
        for (int n = 0; n < 2; ++n) {
            Fragile::left = n;
            CHECK_THROWS_AS(asi.state().set("a", given), std::runtime_error);
            REQUIRE(asi.state().find<int>("a") != nullptr);
            CHECK(*asi.state().find<int>("a") == 7);
        }
        Fragile::left = -1;
        asi.state().set("a", given);
        CHECK(asi.state().find<Fragile>("a") != nullptr);
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("items and results of a map may throw when they are copied or moved", "[map]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.add(map<Fragile>(
            std::vector<Fragile>(3), {.limit = 2},
            [](IAsyncSteps& asi, const Fragile& item, std::size_t) { asi.success(item); }));
        flow.add([](IAsyncSteps&, const std::vector<Fragile>& all) { CHECK(all.size() == 3); });
    });
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.forEach(std::vector<Fragile>(3), [](IAsyncSteps&, std::size_t, Fragile& item) {
            static_cast<void>(Fragile(item));
        });
    });
}

TEST_CASE("values of channels may throw when they are copied or moved", "[channel]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        const auto channel =
            std::make_shared<steptree::Channel<Fragile>>(steptree::ChannelOptions{.capacity = 1});
        IParallel& both = flow.parallel();
        both.add([channel](IAsyncSteps& asi) {
            asi.repeat(3, [channel](IAsyncSteps& inner) { channel->send(inner, Fragile()); });
        });
        both.add([channel](IAsyncSteps& asi) {
            asi.repeat(3, [channel](IAsyncSteps& inner) { channel->receive(inner); });
        });
    });
}
