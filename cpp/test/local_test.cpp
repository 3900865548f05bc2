#include "steptree/local.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "cleanup.hpp"
#include "rig.hpp"
#include "steptree/isync.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::Local;
using steptree::local;

namespace {

const auto user = local<std::string>("user");

std::string userOf(const IAsyncSteps& asi) {
    const std::string* const found = user.get(asi);
    return found == nullptr ? "-" : *found;
}

/// Says when it is destroyed.
struct Noisy {
    Log* log;
    std::string name;

    Noisy(Log& log, std::string name) : log(&log), name(std::move(name)) {}
    Noisy(Noisy&& other) noexcept
        : log(std::exchange(other.log, nullptr)), name(std::move(other.name)) {}
    ~Noisy() {
        if (log != nullptr) log->push_back("~" + name);
    }
};

struct alignas(64) Aligned {
    int value = 0;
};

struct Seeing final : steptree::ISync {
    explicit Seeing(Log& log) : log(log) {}
    void lock(IAsyncSteps& asi) override { log.push_back("lock " + userOf(asi)); }
    void unlock(IAsyncSteps& asi, const Outcome&) override {
        log.push_back("unlock " + userOf(asi));
        log.push_back("set " + codeOf([&] { user.set(asi, "late"); }));
    }
    Log& log;
};

static_assert(!std::is_copy_constructible_v<Local<int>>);
static_assert(std::is_same_v<decltype(user.get(std::declval<IAsyncSteps&>())), const std::string*>);

template <class T, class Value>
concept Settable = requires(const Local<T>& local, IAsyncSteps& asi, Value&& value) {
    local.set(asi, std::forward<Value>(value));
};
static_assert(Settable<std::string, const char*> && Settable<int, int&>);
static_assert(!Settable<std::string, std::vector<int>>);
static_assert(!Settable<std::unique_ptr<int>, std::unique_ptr<int>&>);

}  // namespace

TEST_CASE("a local is found below the step that has set it, until that closes", "[local]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) {
        log.push_back(userOf(asi));
        user.set(asi, "Ann");
        log.push_back(userOf(asi));
        asi.add([&](IAsyncSteps& inner) {
            user.set(inner, std::string("Bob"));
            inner.parallel().add([&](IAsyncSteps& branch) { log.push_back(userOf(branch)); });
        });
        asi.add([&](IAsyncSteps& inner) { log.push_back(userOf(inner)); });
    });
    rig.flow.add([&](IAsyncSteps& asi) { log.push_back(userOf(asi)); });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"-", "Ann", "Bob", "Ann", "-"});
}

