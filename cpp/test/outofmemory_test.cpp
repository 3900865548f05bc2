#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"

using namespace rig;
using steptree::ErrorCode;

namespace {

const std::string kLong(100, 'x');
using Large = std::array<char, 600>;

/// What is used after it was given back is no address.
struct Poisoning final : steptree::IMemPool {
    void* allocate(std::size_t size) override { return ::operator new(size); }
    void deallocate(void* memory, std::size_t size) noexcept override {
        std::memset(memory, 0xdd, size);
        ::operator delete(memory);
    }
};

/// How it ended: what the caller was thrown, or what `done` was told.
void runOnce(std::string& end, bool poisons,
             const std::function<void(VirtualTool&, IFlow&)>& fill) {
    end = "nothing";
    Poisoning pool;
    try {
        VirtualTool tool({.pool = poisons ? &pool : nullptr});
        tool.onError([](const std::exception_ptr&) {});
        steptree::Options options;
        options.report = [](const std::string&, const std::string&, const std::exception_ptr&,
                            const std::string&) {};
        AsyncSteps flow(tool, std::move(options));
        fill(tool, flow);
        flow.execute([&end](Outcome& outcome) {
            const bool isOk = outcome.kind == OutcomeKind::ok;
            end = isOk ? "ok" : "error ";
            end += outcome.code;
            if (!isOk && outcome.error == nullptr) end = "error without an exception";
        });
        tool.run();
    } catch (const std::bad_alloc&) {
        end = "bad_alloc";
    } catch (const StepError& e) {
        end = "caller ";
        end += e.code();
    }
}

/// Lets each allocation fail in turn, alone or with all that come after it, until none does.
void checkWith(bool poisons, const std::string& normal,
               const std::function<void(VirtualTool&, IFlow&)>& fill) {
    std::string end;
    end.reserve(100);
    runOnce(end, poisons, fill);
    REQUIRE(end == normal);
    for (const std::size_t times : {std::size_t{1}, SIZE_MAX}) {
        std::size_t k = 0;
        for (bool happened = true; happened; ++k) {
            const std::size_t before = allocations::live();
            {
                const allocations::Failing failing(k, times);
                runOnce(end, poisons, fill);
                happened = failing.failed() > 0;
            }
            const std::size_t after = allocations::live();
            CAPTURE(poisons, k, times, end);
            REQUIRE(after == before);
            // Canceled: of a promise whose own callback found no memory.
            REQUIRE((end == "bad_alloc" || end == "error InternalError" ||
                     end == "error Canceled" || end == normal));
        }
        CHECK(k > 5);
    }
}

void check(const std::string& normal, const std::function<void(VirtualTool&, IFlow&)>& fill) {
    checkWith(false, normal, fill);
    checkWith(true, normal, fill);
}

/// A value that there was no place for is no value that is missing.
void notMissing(IAsyncSteps& asi) {
    const StepError* const error = asi.state().lastError();
    if (error != nullptr) CHECK(error->info().find("value") == std::string::npos);
}

}  // namespace

TEST_CASE("a flow of steps survives each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.add([large = Large{}](IAsyncSteps& asi) {
            for (int i = 0; i < 20; ++i)
                asi.add([large](IAsyncSteps&) { static_cast<void>(large); }, nullptr, "a name");
            asi.state<std::string>("key", kLong);
            asi.stack<std::string>(kLong);
            asi.add([](IAsyncSteps& inner) { inner.success(kLong, Large{}); });
        });
        flow.add([](IAsyncSteps& asi, std::string text, Large) { asi.success(text); });
        flow.repeat(3, [](IAsyncSteps& asi) {
            asi.add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); });
        });
    });
}

TEST_CASE("flows made by flows survive each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        const auto other = flow.newInstance();
        other->add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); }, nullptr, kLong);
        flow.add([](IAsyncSteps& asi) {
            const auto inner = asi.newInstance();
            inner->add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); });
            for (int i = 0; i < 4; ++i)
                asi.add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); });
        });
    });
}

