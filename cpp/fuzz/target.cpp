// What libFuzzer calls: an input is a case, and which of its allocations fails, if any. Each run of
// a flow is told its end once; when all was cancelled nothing is open, no timer is armed, no memory
// is left, and a further flow on the tool works; a call that found no memory has done nothing. The
// sanitizers watch.
//
// STEPTREE_FUZZ_PRINT=1 writes the case of each input, to run it by the adapters.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "attempt.hpp"
#include "program.hpp"

namespace {

using conformance::Json;
using conformance::Then;
using faults::Attempt;

[[noreturn]] void found(const Json& program, const char* what) {
    std::cerr << "WRONG: " << what << '\n' << program.dump() << std::endl;
    std::abort();
}

/// Whether the case asks for what isn't there.
bool isNoCase(const std::string& what) {
    return what.find("nothing is called") != std::string::npos ||
           what.find("no accessor") != std::string::npos;
}

void run(const Json& program, fuzz::Choices& choices) {
    const auto makeFlow = conformance::flowsOfKind(choices.one(4) ? "nitro" : "async");
    const std::size_t kind = choices.below(5);
    try {
        const faults::Trace normal = Attempt::undisturbed(makeFlow, program);
        const Then then = kind == 1 ? Then::again : kind == 2 ? Then::leftOut : Then::thrown;
        const std::size_t times = kind == 0 ? 0 : kind == 4 ? SIZE_MAX : 1;
        static_cast<void>(Attempt{makeFlow, program, choices.below(256), times, then}.run(normal));
    } catch (const std::exception& wrong) {
        if (!isNoCase(wrong.what())) found(program, wrong.what());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool prints = std::getenv("STEPTREE_FUZZ_PRINT") != nullptr;
    conformance::Memory::longest = 50;
    faults::endsWhenCancelled = true;
    const std::size_t first = std::min<std::size_t>(size, 3);
    fuzz::Choices how(data, first);
    fuzz::Choices what(data + first, size - first);
    const Json program = fuzz::programOf(what);
    if (prints) std::cerr << program.dump() << std::endl;
    run(program, how);
    return 0;
}
