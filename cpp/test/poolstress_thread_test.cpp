#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "onpool.hpp"

using onpool::codeOf;
using steptree::Future;
using steptree::Priority;
using steptree::TaskOptions;
using steptree::ThreadPool;
using Shutdown = steptree::ThreadPool::Shutdown;

namespace {

constexpr int kProducers = 8;
constexpr int kEach = 1500;

/// What became of one task.
struct Fate {
    std::atomic<int> ran{0};
    std::atomic<int> destroyed{0};
    Future<> future;
};

/// Counts the end of the function that has it.
class Witness {
  public:
    explicit Witness(Fate& fate) : fate_(&fate) {}
    Witness(Witness&& other) noexcept : fate_(std::exchange(other.fate_, nullptr)) {}
    Witness& operator=(Witness&&) = delete;
    ~Witness() {
        if (fate_ != nullptr) ++fate_->destroyed;
    }
    void run() const { ++fate_->ran; }

  private:
    Fate* fate_;
};

TaskOptions anyOptions(std::mt19937& random) {
    TaskOptions options;
    options.priority = static_cast<Priority>(random() % 3);
    switch (random() % 5) {
        case 0:
            options.subpool = "one";
            break;
        case 1:
            options.subpool = "three";
            break;
        case 2:
            options.boundTo = random() % 4;
            break;
        default:
            break;
    }
    return options;
}

struct Stress {
    explicit Stress(unsigned s) : seed(s), fates(kProducers * kEach) {
        pool.subpool("one", 1);
        pool.subpool("three", 3);
    }

    void produce(int number) {
        std::mt19937 random(seed + static_cast<unsigned>(number));
        for (int i = 0; i < kEach; ++i) {
            Fate& fate = fates[static_cast<std::size_t>(number * kEach + i)];
            fate.future =
                pool.run([witness = Witness(fate)] { witness.run(); }, anyOptions(random));
            if (random() % 3 == 0) fate.future.cancel();
            if (random() % 64 == 0) std::this_thread::yield();
        }
        ++produced;
    }

    void disturb() {
        std::mt19937 random(seed);
        while (produced != kProducers) {
            pool.resize(static_cast<int>(random() % 6));
            pool.subpool("three", static_cast<int>(random() % 5));
            std::this_thread::yield();
        }
    }

    /// Until one has run: a machine may starve the workers while all is produced.
    void awaitOne() {
        pool.resize(1);
        const auto ran = [](const Fate& fate) { return fate.ran != 0; };
        while (std::none_of(fates.begin(), fates.end(), ran)) std::this_thread::yield();
    }

    unsigned seed;
    std::vector<Fate> fates;
    std::atomic<int> produced{0};
    ThreadPool pool{{.threads = 4, .boundThreads = 2}};
};

}  // namespace

TEST_CASE("every task runs once or is dropped once, whatever goes on", "[threadpool][thread]") {
    const unsigned seed = testSeed();
    INFO("--rng-seed " << seed);
    for (const Shutdown how : {Shutdown::drain, Shutdown::drop}) {
        Stress stress(seed);
        std::vector<std::thread> threads;
        for (int t = 0; t < kProducers; ++t) threads.emplace_back([&, t] { stress.produce(t); });
        stress.disturb();
        for (std::thread& thread : threads) thread.join();
        stress.awaitOne();
        stress.pool.shutdown(how);

        int ran = 0;
        int dropped = 0;
        for (Fate& fate : stress.fates) {
            REQUIRE(fate.future.settled());
            REQUIRE(fate.destroyed == 1);
            const std::string code = codeOf([&] { fate.future.get(); });
            if (fate.ran == 1 && code == "nothing") ++ran;
            if (fate.ran == 0 && code == "Canceled") ++dropped;
        }
        CHECK(ran + dropped == kProducers * kEach);
        CHECK(ran > 0);
        CHECK(dropped > 0);
    }
}
