// The lines of hello for three users at a time, in one flow: each gets his own page.
#pragma GCC diagnostic ignored "-Wreturn-type"  // only main may do without a return
#define main hello
#include "hello.cpp"
#undef main

#include <vector>

int main() {
    AsyncTool tool;
    AsyncSteps flow(tool);
    flow.map<std::string>(std::vector<std::string>{"Ann", "Bob", "Eve"}, {.limit = 3},
                          [&](IAsyncSteps& asi, std::string& id) { show(asi, tool, id); });
    using Pages = std::vector<std::string>;
    for (const std::string& page : flow.promise<Pages>().get()) std::cout << page << std::endl;
}