TEST_CASE("two locals of one name are two", "[local]") {
    Rig rig;
    const Local<std::string> other("user");
    rig.flow.add([&](IAsyncSteps& asi) {
        user.set(asi, "Ann");
        CHECK(other.get(asi) == nullptr);
        other.set(asi, "Bob");
        CHECK(userOf(asi) == "Ann");
        CHECK(std::string(other.name()) == "user");
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("a value is moved in, replaced where it is, and destroyed when its step closes",
          "[local]") {
    Rig rig;
    Log log;
    const auto noisy = local<Noisy>("noisy");
    const auto owned = local<std::unique_ptr<int>>("owned");
    rig.flow.add([&](IAsyncSteps& asi) {
        noisy.set(asi, Noisy(log, "one"));
        const Noisy* const place = noisy.get(asi);
        noisy.set(asi, Noisy(log, "two"));
        CHECK(noisy.get(asi) == place);
        owned.set(asi, std::make_unique<int>(7));
        asi.add([&](IAsyncSteps& inner) {
            CHECK(**owned.get(inner) == 7);
            noisy.set(inner, Noisy(log, "inner"));
            log.emplace_back("body");
        });
        asi.add([&](IAsyncSteps& inner) { log.push_back(noisy.get(inner)->name); });
    });
    rig.flow.add([&](IAsyncSteps&) { log.emplace_back("next"); });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"~one", "body", "~inner", "two", "~two", "next"});
}

TEST_CASE("what closes a step destroys its locals", "[local]") {
    for (const std::string end : {"error", "cancel", "gone", "timeout"}) {
        VirtualTool tool;
        auto flow = std::make_unique<AsyncSteps>(tool);
        Log log;
        const auto noisy = local<Noisy>("noisy");
        flow->add([&](IAsyncSteps& asi) {
            noisy.set(asi, Noisy(log, "a"));
            if (end == "error") asi.errorNoThrow("E");
            if (end == "timeout") asi.setTimeout(5);
            asi.setCancel([&](IAsyncSteps& own) { log.push_back(noisy.get(own)->name); });
            if (end != "error") asi.waitExternal();
        });
        flow->execute([](Outcome&) {});
        tool.run();
        if (end == "cancel") flow->cancel();
        if (end == "gone") flow.reset();
        tool.run();
        CAPTURE(end);
        CHECK(log == Log{"a", "~a"});
    }
}

TEST_CASE("a section's guard finds what the section has set, and sets nothing", "[local][sync]") {
    Rig rig;
    Log log;
    Seeing guard(log);
    rig.flow.add([&](IAsyncSteps& asi) {
        user.set(asi, "outer");
        asi.sync(guard, [&](IAsyncSteps& section) { user.set(section, "inner"); });
        asi.sync(guard, [&](IAsyncSteps& section) {
            section.defer([&](IAsyncSteps& own) { log.push_back("defer " + userOf(own)); });
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"lock outer", "unlock inner", "set InternalError", "lock outer", "defer outer",
                     "unlock outer", "set InternalError"});
}

TEST_CASE("values may be aligned and large", "[local]") {
    Rig rig;
    const auto aligned = local<Aligned>("aligned");
    const auto large = local<std::array<char, 5000>>("large");
    rig.flow.repeat(3, [&](IAsyncSteps& asi, int i) {
        CHECK(aligned.get(asi) == nullptr);
        aligned.set(asi, Aligned{i});
        large.set(asi, std::array<char, 5000>{'x'});
        asi.add([&, i](IAsyncSteps& inner) {
            CHECK(reinterpret_cast<std::uintptr_t>(aligned.get(inner)) % 64 == 0);
            CHECK(aligned.get(inner)->value == i);
            CHECK(large.get(inner)->front() == 'x');
        });
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("a coroutine sets and finds locals", "[local][coroutine]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) -> steptree::Task<> {
        for (int i = 0; i < 3; ++i) {
            user.set(asi, std::to_string(i));
            co_await asi.add([&](IAsyncSteps& inner) { log.push_back(userOf(inner)); });
        }
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"0", "1", "2"});
}

TEST_CASE("a local that a step sets again and again takes its memory once", "[local]") {
    VirtualTool tool;
    const auto number = local<int>("number");
    std::size_t before = 0;
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        number.set(asi, 0);
        before = allocations::count();
        for (int i = 0; i < 100'000; ++i) number.set(asi, i);
        CHECK(*number.get(asi) == 99'999);
    });
    CHECK(run(tool, flow) == "ok");
    CHECK(allocations::count() - before < 10);
}

TEST_CASE("a NitroSteps without room for it raises OutOfSteps where a local is set",
          "[local][nitro]") {
    VirtualTool tool;
    const auto large = local<std::array<char, 4000>>("large");
    const auto small = local<int>("small");
    steptree::NitroSteps<steptree::MaxStack<40>> flow(tool);
    std::string code;
    flow.add([&](IAsyncSteps& asi) {
        small.set(asi, 5);
        CHECK(*small.get(asi) == 5);
        code = codeOf([&] { large.set(asi, std::array<char, 4000>{}); });
        CHECK(large.get(asi) == nullptr);
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    CHECK(code == "OutOfSteps");
}

TEST_CASE("a step whose sub-steps run takes no locals", "[local]") {
    Rig rig;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.add([&, outer = &asi](IAsyncSteps&) {
            CHECK(codeOf([&] { user.set(*outer, "x"); }) == "InternalError");
            CHECK(userOf(*outer) == "-");
        });
    });
    CHECK(rig.run() == "ok");
}
