#define STEPTREE_TEST_BOOST

#include <string>

#include "asioboth.hpp"
#include "asiolibrary.hpp"
#include "steptree/asyncsteps.hpp"

// Of a test in [thread].
void tellFromBoost(Completion done) {
    asio::io_context io;
    AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    asio::steady_timer timer(io, std::chrono::milliseconds(1));
    flow.await(timer.async_wait(asioAwaited)).add([](IAsyncSteps& asi) {
        asi.success(std::string("boost"));
    });
    asyncExecute<std::string>(
        flow, [&](std::exception_ptr, std::string said) { done.success(std::move(said)); });
    io.run();
}
