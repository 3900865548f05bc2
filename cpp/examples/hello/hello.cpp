#include <iostream>
#include <map>
#include <steptree/asyncsteps.hpp>
#include <steptree/asynctool.hpp>
#include <string>

using namespace steptree;
using Page = std::map<std::string, std::string>;

void load(IAsyncSteps& asi, Tool& tool, Page& page, std::string key, int ms) {
    auto done = asi.waitExternal();  // safe to keep, to copy, to call late
    auto answer = [=, &page] { page[key] = key + " of " + page["id"], done.success(); };
    asi.setCancel([t = tool.deferred(ms, answer)](IAsyncSteps&) mutable { t.cancel(); });
}

void show(IAsyncSteps& asi, Tool& tool, std::string id) {
    asi.setTimeout(500);                             // a deadline for everything below
    auto& page = asi.stack<Page>(Page{{"id", id}});  // of this call; asi.state() is the flow's
    auto& both = asi.parallel();
    both.add([&](IAsyncSteps& branch) { load(branch, tool, page, "user", 20); });
    both.add([&](IAsyncSteps& branch) { load(branch, tool, page, "cart", 10); });
    asi.add([&](IAsyncSteps& step) { step.success(page["user"] + ", " + page["cart"]); });
}

int main() {
    AsyncTool tool;  // has a thread of its own
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) { show(asi, tool, "Ann"); },
             [](IAsyncSteps& asi, const std::string& code) {
                 if (code == errors::Timeout) asi.success(std::string("try later"));
             });
    std::cout << flow.promise<std::string>().get() << std::endl;
}
