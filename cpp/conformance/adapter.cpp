// The adapter of the C++ runtime: one case a line on stdin, its trace as one line on stdout, in the
// same order. `--flow nitro`: with NitroSteps in the place of AsyncSteps. `--defined`: what can be
// a step value is one, made before the case runs.

#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "defined.hpp"
#include "runcase.hpp"

int main(int argc, char* argv[]) {
    using conformance::Json;
    const bool chosen = argc == 3 && std::string_view(argv[1]) == "--flow";
    const bool defined = argc == 2 && std::string_view(argv[1]) == "--defined";
    const conformance::MakeFlow makeFlow = conformance::flowsOfKind(chosen ? argv[2] : "async");
    if (makeFlow == nullptr || (argc != 1 && !chosen && !defined)) {
        std::cerr << "usage: steptree-conformance [--flow async|nitro | --defined]\n";
        return 2;
    }
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const Json request = Json::parse(line);
        Json answer{{"id", request["id"]}};
        try {
            const Json& program = request["case"];
            answer.update(defined ? conformance::runDefined(makeFlow, program)
                                  : conformance::runCase(makeFlow, program));
        } catch (const std::exception& failure) {
            answer["error"] = failure.what();
        }
        std::cout << answer.dump() << std::endl;
    }
}
