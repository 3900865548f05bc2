// The greeter in C++: any compiler's, and any standard library's, also without exceptions.
#include <cstdint>
#include <steptree/plugin.hpp>
#include <string>
#include <string_view>

using namespace steptree::plugin;

namespace {

Error greet(Step asi, Args args) {
    const auto first = [name = std::string(args.text(0)),
                        hesitate = args.integer(1)](Step step) -> Error {
        if (name.empty()) return step.error("NoName", "nobody to greet");
        if (const Error error = step.delay(static_cast<double>(hesitate))) return error;
        return step.addSuccess("Hello, " + name);
    };
    const auto anyway = [](Step step, std::string_view code) -> Error {
        if (code == "NoName") return step.success("Hello, whoever you are");
        return {};
    };
    if (const Error error = asi.add(first, anyway)) return error;
    return asi.add([](Step step, Args greeting) {
        return step.success(std::string(greeting.text(0)) + "!!!");
    });
}

// The host knows the word for each language.
Error welcome(Step asi, Args args) {
    const StepValue word = host.service("greeting.for").with(args[1]);
    if (const Error error = asi.add(word)) return error;
    return asi.add([name = std::string(args.text(0))](Step step, Args greeting) {
        return step.success(std::string(greeting.text(0)) + ", " + name + "!!!");
    });
}

}  // namespace

STEPTREE_PLUGIN("greeter", "1.0.0 in C++",
                handler<&greet>("greet", 1, 2, "says hello to a name, after so many milliseconds"),
                handler<&welcome>("welcome", 2, 2, "greets a name in a language"))
