// The lines of hello for three users at a time: each gets his own page.
#pragma GCC diagnostic ignored "-Wreturn-type"  // only main may do without a return
#define main hello
#include "hello.cpp"
#undef main

#include <steptree/map.hpp>
#include <vector>

int main() {
    AsyncTool tool;
    const std::vector<std::string> names{"Ann", "Bob", "Eve"};
    const auto pages = map(names, {.limit = 3}, profile(tool));
    for (const std::string& page : run(tool, pages).get()) std::cout << page << std::endl;
}
