#include "trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "waittext.hpp"

/// What a recorder has, for viewers of traces. What is open from one event to another is a slice;
/// those of one track are nested, so a flow has as many tracks as it takes.
namespace steptree::detail {

namespace {

std::string textOf(const std::string& text) {
    return text.empty() ? "\"\"" : quoted(text).substr(1);
}

/// The text of a JSON object, key by key.
class Json {
  public:
    Json& text(const char* key, const std::string& value) { return raw(key, textOf(value)); }
    Json& number(const char* key, std::int64_t value) { return raw(key, std::to_string(value)); }
    Json& raw(const char* key, const std::string& value) {
        text_ += (text_.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value;
        return *this;
    }
    std::string end() const { return '{' + text_ + '}'; }

  private:
    std::string text_;
};

std::string titleOf(const RecordedEvent& event) {
    return "flow " + std::to_string(event.flow.id) + quoted(event.flow.name);
}

std::string argsAtEnd(const RecordedEvent& event) {
    Json args;
    args.text("outcome", event.outcome);
    if (!event.code.empty()) args.text("code", event.code);
    return args.end();
}

const char* colourOf(const std::string& word) {
    if (word == "guard") return "terrible";
    if (word == "send" || word == "receive") return "yellow";
    if (word == "timer") return "grey";
    return word == "stop" ? "bad" : "thread_state_iowait";
}

struct Track;

struct Slice {
    std::string name;
    std::string category;
    Track* track = nullptr;
    std::size_t number = 0;  // in the order in which they began
};

struct OfFlow;

/// Slices that are inside of each other.
struct Track {
    OfFlow* flow;
    std::vector<Slice*> open{};  // the innermost last
    std::size_t number = 0;      // in the trace
};

struct OfFlow {
    std::string title;
    std::deque<Track> tracks;
    Slice* slice = nullptr;  // null: it doesn't run
};

struct Mark {
    std::string text;  // of what stands before and behind its track's number
    Track* track;
    std::string rest;
};

class Trace {
  public:
    Trace(const std::vector<ReadEvent>& events, std::int64_t until)
        : events_(events), until_(until) {}

    std::string text() {
        if (!events_.empty()) {
            time_ = events_.front().time * kMicros;
            begin();
            time_ -= 1;
            for (const ReadEvent& event : events_) add(event);
            time_ = std::max(time_, until_ * kMicros);
            endAll();
        }
        return json();
    }

  private:
    static constexpr std::int64_t kMicros = 1000;

    // ---- what is open

    OfFlow& flowOf(const ReadEvent& event) {
        const auto [place, isNew] = flows_.try_emplace(event.flow.id);
        OfFlow& flow = place->second;
        if (isNew) {
            flow.title = titleOf(event);
            flow.tracks.push_back({&flow});
            order_.push_back(&flow);
        }
        return flow;
    }

    Slice* stepOf(std::uint64_t step) {
        const auto found = steps_.find(step);
        return found != steps_.end() ? found->second : nullptr;
    }

    /// Behind that slice if it's the innermost there, else where nothing is open.
    static Track& trackFor(OfFlow& flow, const Slice* around) {
        if (around != nullptr && around->track->open.back() == around) return *around->track;
        for (Track& track : flow.tracks)
            if (track.open.empty()) return track;
        flow.tracks.push_back({&flow});
        return flow.tracks.back();
    }

    Slice& begin(OfFlow& flow, const Slice* around, std::string name, std::string category,
                 const std::string& args, const char* colour = nullptr) {
        Slice& slice = slices_.emplace_back();
        slice.name = std::move(name);
        slice.category = std::move(category);
        slice.track = &trackFor(flow, around);
        slice.number = slices_.size();
        slice.track->open.push_back(&slice);
        mark(slice, "B", args, colour);
        return slice;
    }

    /// Null: nothing.
    void end(Slice* slice, const std::string& args) {
        if (slice == nullptr) return;
        slice->track->open.pop_back();
        mark(*slice, "E", args);
    }

    void beginFlow(const ReadEvent& event) {
        OfFlow& flow = flowOf(event);
        const std::string& name = event.flow.name;
        const std::string id = std::to_string(event.flow.id);
        flow.slice = &begin(flow, nullptr, name.empty() ? "flow " + id : name, "flow",
                            Json().raw("flow", id).end());
    }

    void beginStep(const ReadEvent& event) {
        OfFlow& flow = flowOf(event);
        const Slice* const parent = stepOf(event.parent);
        std::string name = event.elementOfStep + ' ' + event.kindOfStep;
        steps_[event.step] = &begin(flow, parent != nullptr ? parent : flow.slice, std::move(name),
                                    "step", Json().text("path", event.path).end());
    }

    // ---- events

    /// What is open before the first of them: nothing says when it has begun.
    void begin() {
        std::unordered_set<std::uint64_t> flows;
        std::vector<const ReadEvent*> first;  // of steps
        std::unordered_map<std::uint64_t, const ReadEvent*> open;
        std::unordered_set<std::uint64_t> known;
        for (const ReadEvent& event : events_) {
            if (flows.insert(event.flow.id).second && event.is != What::begun) beginFlow(event);
            if (event.step == 0 || !known.insert(event.step).second) continue;
            if (event.is == What::opened) continue;
            first.push_back(&event);
            open[event.step] = &event;
        }
        for (const ReadEvent* event : first) beginAround(*event, open);
    }

