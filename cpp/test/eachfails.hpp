#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <string>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

/// A program that meets each allocation that it makes as one that fails.
namespace eachfails {

using namespace rig;

inline const std::string kLong(100, 'x');
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
inline void runOnce(std::string& end, bool poisons,
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
inline void checkWith(bool poisons, const std::string& normal,
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

inline void check(const std::string& normal,
                  const std::function<void(VirtualTool&, IFlow&)>& fill) {
    checkWith(false, normal, fill);
    checkWith(true, normal, fill);
}

}  // namespace eachfails
