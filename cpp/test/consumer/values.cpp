// What is inlined into a program of the user's has to stay quiet with all warnings on.
#include <steptree/asynctool.hpp>
#include <steptree/run.hpp>

using namespace steptree;

int main() {
    AsyncTool tool;
    AsyncTool other;  // nobody waits on the thread of the tool that he waits for
    const auto next = steps([](IAsyncSteps&) -> Values<int> { return 1; },
                            [](IAsyncSteps&, int n) { return n - 1; });
    const auto inside = [&](IAsyncSteps&) {
        return run(other, step([](IAsyncSteps&) { return 1; })).get();
    };
    return run(tool, next).get() + run(tool, step(inside)).get() - 1;
}
