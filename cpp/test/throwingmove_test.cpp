#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// Throws when it is copied for the n-th time, and can only be copied.
struct Copied {
    int* left;
    explicit Copied(int* copies) : left(copies) {}
    Copied(const Copied& other) : left(other.left) {
        if ((*left)-- == 0) throw std::runtime_error("copy");
    }
};

}  // namespace

TEST_CASE("values whose move throws fail one step or none", "[results]") {
    for (int left = 0; left < 4; ++left) {
        Rig rig;
        int copies = left;
        const Copied value(&copies);
        Completion done;
        rig.flow.add([&](IAsyncSteps& asi) { done = asi.waitExternal(); })
            .add([](IAsyncSteps& asi, Results& all) { asi.success(std::move(all)); });
        rig.flow.add([](IAsyncSteps&, const Copied&) {});
        rig.tool.immediate([&] { rig.tool.deferred(1, [&] { CHECK(done.success(value)); }); });
        const std::string end = rig.run();
        CHECK((end == "ok" || end == "error InternalError"));
    }
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Results>);
}
