#include "steptree/observe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cancel.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "flowextras.hpp"
#include "flowlook.hpp"
#include "foreign.hpp"
#include "ids.hpp"
#include "misuse.hpp"
#include "observe.hpp"
#include "ontool.hpp"
#include "path.hpp"
#include "report.hpp"
#include "run.hpp"
#include "steptree/detail/coreref.hpp"
#include "waits.hpp"

/// Events. What is open is told to observers late: before the first body or handler that runs in
/// it, or when its line waits. So a step that nobody could notice isn't told, nor is its closing.
///
///     opened: kShown and kOwed -> popped, for whatever reason -> payOwed() -> closed
///
/// Of the steps around one that is shown all are that have an element, up to the root; but what a
/// lock is made of never is. While a tool is observed whatever is queued is shown to the engine,
/// which gives lines the observed turn: in that no body is called in passing.
namespace steptree {

namespace detail {

/// One observer. Of its handle and its tool.
struct Watch {
    Function<void(const FlowEvent&)> tell;
    ObserveOptions options;
    CoreRef core;
    std::atomic<bool> over{false};
};

enum class What : std::uint8_t {
    begun,
    turn,
    opened,
    body,
    returned,
    handler,
    cancel,
    closed,
    waits,
    ended
};

struct EventData {
    What what;
    Flow& flow;
    Step* step = nullptr;
    const char* kind = "";
    const char* outcome = "";
    std::string_view code{};
    Line* line = nullptr;  // that waits
    std::uint64_t sequence = 0;
};

/// Of one tool. Its thread only.
struct Observers {
    explicit Observers(ToolCore& core) noexcept : core(core) {}

    ToolCore& core;
    std::vector<std::shared_ptr<Watch>> watches{};
    std::uint64_t sequence = 0;
    ObservedTurn* turn = nullptr;  // the innermost that runs
    Step* called = nullptr;        // its body was told
    Live* begins = nullptr;        // the first of those flows that are told when this event is
    /// Of steps that were told as another kind than that of their own.
    std::unordered_map<const Step*, const char*> kinds{};
    bool telling = false;
    bool bodies = false;

    void add(std::shared_ptr<Watch> watch);
    void begin(Flow& flow) noexcept;
    /// Keeps the kind for when the step closes. Short of memory it's its own.
    const char* note(Step& step, const char* kind) noexcept;
    const char* takeKind(Step& step) noexcept;
    void tell(EventData event) noexcept;
    /// Lets go of those who don't observe any more.
    void dropOver() noexcept;
    void stop() noexcept;

