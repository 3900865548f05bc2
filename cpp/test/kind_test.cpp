// Kinds that nobody needs: what they take, and that the engine needn't know them.

#include "kind.hpp"

#include <functional>
#include <string>
#include <vector>

#include "adder.hpp"
#include "catch.hpp"
#include "closing.hpp"
#include "enter.hpp"
#include "onstack.hpp"
#include "rig.hpp"

namespace steptree::detail {
namespace {

using Log = std::vector<std::string>;

/// Its body runs as a step, and once more. The error of the first round is dropped.
struct TwicePart {
    Log* log;
    std::uint32_t rounds;
};

void callRound(IAsyncSteps& asi, void*, CallArgs&) noexcept {
    auto& round = static_cast<Step&>(asi);
    CallArgs args;
    args.index = round.index + std::int64_t{1};
    enterForGood(round, *round.parent->ops, closureOf(*round.parent), args);  // within its body
}

constexpr ClosureOps kRoundOps{0, 0, false, nullptr, nullptr, &callRound, 0};

/// Runs the body of `owner`; its path element is `index`.
Step& newRound(Step& owner, std::uint32_t index) {
    Line& line = *owner.line;
    void* const place = line.arena.allocate(line, bareSize(kRoundOps));
    Step& round = *::new (place) Step(StepKind::plain, &kRoundOps, line, &owner);
    round.index = index;
    round.flags |= kRound;
    return round;
}

TwicePart& twiceOf(Step& step) {
    return partOf<TwicePart>(step);
}

void begin(Step& step) {
    step.next = &newRound(step, twiceOf(step).rounds++);
    step.phase = Phase::inner;
}

void makeTwice(Step& step, const StepSpec& spec) noexcept {
    twiceOf(step).log = *static_cast<Log**>(spec.source);  // what its body captures first
    twiceOf(step).rounds = 0;
}

Answer openTwice(Line&, Step& step) noexcept {
    markArena(step);
    step.flags |= kOwed;
    begin(step);
    return Answer::again;
}

Answer nextOfTwice(Line& line, Step& step) noexcept {
    line.clearValues();
    if (twiceOf(step).rounds == 2) return Answer::ended;
    begin(step);
    return Answer::again;
}

bool failed(Line&, Step& step, ErrorRef& error) noexcept {
    twiceOf(step).log->push_back("failed " + error->code);
    if (twiceOf(step).rounds == 2) return false;
    begin(step);
    return true;
}

void left(Line&, Step& step) noexcept {
    twiceOf(step).log->push_back("left");
}

void closed(Step& step, const Why&) noexcept {
    twiceOf(step).log->push_back("closed");
}

constexpr Kind twice{.size = sizeof(TwicePart),
                     .make = &makeTwice,
                     .open = &openTwice,
                     .next = &nextOfTwice,
                     .failed = &failed,
                     .exit = &left,
                     .closed = &closed};

/// Its body runs on two lines, and it ends with the first one that has ended.
struct FirstPart : HostPart {
    Log* log;
};

void makeFirst(Step& step, const StepSpec& spec) noexcept {
    (::new (&step + 1) FirstPart)->log = *static_cast<Log**>(spec.source);
}

void callOnLine(IAsyncSteps& asi, void*, CallArgs&) noexcept {
    auto& step = static_cast<Step&>(asi);
    auto& branch = static_cast<Branch&>(*step.line);
    CallArgs args;
    args.index = static_cast<std::int64_t>(branch.index) + 1;
    enterForGood(step, *branch.host->ops, closureOf(*branch.host), args);
}

constexpr ClosureOps kOnLine{0, 0, false, nullptr, nullptr, &callOnLine, 0};

Answer openTwo(Line& line, Step& host) noexcept {
    markArena(host);
    HostPart& part = branchesOf(host);
    for (; part.open < 2; ++part.open) {
        void* const place = line.arena.allocate(line, sizeof(Branch) + sizeof(Step));
        auto& branch = *::new (place) Branch(*line.flow, host);
        branch.run = &turn;
        branch.index = part.open;
        branch.first = ::new (&branch + 1) Step(StepKind::plain, &kOnLine, branch, nullptr);
        linkBranch(part, branch);
        line.core().enqueue(branch);
    }
    return Answer::pending;
}

void endFirst(Branch& branch) noexcept {
    Step& host = *branch.host;
    Line& line = *host.line;
    const ClosingScope closing(*line.flow);
    closeBranch(branch);
    if (closeInside(line, &host, {}) && !cancelled(line)) line.core().enqueue(line);
}

void lineLeft(Branch& branch) noexcept {
    Log& log = *partOf<FirstPart>(*branch.host).log;
    log.push_back("line " + std::to_string(branch.index) + " left");
}

void noLine(Step& step) noexcept {
    CHECK(branchesOf(step).open <= 2);  // no line begins later than its step: nothing is to be done
}

constexpr Kind first{.size = sizeof(FirstPart),
                     .hasBranches = true,
                     .make = &makeFirst,
                     .open = &openTwo,
                     .branchEnded = &endFirst,
                     .branchLeft = &lineLeft,
                     .stop = &noLine};

/// It owes something, and has nothing in the arena.
constexpr Kind owing{.size = sizeof(TwicePart),
                     .make = &makeTwice,
                     .open =
                         [](Line&, Step& step) noexcept {
                             step.flags |= kOwed;
                             return Answer::ended;
                         },
                     .closed = &closed};

using Body = std::function<void(IAsyncSteps&)>;

struct Rounds {
    Log* log;
    const Body* bodies;

