#include <cstddef>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

TEST_CASE("a cancel handler that is replaced again and again takes no more memory", "[cancel]") {
    Rig rig;
    std::size_t used = 0;
    int called = 0;
    rig.flow.add([&](IAsyncSteps& asi) {
        const auto replace = [&](int i) {
            asi.setCancel([&called, i](IAsyncSteps&) { called = i; });
            asi.setTimeout(1'000);
        };
        for (int i = 0; i < 4; ++i) replace(i);
        const std::size_t before = allocations::count();
        for (int i = 0; i < 100'000; ++i) replace(i);
        used = allocations::count() - before;
    });
    rig.flow.execute();
    rig.tool.advance(1);
    rig.flow.cancel();
    CHECK(used == 0);
    CHECK(called == 99'999);
}
