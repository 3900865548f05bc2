#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "catch.hpp"
#include "child.hpp"
#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"

using namespace steptree;

namespace {

constexpr const char* kName = "a tool that the only thread never drives isn't waited for";
constexpr const char* kInner = "STEPTREE_ONLY_THREAD";

}  // namespace

/// The process of the other tests has had threads: it runs itself once more.
TEST_CASE("a tool that the only thread never drives isn't waited for", "[promise]") {
#if __has_include(<sys/single_threaded.h>)
    if (std::getenv(kInner) != nullptr) {
        AsyncTool tool(AsyncTool::Driven{});
        AsyncSteps flow(tool);
        const auto future = flow.promise();
        std::fprintf(stderr, "get: %s\n", rig::codeOf([&] { future.get(); }).c_str());
        return;
    }
    const child::Ended ended = child::inChild([] {
        setenv(kInner, "1", 1);
        execl("/proc/self/exe", "steptree-tests", kName, nullptr);
    });
    CHECK(child::has(ended, "get: InternalError"));
#endif
}
