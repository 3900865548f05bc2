#include "steptree/rwlock.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;
using steptree::RwLock;

TEST_CASE("readers that wait are let in without memory", "[rwlock][memory]") {
    for (int count = 1; count <= 20; ++count) {
        VirtualTool tool;
        RwLock lock;
        AsyncSteps writer(tool);
        Completion written;
        writer.sync(lock.write, [&](IAsyncSteps& asi) { written = asi.waitExternal(); });
        writer.execute();
        std::vector<std::unique_ptr<AsyncSteps>> readers;
        int in = 0;
        for (int i = 0; i < count; ++i) {
            readers.push_back(std::make_unique<AsyncSteps>(tool));
            readers.back()->sync(lock.read, [&in](IAsyncSteps& asi) {
                ++in;
                asi.waitExternal();
            });
            readers.back()->execute();
            tool.run();
        }
        CHECK(in == 0);
        {
            const allocations::Failing failing(0, SIZE_MAX);
            written.success();
            tool.run();
        }
        CHECK(in == count);
    }
}

TEST_CASE("a section of a read-write lock that its own body has unlocked is a mistake",
          "[rwlock]") {
    VirtualTool tool;
    RwLock lock;
    std::vector<std::string> reported;
    steptree::Options options;
    options.report = [&](const std::string& code, auto&&...) { reported.push_back(code); };
    AsyncSteps flow(tool, std::move(options));
    flow.sync(lock.read, [&lock](IAsyncSteps& asi) { lock.read.unlock(asi); });
    flow.sync(lock.write, [&lock](IAsyncSteps& asi) { lock.write.unlock(asi); });
    CHECK(run(tool, flow) == "ok");
    CHECK(reported == std::vector<std::string>{"InternalError", "InternalError"});
}
