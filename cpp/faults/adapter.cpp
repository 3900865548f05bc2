// An adapter that takes each case through a shortage of memory: allocation after allocation of the
// engine and of the values that it copies fails, until the case needs no more of them. The answer
// is the trace of the undisturbed run, or what went wrong in one of the others.
//
// Each allocation fails four times: whoever is told makes the call again (the trace has to be the
// same then); he goes on without it (it has to be as if the call were not in the case); he is a
// body that ends by it; and all that follow it fail too. Whatever happens, each run ends once,
// nothing leaks, and a further flow on the same tool works.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "attempt.hpp"
#include "runcase.hpp"

namespace {

using conformance::Json;
using conformance::Then;
using faults::Attempt;
using faults::Trace;

/// So many are tried one by one; of more, one in so many.
constexpr std::size_t kEach = 200;

void onEnd(int signal) {
    std::cerr << "steptree-faults: " << faults::running() << ": signal " << signal << std::endl;
    std::_Exit(3);
}

Json take(conformance::MakeFlow makeFlow, const Json& program, bool all) {
    const Json expected = conformance::runCase(makeFlow, program);
    const Trace normal = Attempt::undisturbed(makeFlow, program);
    struct Way {
        std::size_t times;
        Then then;
    };
    for (const auto [times, then] : {Way{1, Then::again}, Way{1, Then::leftOut},
                                     Way{1, Then::thrown}, Way{SIZE_MAX, Then::thrown}}) {
        for (std::size_t k = 0; Attempt{makeFlow, program, k, times, then}.run(normal);)
            k += all || k < kEach ? 1 : k / 20;
    }
    return expected;
}

}  // namespace

int main(int argc, char* argv[]) {
    std::string_view kind = "async";
    bool all = false;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--all") {
            all = true;
        } else {
            kind = argv[i];
        }
    }
    const conformance::MakeFlow makeFlow = conformance::flowsOfKind(kind);
    if (makeFlow == nullptr) {
        std::cerr << "usage: steptree-faults [async|nitro] [--all]\n";
        return 2;
    }
    std::signal(SIGABRT, &onEnd);
    std::signal(SIGSEGV, &onEnd);
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const Json request = Json::parse(line);
        Json answer{{"id", request["id"]}};
        try {
            answer.update(take(makeFlow, request["case"], all));
        } catch (const std::exception& failure) {
            answer["error"] = failure.what();
        }
        std::cout << answer.dump() << std::endl;
    }
}
