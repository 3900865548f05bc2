#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

struct Noted {
    std::vector<std::string>* seen;
    std::string name;
    Noted(std::vector<std::string>* s, std::string n) : seen(s), name(std::move(n)) {}
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() { seen->push_back("~" + name); }
};

}  // namespace

TEST_CASE("stack gives an object that lives until its step is closed", "[lifetime]") {
    Rig rig;
    std::vector<std::string> seen;
    const auto body = [&](IAsyncSteps& asi) {
        asi.stack<Noted>(&seen, "first");
        Noted& second = asi.stack<Noted>(&seen, "second");
        asi.add([&](IAsyncSteps&) { seen.push_back(second.name); });
    };
    rig.flow.add(body).add([&](IAsyncSteps&) { seen.emplace_back("next"); });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<std::string>{"second", "~second", "~first", "next"});

    seen.clear();
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            body(asi);
            asi.setCancel([&](IAsyncSteps&) { seen.emplace_back("cancel"); });
            asi.error("X");
        },
        [&](IAsyncSteps&, steptree::ErrorCode) { seen.emplace_back("handler"); });
    CHECK(rig.run() == "error X");
    CHECK(seen == std::vector<std::string>{"cancel", "handler", "~second", "~first"});

    seen.clear();
    rig.flow.add([&](IAsyncSteps& asi) {
        body(asi);
        asi.add([](IAsyncSteps& inner) { inner.waitExternal(); });
    });
    CHECK(rig.run() == "waiting");
    CHECK(seen == std::vector<std::string>{"second", "~second", "~first"});
}

TEST_CASE("stack respects alignment and a constructor that throws", "[lifetime]") {
    struct alignas(64) Aligned {
        std::array<char, 64> bytes;
    };
    struct Throws {
        Throws() { throw std::runtime_error("no"); }
        ~Throws() { std::abort(); }
    };
    Rig rig;
    bool aligned = false;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.stack<char>('c');
        Aligned& object = asi.stack<Aligned>();
        aligned = reinterpret_cast<std::uintptr_t>(&object) % alignof(Aligned) == 0;
        object.bytes.fill('x');
        asi.stack<Throws>();
    });
    CHECK(rig.run() == "error InternalError");
    CHECK(aligned);
}

TEST_CASE("state gives a reference that is made from init when absent", "[lifetime]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) {
        int& number = asi.state<int>("number", 5);
        CHECK(number == 5);
        number = 6;
        CHECK(asi.state<int>("number", 9) == 6);
        CHECK(asi.state("list", std::vector<int>{1, 2}).size() == 2);
        CHECK(codeOf([&] { asi.state<std::string>("number"); }) == "InternalError");
        CHECK(asi.state().find<int>("absent") == nullptr);
        asi.state().set("owner", std::make_unique<int>(4));
        asi.state().set("number", std::string("now a text"));
    });
    CHECK(rig.run() == "ok");
    CHECK(rig.flow.state<std::string>("number") == "now a text");
    CHECK(rig.flow.state().has("owner"));
    rig.flow.state().erase("owner");
    CHECK_FALSE(rig.flow.state().has("owner"));
}

