#include <cstdio>
#include <steptree/asyncsteps.hpp>
#include <steptree/asynctool.hpp>
#include <steptree/threadpool.hpp>

int main() {
    steptree::AsyncTool tool;
    steptree::ThreadPool pool(2);
    steptree::AsyncSteps flow(tool);
    flow.add([&](steptree::IAsyncSteps& asi) { asi.await(pool.run([] { return 42; })); });
    const int result = flow.promise<int>().get();
    std::printf("%d\n", result);
    return result == 42 ? 0 : 1;
}