  private:
    void call(EventData& event) noexcept;
    void callOne(Watch& watch, const EventData& event) noexcept;
};

namespace {

Observers& observersAt(const Line& line) noexcept {
    return *line.share().observers;
}

// ---- what may be shown

/// Null: it's the flow's outermost.
Step* outOf(Step& step) noexcept {
    if (step.parent != nullptr) return step.parent;
    return step.line->isBranch() ? static_cast<Branch*>(step.line)->host : nullptr;
}

bool hides(Step& step) noexcept {
    return kindOf(step).isHidden;
}

/// The innermost step of the line that may be told, or the one around. Null: all of the line is
/// hidden, as those that a lock has are.
Step* innermostOf(Line& line) noexcept {
    Step* const begins = line.top != nullptr ? line.top : line.first;
    if (begins != nullptr && begins->parent == nullptr && hides(*begins)) return nullptr;
    Step* at = line.top;
    if (at == nullptr && line.isBranch()) at = static_cast<Branch&>(line).host;
    for (Step* step = at; step != nullptr && (step->flags & kShown) == 0; step = outOf(*step)) {
        if (!hides(*step)) continue;
        if (step->line != &line) return nullptr;
        at = step->parent;
    }
    return at;
}

bool isHidden(Line& line) noexcept {
    return innermostOf(line) == nullptr && (line.top != nullptr || line.isBranch());
}

bool isShowable(Step& step) noexcept {
    return (step.flags & kHidden) == 0 && callOf(step) != nullptr;
}

// ---- telling

struct Shown {
    Step* step;
    const char* kind;
};

void showOne(const Shown& shown) noexcept {
    Observers& observers = observersAt(*shown.step->line);
    shown.step->flags |= kShown | kOwed;
    const char* const kind = observers.note(*shown.step, shown.kind);
    observers.tell(
        {.what = What::opened, .flow = *shown.step->line->flow, .step = shown.step, .kind = kind});
}

/// Those around that are to be told, the innermost first in `into`; the outermost of them if there
/// is no room for all. How many there are. One that is just a step is what stands in the place of
/// its body.
std::size_t collect(Step& from, Shown* into, std::size_t room) noexcept {
    std::size_t count = 0;
    const char* inside = nullptr;
    for (Step* at = &from; at != nullptr && (at->flags & kShown) == 0; at = outOf(*at)) {
        const char* const own = callOf(*at);
        const bool isStep = own != nullptr && own == std::string_view("step");
        if (isShowable(*at)) {
            const char* const part = std::exchange(inside, nullptr);
            into[count++ % room] = {at, isStep && part != nullptr ? part : own};
        } else if (own != nullptr && !isStep) {
            inside = own;
        }
    }
    return count;
}

/// Tells what is open and isn't told yet, from the outermost on. Short of memory a deep line is
/// walked through again and again.
void show(Step& innermost) noexcept {
    std::array<Shown, 32> few{};
    std::vector<Shown> more;
    Shown* steps = few.data();
    std::size_t room = few.size();
    std::size_t count = collect(innermost, steps, room);
    if (count > room) {
        try {
            more.resize(count);
            steps = more.data();
            room = count;
            collect(innermost, steps, room);
        } catch (const std::bad_alloc&) {
            // as many as there is room for
        }
    }
    while (count > 0) {
        const std::size_t told = std::min(count, room);
        for (std::size_t i = 0; i < told; ++i) showOne(steps[--count % room]);
        count = count > 0 ? collect(innermost, steps, room) : 0;
    }
}

/// Code of the step, which is its line's top, is about to be called. False: it's hidden.
bool showFor(Step& step) noexcept {
    for (Step* at = &step; at != nullptr && (at->flags & kShown) == 0; at = outOf(*at)) {
        if (hides(*at)) return false;
    }
    show(step);
    return true;
}

/// The innermost one that has been told; null: there is none.
Step* lastShown(Line& line) noexcept {
    Step* at = innermostOf(line);
    while (at != nullptr && (at->flags & kShown) == 0) at = outOf(*at);
    return at;
}

void tellTurn(Line& line) noexcept {
    if ((line.bits & kSeen) == 0) {
        line.bits |= kSeen;
        if (Step* const innermost = innermostOf(line)) show(*innermost);
    }
    if (isHidden(line)) return;
    observersAt(line).tell({.what = What::turn, .flow = *line.flow, .step = lastShown(line)});
}

/// The line's turn is over.
void tellWaits(Line& line) noexcept {
    if (line.queued() || line.top == nullptr || !isObserved(*line.flow)) return;
    Step* const innermost = innermostOf(line);
    if (innermost == nullptr) return;
    const OnStack onStack(*line.flow);
    show(*innermost);
    if (kindOf(*line.top).hasBranches) return;
    observersAt(line).tell(
        {.what = What::waits, .flow = *line.flow, .step = innermost, .line = &line});
}

/// The error that an observer has thrown, where it was told.
void reportThrown(const EventData& event) noexcept {
    if (event.step != nullptr) return report(event.flow, std::current_exception(), *event.step);
    Step root(StepKind::plain, nullptr, event.flow, nullptr);
    const ErrorRef error = toRecord(std::current_exception(), root);
    if (!isPrepared(*error.get())) error->crumbCount = 0;  // there is no step
    report(event.flow, error);
}

/// Every line of the flow.
template <class Visit>
void eachLine(Flow& flow, Visit visit) noexcept {
    Line* line = &flow;
    for (;;) {
        visit(*line);
        const bool hosts = line->top != nullptr && kindOf(*line->top).hasBranches;
        Branch* next = hosts ? branchesOf(*line->top).eldest : nullptr;
        while (next == nullptr && line->isBranch()) {
            auto& branch = static_cast<Branch&>(*line);
            next = branch.younger;
            line = branch.host->line;
        }
        if (next == nullptr) return;
        line = next;
    }
}

/// Nothing of it has been told yet.
void observe(Flow& flow) noexcept {
    flow.bits |= kObserved;
    eachLine(flow, [](Line& line) {
        line.bits &= ~std::uint32_t{kSeen};
        for (Step* step = line.top; step != nullptr; step = step->parent)
            step->flags &= static_cast<std::uint16_t>(~kShown);
    });
}

template <class Visit>
void eachFlow(ToolCore& core, Visit visit) noexcept {
    for (Live* live = core.flowsLive.first(); live != nullptr; live = core.flowsLive.next(*live))
        visit(static_cast<Flow&>(*live));
}

}  // namespace

void Observers::add(std::shared_ptr<Watch> watch) {
    const bool first = watches.empty();
    bodies = bodies || watch->options.bodies;
    watches.push_back(std::move(watch));
    if (!first) return;
    sequence = 0;
    eachFlow(core, observe);
    core.observed(true);
}

/// What an observer holds may call anything when it goes.
void Observers::dropOver() noexcept {
    const auto isOver = [](const auto& watch) { return watch->over.load(); };
    if (telling || std::none_of(watches.begin(), watches.end(), isOver)) return;
    for (;;) {
        const auto found = std::find_if(watches.begin(), watches.end(), isOver);
        if (found == watches.end()) break;
        const std::shared_ptr<Watch> gone = std::move(*found);
        watches.erase(found);
    }
    bodies = std::any_of(watches.begin(), watches.end(),
                         [](const auto& watch) { return watch->options.bodies; });
    if (!watches.empty()) return;
    kinds.clear();
    core.observed(false);
    eachFlow(core, [](Flow& flow) { flow.bits &= ~std::uint32_t{kObserved}; });
}

void Observers::stop() noexcept {
    for (const auto& watch : watches) watch->over = true;
    dropOver();
}

void Observers::begin(Flow& flow) noexcept {
    flow.bits |= kObserved | kSeen;
    if (!telling) return tell({.what = What::begun, .flow = flow});
    if (begins == nullptr) begins = &flow;
}

const char* Observers::note(Step& step, const char* kind) noexcept {
    const char* const own = callOf(step);
    if (kind == own) return own;
    try {
        kinds[&step] = kind;
        return kind;
    } catch (const std::bad_alloc&) {
        return own;
    }
}

const char* Observers::takeKind(Step& step) noexcept {
    const auto noted = kinds.find(&step);
    if (noted == kinds.end()) return callOf(step);
    const char* const kind = noted->second;
    kinds.erase(noted);
    return kind;
}

void Observers::callOne(Watch& watch, const EventData& event) noexcept {
    try {
        watch.tell(FlowEvent(event));
    } catch (...) {
        reportThrown(event);
    }
}

void Observers::call(EventData& event) noexcept {
    event.sequence = ++sequence;
    const bool isBody = event.what == What::body || event.what == What::returned;
    const std::size_t count = watches.size();  // who begins to observe now isn't told of this
    for (std::size_t i = 0; i < count; ++i) {
        Watch& watch = *watches[i];
        if (!watch.over && (watch.options.bodies || !isBody)) callOne(watch, event);
    }
}

/// What the observers cancel waits for the end of the closing or turn that runs; the flow itself
/// has code on the native stack. A flow that they execute is told behind.
void Observers::tell(EventData event) noexcept {
    EngineShare& share = event.flow.share();
    {
        const OnStack onStack(event.flow);
        ++share.closings;
        telling = true;
        call(event);
        while (begins != nullptr) {
            Flow& flow = static_cast<Flow&>(*begins);
            begins = core.flowsLive.next(flow);
            const OnStack begun(flow);
            EventData next{.what = What::begun, .flow = flow};
            call(next);
        }
        telling = false;
        --share.closings;
        dropOver();
        if (event.what == What::ended) event.flow.bits &= ~std::uint32_t{kCancelLatch};  // too late
    }
    if (turn == nullptr && share.closings == 0) performCancels(share);
}

void EngineShare::dropObservers() noexcept {
    if (observers != nullptr) observers->stop();
}

void DropObservers::operator()(Observers* observers) const noexcept {
    delete observers;
}

void EngineShare::queued(RunNode& node) noexcept {
    if (node.run == &startNext<QuietTurn>) {
        node.run = &startNext<ObservedTurn>;
        return;
    }
    const bool isTurn = node.run == &turn || node.run == &observedTurn ||
                        node.run == &ownedTurn<kOwned> || node.run == &ownedTurn<kRuns>;
    if (observeItems(node) || !isTurn) return;
    auto& line = static_cast<Line&>(node);
    line.run = &observedTurn;
    const bool begins = !line.isBranch() && !isObserved(*line.flow);
    if (begins && !line.flow->cancelled()) observers->begin(*line.flow);
}

// ---- turns

ObservedTurn::ObservedTurn(EngineShare& share) noexcept
    : share_(share), outer_(share.observers != nullptr ? share.observers->turn : nullptr) {
    if (share.observers != nullptr) share.observers->turn = this;
}

bool ObservedTurn::run(Line& line) noexcept {
    line_ = &line;
    if (isObserved(*line.flow)) tellTurn(line);
    resume(line);
    return false;
}

void ObservedTurn::runInside(Line& line) noexcept {
    ObservedTurn* const turn = isObserved(*line.flow) ? observersAt(line).turn : nullptr;
    if (turn != nullptr && turn->line_ == nullptr) {
        turn->run(line);
    } else {
        resume(line);
    }
}

ObservedTurn::~ObservedTurn() {
    if (share_.observers == nullptr) return;
    if (line_ != nullptr) tellWaits(*line_);
    share_.observers->turn = outer_;
    if (outer_ == nullptr && share_.closings == 0) performCancels(share_);
}

void ObservedTurn::left(ObservedTurn* innermost, const Line& line) noexcept {
    for (ObservedTurn* at = innermost; at != nullptr; at = at->outer_) {
        if (at->line_ == &line) at->line_ = nullptr;
    }
}

void endObserved(Line& line) noexcept {
    ObservedTurn::left(observersAt(line).turn, line);
}

void observedTurn(RunNode* node) noexcept {
    auto& line = static_cast<Line&>(*node);
    node->run = &turn;
    ObservedTurn turn(*line.flow);
    const OnStack onStack(*line.flow);
    turn.run(line);
}

// ---- what the engine calls

void tellBody(Line& line, Step& step) noexcept {
    if (!showFor(step)) return;
    Observers& observers = observersAt(line);
    if (!observers.bodies) return;
    observers.called = &step;
    observers.tell({.what = What::body, .flow = *line.flow, .step = &step});
}

/// kCloses: so the body isn't left in passing.
void tellReturned(Line& line, Step& step) noexcept {
    line.marks |= kCloses;
    Observers& observers = observersAt(line);
    if (observers.called != &step) return;
    observers.called = nullptr;
    observers.tell({.what = What::returned, .flow = *line.flow, .step = &step});
}

void callObserved(Line& line, Step& step) noexcept {
    Observers& observers = observersAt(line);
    Step* const outer = observers.called;
    tellBody(line, step);
    enterBody(step, closureOf(step), nullptr);
    tellReturned(line, step);
    observers.called = outer;
}

void tellHandler(Line& line, Step& step, const ErrorData& error) noexcept {
    if (!showFor(step)) return;
    observersAt(line).tell(
        {.what = What::handler, .flow = *line.flow, .step = &step, .code = error.code});
}

void tellCancel(Step& step) noexcept {
    if (!showFor(step)) return;
    observersAt(*step.line).tell({.what = What::cancel, .flow = *step.line->flow, .step = &step});
}

const char* shownKindOf(Step& step) noexcept {
    if ((step.flags & kShown) == 0 || !isObserved(*step.line->flow)) return nullptr;
    return observersAt(*step.line).takeKind(step);
}

void tellClosed(Step& step, const Why& why, const char* kind) noexcept {
    Flow& flow = *step.line->flow;
    EventData event{.what = What::closed, .flow = flow, .step = &step, .kind = kind};
    event.outcome = why.how == Why::ok ? "ok" : why.how == Why::failed ? "error" : "left";
    if (why.how == Why::failed && why.error != nullptr) event.code = why.error->code;
    observersAt(flow).tell(event);
}

void tellAround(Line& line) noexcept {
    if (!isObserved(*line.flow)) return;
    for (Step* at = line.top; at != nullptr && at->next == nullptr; at = at->parent) {
        const auto endsInside = kindOf(*at).endsInside;
        if (endsInside == nullptr || at->phase != Phase::inner || !endsInside(*at)) return;
        const char* const kind = shownKindOf(*at);
        if (kind == nullptr) continue;
        at->flags &= static_cast<std::uint16_t>(~kShown);
        tellClosed(*at, kClosedOk, kind);
    }
}

void tellEnded(Flow& flow, OutcomeKind kind, const ErrorData* error) noexcept {
    endObserved(flow);
    EventData event{.what = What::ended, .flow = flow};
    event.outcome = kind == OutcomeKind::ok      ? "ok"
                    : kind == OutcomeKind::error ? "error"
                                                 : "cancelled";
    if (kind == OutcomeKind::error) event.code = error->code;
    observersAt(flow).tell(event);
}

}  // namespace detail

// ---- FlowEvent

namespace {

constexpr std::array<std::string_view, 10> kNames{
    "begun", "turn", "opened", "body", "returned", "handler", "cancel", "closed", "waits", "ended"};

}  // namespace

std::string_view FlowEvent::what() const noexcept {
    return kNames[static_cast<std::size_t>(data_.what)];
}

std::int64_t FlowEvent::time() const noexcept {
    return data_.flow.tool->now();
}

std::uint64_t FlowEvent::sequence() const noexcept {
    return data_.sequence;
}

std::uint64_t FlowEvent::flowId() const {
    return detail::idOf(data_.flow);
}

std::string_view FlowEvent::flowName() const noexcept {
    const detail::FlowExtras* const extras = data_.flow.flowExtras();
    if (extras == nullptr || extras->options == nullptr) return {};
    return extras->options->name;
}

std::string FlowEvent::path() const {
    return data_.step != nullptr ? detail::pathOf(*data_.step) : std::string();
}

std::string FlowEvent::element() const {
    return data_.step != nullptr ? detail::elementOf(detail::shown(*data_.step)) : std::string();
}

std::string_view FlowEvent::kind() const noexcept {
    return data_.kind;
}

std::string_view FlowEvent::outcome() const noexcept {
    return data_.outcome;
}

std::string_view FlowEvent::code() const noexcept {
    return data_.code;
}

std::optional<WaitSnapshot> FlowEvent::waits() const {
    if (data_.line == nullptr) return std::nullopt;
    return detail::FlowLook(data_.line->core()).waitIn(*data_.line);
}

// ---- Observation

Observation::Observation(std::shared_ptr<detail::Watch> watch) noexcept
    : watch_(std::move(watch)) {}
Observation::Observation(Observation&& other) noexcept = default;
Observation& Observation::operator=(Observation&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    watch_ = std::move(other.watch_);
    return *this;
}
Observation::~Observation() {
    cancel();
}

void Observation::cancel() noexcept {
    if (watch_ == nullptr) return;
    const std::shared_ptr<detail::Watch> watch = std::move(watch_);
    if (watch->over.exchange(true)) return;
    detail::ToolCore& core = *watch->core;
    if (core.onOwnThread() && core.alive()) core.engine.observers->dropOver();
}

bool Observation::valid() const noexcept {
    return watch_ != nullptr && !watch_->over;
}

Observation Tool::observe(detail::Function<void(const FlowEvent&)> observer) {
    return observe(std::move(observer), {});
}

Observation Tool::observe(detail::Function<void(const FlowEvent&)> observer,
                          const ObserveOptions& options) {
    detail::checkThread(*core_, "observe");
    if (!observer) detail::misuse("observe: expected an observer, got an empty one");
    auto watch = std::make_shared<detail::Watch>();
    watch->tell = std::move(observer);
    watch->options = options;
    watch->core = detail::CoreRef(*core_);
    auto& observers = core_->engine.observers;
    if (observers == nullptr) observers.reset(new detail::Observers(*core_));
    observers->add(watch);
    return Observation(std::move(watch));
}

}  // namespace steptree
