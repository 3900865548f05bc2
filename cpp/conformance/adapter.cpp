// The adapter of the C++ runtime: one case a line on stdin, its trace as one line on stdout, in the
// same order. `--flow nitro`: with NitroSteps in the place of AsyncSteps.

#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "runcase.hpp"

int main(int argc, char* argv[]) {
    using conformance::Json;
    const bool chosen = argc == 3 && std::string_view(argv[1]) == "--flow";
    const conformance::MakeFlow makeFlow = conformance::flowsOfKind(chosen ? argv[2] : "async");
    if (makeFlow == nullptr || (argc != 1 && !chosen)) {
        std::cerr << "usage: steptree-conformance [--flow async|nitro]\n";
        return 2;
    }
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const Json request = Json::parse(line);
        Json answer{{"id", request["id"]}};
        try {
            answer.update(conformance::runCase(makeFlow, request["case"]));
        } catch (const std::exception& failure) {
            answer["error"] = failure.what();
        }
        std::cout << answer.dump() << std::endl;
    }
}
