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
