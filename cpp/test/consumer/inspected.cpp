#include <iostream>
#include <steptree/asynctool.hpp>
#include <steptree/inspector.hpp>

int main() {
    steptree::AsyncTool tool;
    const steptree::Inspector inspector(tool);
    std::cout << inspector.url() << std::endl;
    return inspector.url().rfind("http://127.0.0.1:", 0) == 0 ? 0 : 1;
}
