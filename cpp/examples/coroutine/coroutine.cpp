// What hello does, with bodies that are coroutines: two loads side by side, a deadline for both.
#include <iostream>
#include <steptree/asyncsteps.hpp>
#include <steptree/asynctool.hpp>
#include <steptree/delay.hpp>
#include <steptree/task.hpp>
#include <string>

using namespace steptree;

namespace {

Task<std::string> load(IAsyncSteps& asi, std::string key, int ms) {
    co_await asi.add(delay(ms));
    co_return key + '!';
}

/// What to say when the cart takes so many milliseconds.
auto greeting(int cartMs) {
    return [cartMs](IAsyncSteps& asi) -> Task<std::string> {
        asi.setTimeout(500);  // a deadline for everything that is awaited here
        std::string user;
        std::string cart;
        auto& both = asi.parallel();
        both.add([&](IAsyncSteps& branch) -> Task<> { user = co_await load(branch, "user", 20); });
        both.add(
            [&](IAsyncSteps& branch) -> Task<> { cart = co_await load(branch, "cart", cartMs); });
        co_await both;
        co_return user + ' ' + cart;
    };
}

}  // namespace

int main() {
    AsyncTool tool;  // has a thread of its own
    AsyncSteps flow(tool);
    for (const int cartMs : {10, 5000}) {
        flow.add(greeting(cartMs), [](IAsyncSteps& asi, const std::string& code) {
            if (code == errors::Timeout) asi.success(std::string("try later"));
        });
        std::cout << flow.promise<std::string>().get() << std::endl;
    }
}
