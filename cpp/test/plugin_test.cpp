#include "plugin/plugin.hpp"

#include <dlfcn.h>

#include <memory>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// The plug-in, which is unmapped when this goes.
class Loaded {
  public:
    Loaded() : library_(dlopen(STEPTREE_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL)) {
        if (library_ == nullptr) throw std::runtime_error(dlerror());
    }
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
    ~Loaded() {
        dlclose(library_);
        CHECK(dlopen(STEPTREE_TEST_PLUGIN, RTLD_NOW | RTLD_NOLOAD) == nullptr);
    }

    template <class... A>
    auto* symbol(const char* name) const {
        return reinterpret_cast<void (*)(IAsyncSteps&, A & ...)>(dlsym(library_, name));
    }

  private:
    void* library_;
};

/// Ends when nothing of the flow is open any more.
std::string runClosed(Rig& rig, void (*steps)(IAsyncSteps&)) {
    rig.flow.add([steps](IAsyncSteps& asi) { steps(asi); });
    const std::string end = rig.run();
    const auto closed = rig.flow.closed();
    rig.tool.run();
    CHECK(closed.settled());
    return end;
}

}  // namespace

TEST_CASE("a string that a plug-in wrote into the state outlives it", "[state][plugin]") {
    Rig rig;
    steptree::Mutex mutex;
    rig.flow.state<std::vector<int>>("host");
    {
        Loaded plugin;
        const auto everything = plugin.symbol<steptree::Guard>("everything");
        rig.flow.add([&](IAsyncSteps& asi) { everything(asi, mutex); });
        rig.flow.add([](IAsyncSteps& asi, int six) { asi.state<int>("six") = six; });
        CHECK(rig.run() == "ok");
        CHECK(runClosed(rig, plugin.symbol<>("replaces")) == "ok");
        rig.flow.state().erase("own");
    }
    CHECK(rig.flow.state<std::string>("seen") == std::string(100, 's'));
    CHECK(rig.flow.state<int>("count") == 3);
    CHECK(rig.flow.state<int>("six") == 6);
    CHECK(rig.flow.state<std::vector<int>>("host") == std::vector<int>(100, 7));
    rig.flow.add([](IAsyncSteps& asi) { asi.state().set("seen", std::string("by the host")); });
    CHECK(rig.run() == "ok");
    CHECK(rig.flow.state<std::string>("seen") == "by the host");
}

TEST_CASE("clear erases every key of the state", "[state][plugin]") {
    Rig rig;
    {
        Loaded plugin;
        CHECK(runClosed(rig, plugin.symbol<>("leavesOwn")) == "ok");
        CHECK(rig.flow.state().has("own"));
        rig.flow.state<int>("mine") = 1;
        rig.flow.state().clear();
    }
    CHECK_FALSE(rig.flow.state().has("own"));
    CHECK_FALSE(rig.flow.state().has("mine"));
    CHECK(rig.flow.state<int>("mine", 2) == 2);
}

TEST_CASE("a flow that has closed holds nothing of a plug-in but its state", "[state][plugin]") {
    Rig rig;
    std::unique_ptr<StepError> error;
    {
        Loaded plugin;
        rig.flow.add([steps = plugin.symbol<>("fails")](IAsyncSteps& asi) { steps(asi); },
                     [&](IAsyncSteps& asi, const std::string&) {
                         error = std::make_unique<StepError>(*asi.state().lastError());
                     });
        CHECK(rig.run() == "error NoName");
        CHECK(runClosed(rig, plugin.symbol<>("throws")) == "error InternalError");
        CHECK(runClosed(rig, plugin.symbol<>("waits")) == "error Timeout");
        rig.flow.add([steps = plugin.symbol<>("waits")](IAsyncSteps& asi) { steps(asi); });
        rig.flow.execute();
        rig.tool.advance(50);
        rig.flow.cancel();
        rig.tool.run();
        CHECK_FALSE(rig.flow.running());
    }
    CHECK(error->path() == "0/failer");
    CHECK(error->info() == std::string(100, 'n'));
    error.reset();
    rig.flow.add([](IAsyncSteps& asi) { asi.success(); });
    CHECK(rig.run() == "ok");
    rig.tool.releaseMemory();
}

TEST_CASE("a plug-in finds and sets a local of its host", "[local][plugin]") {
    Rig rig;
    const auto local = steptree::local<std::string>("local");
    {
        const Loaded plugin;
        const auto locals = plugin.symbol<const steptree::Local<std::string>>("locals");
        rig.flow.add([&](IAsyncSteps& asi) {
            local.set(asi, "host");
            asi.add([&](IAsyncSteps& inner) { locals(inner, local); });
            asi.add([&](IAsyncSteps& inner, const std::string& seen) {
                CHECK(seen == "plug-in");
                CHECK(*local.get(inner) == "host");
            });
        });
        CHECK(rig.run() == "ok");
        const auto closed = rig.flow.closed();
        rig.tool.run();
        CHECK(closed.settled());
    }
}