TEST_CASE("timers and waits survive each allocation that fails", "[memory]") {
    check("error Timeout", [](VirtualTool& tool, IFlow& flow) {
        flow.add([&tool](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.add([&tool](IAsyncSteps& inner) {
                inner.setTimeout(100'000);
                inner.setCancel([text = kLong](IAsyncSteps&) {});
                const Completion done = inner.waitExternal();
                tool.deferred(5, [done, text = kLong] { done.success(text); });
            });
            asi.add([](IAsyncSteps& inner, const std::string&) { inner.waitExternal(); });
        });
    });
}

TEST_CASE("a parallel survives each allocation that fails", "[memory]") {
    check("error Refused", [](VirtualTool&, IFlow& flow) {
        auto& branches = flow.parallel([](IAsyncSteps& asi, ErrorCode) {
            asi.add([text = kLong](IAsyncSteps&) {});
            asi.add([](IAsyncSteps& inner) { inner.error("Refused", kLong); });
        });
        for (int i = 0; i < 100; ++i) {
            branches.add([i](IAsyncSteps& asi) {
                asi.setCancel([](IAsyncSteps&) {});
                asi.add([i, text = kLong](IAsyncSteps& inner) {
                    if (i == 50) inner.error("Failed", kLong);
                });
                asi.add([](IAsyncSteps& inner) { inner.waitExternal(); });
            });
        }
    });
}

TEST_CASE("errors survive each allocation that fails", "[memory]") {
    check("error A code that is too long for a string's own buffer", [](VirtualTool&, IFlow& flow) {
        flow.add(
            [](IAsyncSteps& asi) {
                asi.add([](IAsyncSteps& inner) { inner.errorNoThrow("First", kLong); },
                        [](IAsyncSteps& inner, ErrorCode) {
                            if (inner.state().lastError() != nullptr)
                                throw std::runtime_error(kLong);
                        },
                        kLong);
            },
            [](IAsyncSteps& asi, ErrorCode) {
                static_cast<void>(asi.state().lastException());
                asi.error("A code that is too long for a string's own buffer", kLong);
            });
    });
}

TEST_CASE("awaitables and promises survive each allocation that fails", "[memory]") {
    check("error Refused", [](VirtualTool& tool, IFlow& flow) {
        flow.add([&tool](IAsyncSteps&) {
            auto promise = std::make_shared<steptree::Promise<std::string>>();
            tool.immediate([promise] { promise->success(kLong); });
            return promise->future();
        });
        flow.add([&tool](IAsyncSteps& asi, const std::string&) {
            auto promise = std::make_shared<steptree::Promise<>>();
            tool.deferred(1, [promise] { promise->error("Refused", kLong); });
            asi.await(promise->future(), [](IAsyncSteps&, ErrorCode) {});
        });
    });
}

TEST_CASE("race and any survive each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        IParallel& any = flow.any([](IAsyncSteps& asi, ErrorCode code) {
            if (code == steptree::errors::AllFailed) asi.success();
        });
        for (int i = 0; i < 6; ++i) any.add([](IAsyncSteps& asi) { asi.error("Down", kLong); });
        IParallel& race = flow.race();
        race.add([](IAsyncSteps& asi) { asi.waitExternal(); });
        race.add([](IAsyncSteps& asi) {
            asi.add([](IAsyncSteps& inner) { inner.success(kLong, Large{}); });
        });
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

TEST_CASE("cleanups and shields survive each allocation that fails", "[memory]") {
    check("error Late", [](VirtualTool&, IFlow& flow) {
        flow.add([](IAsyncSteps& asi) {
            for (int i = 0; i < 3; ++i) {
                asi.defer([large = Large{}](IAsyncSteps& own) {
                    static_cast<void>(large);
                    own.add([](IAsyncSteps& inner) { inner.error("Late", kLong); });
                });
            }
            asi.shield(100, [large = Large{}](IAsyncSteps& inner) {
                static_cast<void>(large);
                inner.defer([](IAsyncSteps& own) { own.waitExternal(); });
                inner.success(kLong, Large{});
            });
        });
    });
}

TEST_CASE("a retry survives each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.retry({.max = 3, .backoff = {.base = 1}, .on = {"Busy", kLong}},
                   [large = Large{}](IAsyncSteps& asi, std::int64_t attempt) {
                       asi.add([large, attempt](IAsyncSteps& inner) {
                           static_cast<void>(large);
                           if (attempt < 3) inner.error("Busy", kLong);
                           inner.success(kLong, Large{});
                       });
                   });
    });
}

TEST_CASE("values that wait for a section's lock survive each allocation that fails",
          "[sync][memory]") {
    for (int used = 0; used < 40; ++used) {  // so that they are the first in a new block, too
        check("ok", [used](VirtualTool&, IFlow& flow) {
            static steptree::Mutex mutex;
            auto& branches = flow.parallel([](IAsyncSteps& asi, ErrorCode) {
                notMissing(asi);
                asi.delay(1);
            });
            branches.sync(mutex, [](IAsyncSteps& asi) { asi.delay(1); });
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
                    asi.race().add([](IAsyncSteps& branch) { branch.success(kLong); });
                    asi.add([](IAsyncSteps&, const std::string&) {});
                },
                [](IAsyncSteps& asi, ErrorCode) { notMissing(asi); });
        });
    }
}

TEST_CASE("a parallel that has no memory for a branch waits for the cleanup of the others",
          "[parallel][memory]") {
    for (int used = 0; used < 40; ++used) {
        check("ok", [used](VirtualTool&, IFlow& flow) {
            const auto begun = std::make_shared<bool>(false);
            const auto cleaned = std::make_shared<bool>(false);
            flow.add(
                [=](IAsyncSteps& asi) {
                    for (int i = 0; i < used; ++i) asi.stack<int>(i);
                    IParallel& branches = asi.parallel();
                    branches.add([=](IAsyncSteps& branch) {
                        branch.defer([=](IAsyncSteps& own) {
                            own.delay(1).add([=](IAsyncSteps&) { *cleaned = true; });
                        });
                        branch.delay(1);
                        *begun = true;
                    });
                    branches.add([](IAsyncSteps&) {});
                },
                [=](IAsyncSteps& asi, ErrorCode) {
                    CHECK(*cleaned == *begun);
                    asi.success();
                });
        });
    }
}
