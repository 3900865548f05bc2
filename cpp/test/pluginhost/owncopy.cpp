// A plug-in that has a copy of the runtime in it, and runs a flow of that inside of a step of its
// host's.
#include <steptree/plugin.hpp>
#include <string>

#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"
#include "steptree/virtualtool.hpp"

namespace {

std::string runInCopy() {
    steptree::VirtualTool tool;
    steptree::AsyncSteps flow(tool);
    flow.add([](steptree::IAsyncSteps& asi) {
        asi.setTimeout(5);
        asi.add(steptree::delay(10));
    });
    const auto end = flow.promise<>();
    tool.run();
    try {
        end.get();
    } catch (const steptree::StepError& error) {
        return error.code();
    }
    return "no error";
}

steptree::plugin::Error both(steptree::plugin::Step asi) {
    return asi.success(runInCopy());
}

}  // namespace

STEPTREE_PLUGIN("owncopy", "1", handler<&both>("both", 0, 0, "runs a flow of its own runtime"))
