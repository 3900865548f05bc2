#include "steptree/results.hpp"

#include <array>
#include <memory>
#include <string>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// The info of the error that the second body's own handler gets.
template <class Give, class Take>
std::string infoOf(Give give, Take take) {
    Rig rig;
    std::string info = "no error";
    rig.flow.add(give).add(take, [&](IAsyncSteps& asi, steptree::ErrorCode code) {
        info = std::string(code) + " " + asi.state().errorInfo();
        asi.success();
    });
    CHECK(rig.run() == "ok");
    return info;
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("more values than parameters are dropped", "[results]") {
    Rig rig;
    int got = 0;
    rig.flow.successStep(1, 2, 3).add([&](IAsyncSteps&, int a) { got = a; });
    CHECK(rig.run() == "ok");
    CHECK(got == 1);
}

TEST_CASE("fewer values than parameters fail the step naming the missing one", "[results]") {
    const std::string info =
        infoOf([](IAsyncSteps& asi) { asi.success(1); }, [](IAsyncSteps&, int, std::string) {});
    CHECK(has(info, "InternalError"));
    CHECK(has(info, "value 1"));
    CHECK(has(info, "expected a std::string, got nothing"));
}

TEST_CASE("a value of the wrong type fails the step naming both types", "[results]") {
    const std::string info =
        infoOf([](IAsyncSteps& asi) { asi.success(1); }, [](IAsyncSteps&, const std::string&) {});
    CHECK(has(info, "InternalError"));
    CHECK(has(info, "value 0: expected a std::string, got a int"));
}

TEST_CASE("a parameter by value is moved out and one by reference refers", "[results]") {
    Rig rig;
    const std::string* inside = nullptr;
    int moved = 0;
    struct CountsCopies {
        int* copies;
        explicit CountsCopies(int* c) : copies(c) {}
        CountsCopies(const CountsCopies& other) : copies(other.copies) { ++*copies; }
        CountsCopies(CountsCopies&& other) noexcept = default;
    };
    int copies = 0;
    rig.flow
        .add(
            [&](IAsyncSteps& asi) { asi.success(std::make_unique<int>(7), CountsCopies(&copies)); })
        .add([&](IAsyncSteps& asi, std::unique_ptr<int> owned, const CountsCopies& kept) {
            moved = *owned;
            asi.success(std::string(100, 'x'), kept.copies);
        })
        .add([&](IAsyncSteps&, const std::string& text, int*&& pointer) {
            inside = &text;
            CHECK(text.size() == 100);
            CHECK(pointer == &copies);
        });
    CHECK(rig.run() == "ok");
    CHECK(moved == 7);
    CHECK(inside != nullptr);
    CHECK(copies == 0);
}

TEST_CASE("values that fit the inline slot cost no allocation", "[results]") {
    Rig rig;
    const auto round = [&] {
        rig.flow.repeat(100, [](IAsyncSteps& asi) {
            asi.add([](IAsyncSteps& inner) { inner.success(1, 2.5, 'c'); })
                .add([](IAsyncSteps& inner, int, double, char) {
                    inner.success(std::string("short"));
                })
                .add([](IAsyncSteps&, const std::string&) {});
        });
        rig.flow.execute();
        rig.tool.run();
    };
    round();
    const std::size_t before = allocations::count();
    round();
    CHECK(allocations::count() == before);
}

TEST_CASE("values that don't fit the inline slot arrive too", "[results]") {
    Rig rig;
    struct alignas(64) Wide {
        std::array<char, 200> bytes{};
    };
    bool aligned = false;
    rig.flow.successStep(Wide{}, std::string(50, 'y'))
        .add([&](IAsyncSteps&, Wide& wide, std::string text) {
            aligned = reinterpret_cast<std::uintptr_t>(&wide) % 64 == 0 && text.size() == 50;
        });
    CHECK(rig.run() == "ok");
    CHECK(aligned);
}

TEST_CASE("a Results parameter gets all values as they are", "[results]") {
    Rig rig;
    std::size_t size = 0;
    int sum = 0;
    rig.flow.successStep(1, std::string("x"), std::make_unique<int>(2))
        .add([&](IAsyncSteps& asi, Results& values) {
            size = values.size();
            sum = values.at<int>(0) + *values.at<std::unique_ptr<int>>(2);
            CHECK(values.holds<std::string>(1));
            CHECK_FALSE(values.holds<int>(1));
            CHECK(codeOf([&] { values.at<double>(0); }) == "InternalError");
            asi.success(std::move(values));
        })
        .add([&](IAsyncSteps&, int first, const std::string& text) {
            sum += first;
            CHECK(text == "x");
        });
    CHECK(rig.run() == "ok");
    CHECK(size == 3);
    CHECK(sum == 4);
}

TEST_CASE("a body without value parameters takes anything", "[results]") {
    Rig rig;
    int ran = 0;
    rig.flow.successStep(1, 2).add([&](IAsyncSteps&) { ++ran; }).add([&](auto&) { ++ran; });
    CHECK(rig.run() == "ok");
    CHECK(ran == 2);
}

TEST_CASE("a value whose move throws fails its step", "[results]") {
    struct Throws {
        Throws() = default;
        Throws(Throws&&) { throw std::runtime_error("moved"); }
    };
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) { asi.success(std::string(60, 'z'), Throws{}); });
    CHECK(rig.run() == "error InternalError");
}
