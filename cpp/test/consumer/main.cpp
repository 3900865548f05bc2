// What a program that only has the installed package, or the source tree as a subdirectory, has to
// be able to do.
#include <cstdio>
#include <steptree/asyncsteps.hpp>
#include <steptree/asynctool.hpp>
#include <steptree/version.hpp>

static_assert(STEPTREE_VERSION >= 100 && STEPTREE_VERSION_MAJOR < 1);

int main() {
    steptree::AsyncTool tool;
    steptree::AsyncSteps flow(tool);
    flow.add([](steptree::IAsyncSteps& asi) { asi.success(20, 22); });
    flow.add([](steptree::IAsyncSteps& asi, int a, int b) { asi.success(a + b); });
    const int result = flow.promise<int>().get();
    std::printf("%d\n", result);
    return result == 42 ? 0 : 1;
}
