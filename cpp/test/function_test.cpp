#include "steptree/detail/function.hpp"

#include <functional>
#include <string>

#include "catch.hpp"
#include "rig.hpp"

using steptree::detail::Function;

TEST_CASE("a function made of nothing is empty", "[function]") {
    CHECK_FALSE(Function<void()>(std::function<void()>()));
    CHECK_FALSE(Function<void()>(static_cast<void (*)()>(nullptr)));
    CHECK(Function<void()>([] {}));
    CHECK(Function<int()>(std::function<int()>([] { return 1; }))() == 1);
}

TEST_CASE("a function that returns nothing drops what it is given", "[function]") {
    int calls = 0;
    Function<void()> inside([&calls] { return ++calls; });
    const std::string large(100, 'x');
    Function<void()> outside([&calls, large, more = large] { return ++calls; });
    inside();
    outside();
    CHECK(calls == 2);
    CHECK_FALSE(Function<void()>(Function<int()>()));
}

TEST_CASE("an empty callback is refused where it is scheduled", "[function]") {
    rig::Rig rig;
    const std::function<void()> none;
    CHECK(rig::codeOf([&] { rig.tool.immediate(none); }) == "InternalError");
    CHECK(rig::codeOf([&] { rig.tool.deferred(1, none); }) == "InternalError");
    rig.tool.run();
    CHECK(rig.tool.now() == 0);
}
