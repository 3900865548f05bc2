// A switch among more and more flows in endless loops.
#include "switches.hpp"

namespace bench {
namespace {

template <std::size_t flowCount>
void growsSwitch(Run& run) {
    runSwitches(run, flowCount);
}

const Scenario scenarios[] = {
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
    {"grows_switch_300k", growsSwitch<300'000>, kGrows},
    {"grows_switch_1M", growsSwitch<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