    void operator()(IAsyncSteps& asi, std::int64_t number) const {
        log->push_back("round " + std::to_string(number - 1));
        bodies[number - 1](asi);
    }
};

/// Runs a step of a kind whose rounds, or lines, do these.
struct Other : rig::Rig {
    Other(const Kind& kind, Body first, Body second)
        : kind(kind), bodies{std::move(first), std::move(second)} {}

    void add(StepSink& to) {
        Rounds rounds{&log, bodies};
        StepSpec spec{&IterationCall<Rounds>::ops<Rounds>, &rounds, StepKind::other};
        spec.of.kind = &kind;
        to.addStep(spec);
    }

    const Kind& kind;
    Body bodies[2];
    Log log;
};

struct Twice : Other {
    Twice(Body first, Body second) : Other(twice, std::move(first), std::move(second)) {}
};

const Body ok = [](IAsyncSteps& asi) {
    asi.add([](IAsyncSteps& inner) { inner.success("gone with its round"); });
};
const Body fails = [](IAsyncSteps& asi) { asi.add([](IAsyncSteps& inner) { inner.error("E"); }); };
const Body waits = [](IAsyncSteps& asi) { asi.waitExternal(); };

}  // namespace

TEST_CASE("a kind runs a second round when the first has ended with ok", "[kind]") {
    Twice twice(ok, ok);
    twice.add(twice.flow);
    twice.flow.add([&](IAsyncSteps& asi) {
        twice.log.push_back("then");
        asi.success();
    });
    CHECK(twice.run() == "ok");
    CHECK(twice.log == Log{"round 0", "round 1", "closed", "then"});
}

TEST_CASE("a kind runs a second round when the first has failed", "[kind]") {
    Twice twice(fails, ok);
    twice.add(twice.flow);
    CHECK(twice.run() == "ok");
    CHECK(twice.log == Log{"round 0", "left", "failed E", "round 1", "closed"});
}

TEST_CASE("a kind fails with the second round, whose number is in the path", "[kind]") {
    Twice twice(ok, fails);
    std::string path;
    twice.flow.add(
        [&](IAsyncSteps& asi) { twice.add(asi); },
        [&](IAsyncSteps& asi, const std::string&) { path = asi.state().lastError()->path(); },
        "outer");
    CHECK(twice.run() == "error E");
    CHECK(path == "outer/0/#1/0");
    CHECK(twice.log == Log{"round 0", "round 1", "left", "failed E", "closed"});
}

TEST_CASE("a kind is left and closed by a cancel while a round waits", "[kind]") {
    Twice twice(ok, waits);
    twice.flow.add([&](IAsyncSteps& asi) { twice.add(asi); });
    CHECK(twice.run() == "waiting");
    CHECK(twice.log == Log{"round 0", "round 1", "left", "closed"});
}

TEST_CASE("a kind is left and closed by a timeout around it", "[kind]") {
    Twice twice(waits, ok);
    twice.flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(5);
        twice.add(asi);
    });
    CHECK(twice.run() == "error Timeout");
    CHECK(twice.log == Log{"round 0", "left", "closed"});
}

TEST_CASE("a kind is a branch of a parallel as any step, which another branch ends", "[kind]") {
    Twice twice(ok, waits);
    IParallel& branches = twice.flow.parallel(
        [&](IAsyncSteps&, const std::string&) { twice.log.push_back("caught"); });
    twice.add(branches);
    branches.add([](IAsyncSteps& asi) {
        asi.add(delay(5));
        asi.add([](IAsyncSteps& inner) { inner.error("E"); });
    });
    CHECK(twice.run() == "error E");
    CHECK(twice.log == Log{"round 0", "round 1", "left", "closed", "caught"});
}

TEST_CASE("a kind that never opens drops its body", "[kind]") {
    Twice twice(ok, ok);
    twice.flow.add([](IAsyncSteps& asi) { asi.error("E"); });
    twice.add(twice.flow);
    CHECK(twice.run() == "error E");
    CHECK(twice.log.empty());
}

TEST_CASE("a kind that owes something is asked when it closes", "[kind]") {
    Other step(owing, ok, ok);
    step.add(step.flow);
    CHECK(step.run() == "ok");
    CHECK(step.log == Log{"closed"});
}

TEST_CASE("a kind with lines inside ends with the first one", "[kind]") {
    Other first(detail::first, waits, ok);
    first.add(first.flow);
    first.flow.add([&](IAsyncSteps&) { first.log.push_back("then"); });
    CHECK(first.run() == "ok");
    CHECK(first.log == Log{"round 0", "round 1", "line 1 left", "line 0 left", "then"});
}

TEST_CASE("a kind with lines inside fails with one of them", "[kind]") {
    Other first(detail::first, waits, fails);
    std::string path;
    first.flow.add(
        [&](IAsyncSteps& asi) { first.add(asi); },
        [&](IAsyncSteps& asi, const std::string&) { path = asi.state().lastError()->path(); },
        "outer");
    CHECK(first.run() == "error E");
    CHECK(path == "outer/0/|1/0");
    CHECK(first.log == Log{"round 0", "round 1", "line 1 left", "line 0 left"});
}

TEST_CASE("a kind with lines inside is closed by a cancel", "[kind]") {
    Other first(detail::first, waits, waits);
    first.add(first.flow);
    CHECK(first.run() == "waiting");
    CHECK(first.log == Log{"round 0", "round 1", "line 0 left", "line 1 left"});
}

}  // namespace steptree::detail
