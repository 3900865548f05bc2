// The adapter of the C++ runtime: one case a line on stdin, its trace as one line on stdout, in the
// same order.

#include <exception>
#include <iostream>
#include <string>

#include "run.hpp"

int main() {
    using conformance::Json;
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const Json request = Json::parse(line);
        Json answer{{"id", request["id"]}};
        try {
            answer["trace"] = conformance::runCase(request["case"]);
        } catch (const std::exception& failure) {
            answer["error"] = failure.what();
        }
        std::cout << answer.dump() << std::endl;
    }
}
