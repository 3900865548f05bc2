// Step values and what waits, when each allocation fails.

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "eachfails.hpp"
#include "steptree/mutex.hpp"

using namespace eachfails;
using steptree::ErrorCode;

namespace {

/// A value that there was no place for is no value that is missing.
void notMissing(IAsyncSteps& asi) {
    const StepError* const error = asi.state().lastError();
    if (error != nullptr) CHECK(error->info().find("value") == std::string::npos);
}

}  // namespace

TEST_CASE("race and any survive each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        const Step<> down = step([](IAsyncSteps& asi) { asi.error("Down", kLong); });
        flow.add(any(std::vector<Step<>>(6, down)), [](IAsyncSteps& asi, ErrorCode code) {
            if (code == steptree::errors::AllFailed) asi.success();
        });
        flow.add(race([](IAsyncSteps& asi) { asi.waitExternal(); },
                      [](IAsyncSteps& asi) {
                          asi.add([](IAsyncSteps& inner) { inner.success(kLong, Large{}); });
                      }));
    });
}

TEST_CASE("step values survive each allocation that fails", "[values][memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        using Three = std::tuple<std::string, std::string, std::string>;
        const auto see = [](IAsyncSteps&, const std::string& text) { return text; };
        const auto value = steps([](IAsyncSteps&) { return kLong; }, all(see, steps(see), see),
                                 [](IAsyncSteps&, const Three&) { return kLong; },
                                 race(see, steps(see)), retry({.max = 2}, steps(see)))
                               .timeout(50)
                               .named(kLong);
        flow.add(value);
        flow.repeat(2, value.with());
        flow.add(map<std::string>(std::vector<std::string>(2, kLong), {.limit = 2}, see));
    });
}

TEST_CASE("sections survive each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool& tool, IFlow& flow) {
        static steptree::Mutex mutex;  // outlives the runs, and is free again after each
        auto holder = std::make_shared<AsyncSteps>(tool);
        holder->sync(
            mutex, [](IAsyncSteps& asi) { asi.setTimeout(5); },
            [](IAsyncSteps& asi, ErrorCode) { asi.success(); });
        holder->execute();
        flow.repeat(3, [holder](IAsyncSteps& asi, std::int64_t) {
            asi.add(
                [](IAsyncSteps& outer) {
                    outer.add([](IAsyncSteps& inner) { inner.success(kLong, Large{}); });
                    outer.sync(mutex, [](IAsyncSteps&, const std::string&, const Large&) {});
                },
                [](IAsyncSteps& inner, ErrorCode) { inner.add([](IAsyncSteps&) {}); });
        });
    });
}

TEST_CASE("a retry survives each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.add(retry({.max = 3, .backoff = {.base = 1}, .on = {"Busy", kLong}},
                       [large = Large{}](IAsyncSteps& asi, std::int64_t attempt) {
                           asi.add([large, attempt](IAsyncSteps& inner) {
                               static_cast<void>(large);
                               if (attempt < 3) inner.error("Busy", kLong);
                               inner.success(kLong, Large{});
                           });
                       }));
    });
}

TEST_CASE("a hedge survives each allocation that fails", "[memory]") {
    for (const bool isValue : {false, true}) {
        check("ok", [isValue](VirtualTool&, IFlow& flow) {
            const auto ask = [](IAsyncSteps& asi, const std::string&, const Large&, int attempt) {
                if (attempt == 2) asi.error("Busy", kLong);
                asi.add(delay(attempt == 3 ? 5 : 50)).successStep(kLong, Large{});
            };
            const auto all3 = all([](IAsyncSteps&) { return kLong; }, delay(9));
            const steptree::HedgeOptions options{.after = 10, .max = 3, .on = {"Busy", kLong}};
            const auto see = [](IAsyncSteps& asi, ErrorCode) { notMissing(asi), asi.success(); };
            flow.add([](IAsyncSteps& asi) { asi.success(kLong, Large{}); });
            isValue ? flow.add(hedge(options, all3).onError(see))
                    : flow.add(hedge(options, ask).onError(see));
        });
    }
}

TEST_CASE("values that wait for a section's lock survive each allocation that fails",
          "[sync][memory]") {
    for (int used = 0; used < 40; ++used) {  // so that they are the first in a new block, too
        check("ok", [used](VirtualTool&, IFlow& flow) {
            static steptree::Mutex mutex;
            auto& branches = flow.parallel([](IAsyncSteps& asi, ErrorCode) {
                notMissing(asi);
                asi.add(delay(1));
            });
            branches.sync(mutex, [](IAsyncSteps& asi) { asi.add(delay(1)); });
            branches.add([used](IAsyncSteps& asi) {
                for (int i = 0; i < used; ++i) asi.stack<int>(i);
                asi.successStep(1).sync(
                    mutex, [](IAsyncSteps&, int) {},
                    [](IAsyncSteps&, ErrorCode) { FAIL("the body never ran"); });
            });
        });
    }
}

TEST_CASE("a race and branches survive each allocation that fails", "[parallel][memory]") {
    for (int used = 0; used < 40; ++used) {
        check("ok", [used](VirtualTool&, IFlow& flow) {
            flow.add(
                [used](IAsyncSteps& asi) {
                    for (int i = 0; i < used; ++i) asi.stack<int>(i);
                    asi.add(race([](IAsyncSteps& branch) { branch.success(kLong); }));
                    asi.add([](IAsyncSteps&, const std::string&) {});
                },
                [](IAsyncSteps& asi, ErrorCode) { notMissing(asi); });
        });
    }
}
