#include <cstddef>
#include <string>
#include <utility>

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

TEST_CASE("a cancel handler that sets another one while it is copied stays the last", "[cancel]") {
    struct Nosy {
        Nosy(IAsyncSteps& asi, std::string& called, bool& sets)
            : asi(asi), called(called), sets(sets) {}
        Nosy(const Nosy& other) : asi(other.asi), called(other.called), sets(other.sets) {
            if (!std::exchange(sets, false)) return;
            asi.setCancel([&called = called, text = std::string(20, 'x')](IAsyncSteps&) {
                called += "inner" + text;
            });
        }
        void operator()(IAsyncSteps&) const { called += text; }

        IAsyncSteps& asi;
        std::string& called;
        bool& sets;
        std::string text = std::string(20, 'y');
    };
    Rig rig;
    std::string called;
    bool sets = false;
    rig.flow.add([&](IAsyncSteps& asi) {
        const Nosy nosy(asi, called, sets);
        asi.setCancel(nosy);
        asi.setCancel(nosy);  // two records, one of them vacant
        sets = true;
        asi.setCancel(nosy);
        asi.waitExternal();
    });
    rig.flow.execute();
    rig.tool.advance(1);
    rig.flow.cancel();
    CHECK(called == std::string(20, 'y'));
}
