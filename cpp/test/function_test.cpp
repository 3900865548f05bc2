#include "steptree/detail/function.hpp"

#include <functional>

#include "catch.hpp"
#include "rig.hpp"

using steptree::detail::Function;

TEST_CASE("a function made of nothing is empty", "[function]") {
    CHECK_FALSE(Function<void()>(std::function<void()>()));
    CHECK_FALSE(Function<void()>(static_cast<void (*)()>(nullptr)));
    CHECK(Function<void()>([] {}));
    CHECK(Function<int()>(std::function<int()>([] { return 1; }))() == 1);
}

TEST_CASE("an empty callback is refused where it is scheduled", "[function]") {
    rig::Rig rig;
    const std::function<void()> none;
    CHECK(rig::codeOf([&] { rig.tool.immediate(none); }) == "InternalError");
    CHECK(rig::codeOf([&] { rig.tool.deferred(1, none); }) == "InternalError");
    rig.tool.run();
    CHECK(rig.tool.now() == 0);
}