    /// Each behind the one that is around it.
    void beginAround(const ReadEvent& inner,
                     std::unordered_map<std::uint64_t, const ReadEvent*>& open) {
        std::vector<const ReadEvent*> way;
        for (auto at = open.find(inner.step); at != open.end();) {
            const ReadEvent* const event = at->second;
            way.push_back(event);
            open.erase(at);
            at = open.find(event->parent);
        }
        while (!way.empty()) {
            beginStep(*way.back());
            way.pop_back();
        }
    }

    void add(const ReadEvent& event) {
        time_ = std::max(event.time * kMicros, time_ + 1);
        endWait(event.step);
        switch (event.is) {
            case What::begun:
                return beginFlow(event);
            case What::ended:
                return end(std::exchange(flowOf(event).slice, nullptr), argsAtEnd(event));
            case What::opened:
                return beginStep(event);
            case What::closed:
                end(stepOf(event.step), argsAtEnd(event));
                steps_.erase(event.step);
                return;
            case What::waits:
                waits_[event.step] = &beginWait(event);
                return;
            case What::body:
                bodies_.emplace_back(
                    &event, &begin(flowOf(event), stepOf(event.step), "body", "body", "{}"));
                return;
            case What::returned:
                return endBody(event);
            case What::handler:
                return instant(event, "handler " + event.code, "handler");
            case What::cancel:
                return instant(event, "cancel", "cancel");
            case What::turn:
                return;
        }
    }

    Slice& beginWait(const ReadEvent& event) {
        const std::string word = event.waits.substr(0, event.waits.find(' '));
        return begin(flowOf(event), stepOf(event.step), "waits " + event.waits, "wait," + word,
                     "{}", colourOf(word));
    }

    void endWait(std::uint64_t step) {
        const auto wait = waits_.find(step);
        if (wait == waits_.end()) return;
        end(wait->second, "{}");
        waits_.erase(wait);
    }

    /// A body may be called within another one: of another flow. Its beginning may be forgotten.
    void endBody(const ReadEvent& event) {
        if (bodies_.empty() || bodies_.back().first->step != event.step) return;
        const auto [called, slice] = bodies_.back();
        bodies_.pop_back();
        const double micros = std::floor((*event.clock - *called->clock) * 1000 + 0.5);
        end(slice, Json().number("us", static_cast<std::int64_t>(micros)).end());
    }

    void endAll() {
        std::vector<Slice*> open;
        for (const OfFlow* flow : order_)
            for (const Track& track : flow->tracks)
                open.insert(open.end(), track.open.begin(), track.open.end());
        std::sort(open.begin(), open.end(),
                  [](const Slice* a, const Slice* b) { return a->number > b->number; });
        for (Slice* slice : open) end(slice, "{\"open\":true}");
    }

    // ---- text

    static std::string headOf(const std::string& name, const std::string& category,
                              const char* phase, std::int64_t time) {
        return Json()
            .text("name", name)
            .text("cat", category)
            .text("ph", phase)
            .number("ts", time)
            .number("pid", 1)
            .end();
    }

    void mark(const Slice& slice, const char* phase, const std::string& args,
              const char* colour = nullptr) {
        Json rest;
        if (colour != nullptr) rest.text("cname", colour);
        rest.raw("args", args);
        marks_.push_back(
            {headOf(slice.name, slice.category, phase, time_), slice.track, rest.end()});
    }

    void instant(const ReadEvent& event, const std::string& name, const char* category) {
        const std::string args = Json().text("path", event.path).end();
        marks_.push_back({headOf(name, category, "i", time_), stepOf(event.step)->track,
                          Json().text("s", "t").raw("args", args).end()});
    }

    std::string json() {
        std::string text;
        std::size_t number = 0;
        const auto add = [&text](const std::string& event) {
            text += (text.empty() ? "" : ",") + event;
        };
        for (OfFlow* flow : order_) {
            for (std::size_t i = 0; i < flow->tracks.size(); ++i) {
                flow->tracks[i].number = ++number;
                const std::string name = flow->title + (i > 0 ? " +" + std::to_string(i) : "");
                add(Json()
                        .text("name", "thread_name")
                        .text("ph", "M")
                        .number("pid", 1)
                        .number("tid", static_cast<std::int64_t>(number))
                        .raw("args", Json().text("name", name).end())
                        .end());
            }
        }
        for (const Mark& mark : marks_) {
            add(mark.text.substr(0, mark.text.size() - 1) +
                ",\"tid\":" + std::to_string(mark.track->number) + ',' + mark.rest.substr(1));
        }
        return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + text + "]}";
    }

    const std::vector<ReadEvent>& events_;
    const std::int64_t until_;
    std::int64_t time_ = 0;
    std::unordered_map<std::uint64_t, OfFlow> flows_;  // by their numbers
    std::vector<OfFlow*> order_;
    std::unordered_map<std::uint64_t, Slice*> steps_;  // those that are open
    std::unordered_map<std::uint64_t, Slice*> waits_;  // by their steps
    std::vector<std::pair<const ReadEvent*, Slice*>> bodies_;
    std::deque<Slice> slices_;
    std::vector<Mark> marks_;
};

}  // namespace

std::string traceOf(const std::vector<ReadEvent>& events, std::int64_t until) {
    return Trace(events, until).text();
}

}  // namespace steptree::detail
