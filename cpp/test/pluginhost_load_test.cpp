#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "allocations.hpp"
#include "catch.hpp"
#include "pluginhosts.hpp"
#include "rig.hpp"

using namespace rig;
using namespace pluginhosts;

namespace {

/// The place for temporary files: others use that of the system.
class Temporary {
  public:
    Temporary() {
        REQUIRE(::mkdtemp(path_.data()) != nullptr);
        REQUIRE(::setenv("TMPDIR", path_.c_str(), 1) == 0);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        if (before_.empty()) {
            ::unsetenv("TMPDIR");
        } else {
            ::setenv("TMPDIR", before_.c_str(), 1);
        }
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    bool empty() const { return std::filesystem::is_empty(path_); }

  private:
    const std::string before_ = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
    std::string path_ = (std::filesystem::temp_directory_path() / "steptree-test-XXXXXX").string();
};

/// Loads it while an allocation fails: what it says then.
std::string load(Hosting& at, const std::string& file, std::size_t after, std::size_t times,
                 bool& failed) {
    const allocations::Failing failing(after, times);
    std::string said = "loaded";
    try {
        static_cast<void>(at.host->load(file));
    } catch (const std::bad_alloc&) {
        said = "bad_alloc";
    } catch (const StepError&) {
        said = "refused";
    }
    failed = failing.failed() > 0;
    return said;
}

struct Pipe {
    Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    std::string read(std::size_t size) const {
        std::string text(size, ' ');
        for (char& byte : text) REQUIRE(::read(ends[0], &byte, 1) == 1);
        return text;
    }

    std::array<int, 2> ends{};
};

}  // namespace

TEST_CASE("a plug-in that isn't loaded for want of memory leaves nothing", "[plugin]") {
    const Temporary temporary;
    const std::string greeter = filesOf(STEPTREE_TEST_GREETERS)[0];
    for (const std::string& file : {greeter, std::string(STEPTREE_TEST_CALLER)}) {
        for (const std::size_t times : {std::size_t{1}, SIZE_MAX}) {
            bool failed = true;
            for (std::size_t k = 0; failed; ++k) {
                Hosting at;
                at.host->load(greeter);
                const std::size_t copies = mapped(file);
                const std::string said = load(at, file, k, times, failed);
                CAPTURE(file, times, k, said);
                if (said == "loaded") continue;
                REQUIRE(failed);
                at.tool.run();
                REQUIRE(at.only().phase == steptree::PluginPhase::serves);
                REQUIRE(mapped(file) == copies);
                REQUIRE(temporary.empty());
                REQUIRE(at.call(at.host->step("greeter", "greet").with(std::string("Ada"))) ==
                        "Hello, Ada!!!");
            }
        }
    }
}

TEST_CASE("a plug-in that is loaded while its host goes is stopped, and refused",
          "[plugin][thread]") {
    const std::size_t slow = mapped(STEPTREE_TEST_SLOW);
    const Pipe told;
    const Pipe goOn;
    const std::string pipes = std::to_string(told.ends[1]) + " " + std::to_string(goOn.ends[0]);
    REQUIRE(::setenv("SLOW", pipes.c_str(), 1) == 0);
    Hosting at;
    at.host->load(STEPTREE_TEST_LOADER);
    const auto loads = at.host->step("loader", "loads");
    CHECK(at.end(loads.with(std::string(STEPTREE_TEST_SLOW), std::int64_t{told.ends[1]},
                            std::int64_t{goOn.ends[1]})) == "ok");
    CHECK(told.read(1) == "b");
    at.host.reset();
    CHECK(told.read(3) == "ers");
    CHECK(mapped(STEPTREE_TEST_SLOW) == slow);
    CHECK(mapped(STEPTREE_TEST_LOADER) == 0);
}