TEST_CASE("a value of the state may empty it when it's replaced", "[lifetime]") {
    struct Empties {
        steptree::State* state = nullptr;
        Empties() = default;
        explicit Empties(steptree::State& of) : state(&of) {}
        Empties(Empties&& other) noexcept : state(std::exchange(other.state, nullptr)) {}
        ~Empties() {
            if (state != nullptr) state->clear();
        }
    };
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) {
        asi.state().set("key", Empties(asi.state()));
        asi.state().set("key", std::string("new"));
        CHECK_FALSE(asi.state().has("key"));
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("captures are destroyed once, however their step ends", "[lifetime]") {
    auto token = std::make_shared<int>(0);
    const auto body = [token](IAsyncSteps&) {};
    const auto handler = [token](IAsyncSteps&, steptree::ErrorCode) {};
    const auto fails = [token](IAsyncSteps& asi) { asi.error("X"); };
    const auto waits = [token](IAsyncSteps& asi) {
        asi.setTimeout(1000);
        asi.setCancel([token](IAsyncSteps&) {});
        asi.setCancel([token](IAsyncSteps&) {});
    };
    const long ours = token.use_count();
    Rig rig;
    rig.flow.add(body, handler).loop([token](IAsyncSteps& asi) { asi.breakLoop(); });
    CHECK(token.use_count() == ours + 3);
    CHECK(rig.run() == "ok");
    CHECK(token.use_count() == ours);
    rig.flow.add(fails, handler).add(body, handler);
    CHECK(rig.run() == "error X");
    CHECK(token.use_count() == ours);
    rig.flow.add([&](IAsyncSteps& asi) { asi.add(waits, handler).add(body, handler); });
    rig.flow.execute();
    rig.tool.advance(1);
    rig.flow.cancel();
    CHECK(token.use_count() == ours);
    rig.flow.add([&](IAsyncSteps& asi) { asi.add(waits, handler).add(body); }, handler);
    CHECK(rig.run() == "error Timeout");
    CHECK(token.use_count() == ours);
    {
        AsyncSteps unused(rig.tool);
        unused.add(body, handler).parallel(handler).add(body).repeat(2, [token](IAsyncSteps&) {});
    }
    CHECK(token.use_count() == ours);
}

TEST_CASE("large and over-aligned captures keep their alignment", "[lifetime]") {
    struct alignas(128) Wide {
        std::array<char, 128> bytes{};
    };
    Rig rig;
    std::array<char, 2000> large{};
    large[1999] = 'l';
    Wide wide;
    wide.bytes[5] = 'w';
    auto token = std::make_shared<int>(0);
    std::string seen;
    rig.flow.add([=, &seen](IAsyncSteps&) { seen += large[1999]; })
        .add([wide, token, &seen](IAsyncSteps& asi) {
            seen += reinterpret_cast<std::uintptr_t>(&wide) % 128 == 0 ? wide.bytes[5] : '!';
            asi.setCancel([wide, token](IAsyncSteps&) { static_cast<void>(wide); });
            asi.error("X");
        });
    CHECK(rig.run() == "error X");
    CHECK(seen == "lw");
    CHECK(token.use_count() == 1);
}

TEST_CASE("a capture that can't be copied or moved leaves the flow as it was", "[lifetime]") {
    struct Throwing {
        std::shared_ptr<int> token;
        explicit Throwing(std::shared_ptr<int> t) : token(std::move(t)) {}
        Throwing(const Throwing&) : token() { throw std::runtime_error("copy"); }
    };
    auto token = std::make_shared<int>(0);
    Rig rig;
    int ran = 0;
    const auto good = [&ran, token](IAsyncSteps&) { ++ran; };
    struct Handler {
        Throwing capture;
        void operator()(IAsyncSteps&, steptree::ErrorCode) const {}
    };
    const Handler handler{Throwing(token)};
    rig.flow.add(good);
    CHECK_THROWS_AS(rig.flow.add(good, handler), std::runtime_error);
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.add(good);
        try {
            asi.add(good, handler);
        } catch (const std::runtime_error&) {
            ++ran;
        }
    });
    CHECK(rig.run() == "ok");
    CHECK(ran == 3);
    CHECK(token.use_count() == 3);
}

TEST_CASE("a destructor that throws or calls back does no harm", "[lifetime]") {
    struct Throws {
        bool armed = true;
        Throws() = default;
        Throws(Throws&& other) noexcept : armed(std::exchange(other.armed, false)) {}
        ~Throws() noexcept(false) {
            if (armed) throw std::runtime_error("destructor");
        }
    };
    VirtualTool tool;
    int reports = 0;
    steptree::Options options;
    options.report = [&](const std::string&, const std::string&, std::exception_ptr,
                         const std::string&) { ++reports; };
    AsyncSteps flow(tool, std::move(options));
    flow.add([t = Throws()](IAsyncSteps&) {});
    CHECK(run(tool, flow) == "ok");
    CHECK(reports == 1);

    flow.add([](IAsyncSteps& asi) {
        asi.setCancel([t = Throws()](IAsyncSteps&) {});
        asi.error("E");
    });
    CHECK(run(tool, flow) == "error E");
    CHECK(reports == 2);

    flow.add([c = CancelsWhenGone(&flow)](IAsyncSteps&) {}).add([](IAsyncSteps&) {
        FAIL("it ran");
    });
    CHECK(run(tool, flow) == "cancelled gone");
}
