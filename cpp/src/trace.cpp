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

const char* colourOf(const std::string& word) {
    if (word == "guard") return "terrible";
    if (word == "send" || word == "receive") return "yellow";
    if (word == "timer") return "grey";
    return word == "stop" ? "bad" : "thread_state_iowait";
}

struct Track;

/// A slice, or an instant.
struct Entry {
    static constexpr std::int64_t kOpen = -1;

    std::string name;
    std::string category;
    std::int64_t begin;  // in microseconds
    Json args;
    const char* colour = nullptr;  // null: it has none
    Track* track = nullptr;
    std::int64_t end = kOpen;
    bool isInstant = false;
};

/// Slices that are inside of each other.
struct Track {
    std::vector<Entry*> open{};  // the innermost last
    std::size_t number = 0;      // in the trace
};

struct OfFlow {
    std::string title;
    std::deque<Track> tracks;
    Entry* slice = nullptr;  // null: it doesn't run
};

/// What a wait is called, without the number behind: else those that are alike had many names.
struct WaitName {
    explicit WaitName(const std::string& text) : word(text.substr(0, text.find(' '))), name(text) {
        const std::size_t space = text.rfind(' ');
        if (space == std::string::npos) return;
        const std::string last = text.substr(space + 1);
        const bool isNumber = last.find_first_not_of("0123456789") == std::string::npos;
        if (!isNumber && last != "Infinity") return;
        name.resize(space);
        if (isNumber) args.raw(word == "timer" ? "ms" : "place", last);
    }

    std::string word;
    std::string name;
    Json args{};
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
            flow.tracks.emplace_back();
            order_.push_back(&flow);
        }
        return flow;
    }

    Entry* stepOf(std::uint64_t step) {
        const auto found = steps_.find(step);
        return found != steps_.end() ? found->second : nullptr;
    }

    /// Behind that slice if it's the innermost there, else where nothing is open.
    static Track& trackFor(OfFlow& flow, const Entry* around) {
        if (around != nullptr && around->track->open.back() == around) return *around->track;
        for (Track& track : flow.tracks)
            if (track.open.empty()) return track;
        return flow.tracks.emplace_back();
    }

    Entry& add(Entry&& entry, Track& track) {
        Entry& added = entries_.emplace_back(std::move(entry));
        added.track = &track;
        return added;
    }

    Entry& begin(OfFlow& flow, const Entry* around, Entry&& slice) {
        Entry& begun = add(std::move(slice), trackFor(flow, around));
        begun.track->open.push_back(&begun);
        return begun;
    }

    /// It's the innermost one on its track.
    Json& end(Entry& slice) {
        slice.track->open.pop_back();
        slice.end = time_;
        return slice.args;
    }

    void endWith(Entry* slice, const RecordedEvent& event) {
        if (slice == nullptr) return;
        Json& args = end(*slice).text("outcome", event.outcome);
        if (!event.code.empty()) args.text("code", event.code);
    }

    void beginFlow(const ReadEvent& event) {
        OfFlow& flow = flowOf(event);
        const std::string& name = event.flow.name;
        const std::string id = std::to_string(event.flow.id);
        flow.slice =
            &begin(flow, nullptr,
                   {name.empty() ? "flow " + id : name, "flow", time_, Json().raw("flow", id)});
    }

    void beginStep(const ReadEvent& event) {
        OfFlow& flow = flowOf(event);
        const Entry* const parent = stepOf(event.parent);
        steps_[event.step] = &begin(flow, parent != nullptr ? parent : flow.slice,
                                    {event.elementOfStep + ' ' + event.kindOfStep, "step", time_,
                                     Json().text("path", event.path)});
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
                return endWith(std::exchange(flowOf(event).slice, nullptr), event);
            case What::opened:
                return beginStep(event);
            case What::closed:
                endWith(stepOf(event.step), event);
                steps_.erase(event.step);
                return;
            case What::waits:
                waits_[event.step] = &beginWait(event);
                return;
            case What::body:
                bodies_.emplace_back(
                    &event, &begin(flowOf(event), stepOf(event.step), {"body", "body", time_, {}}));
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

    Entry& beginWait(const ReadEvent& event) {
        WaitName wait(event.waits);
        return begin(flowOf(event), stepOf(event.step),
                     {"waits " + wait.name, "wait," + wait.word, time_, std::move(wait.args),
                      colourOf(wait.word)});
    }

    void endWait(std::uint64_t step) {
        const auto wait = waits_.find(step);
        if (wait == waits_.end()) return;
        end(*wait->second);
        waits_.erase(wait);
    }

    /// A body may be called within another one: of another flow. Its beginning may be forgotten.
    void endBody(const ReadEvent& event) {
        if (bodies_.empty() || bodies_.back().first->step != event.step) return;
        const auto [called, slice] = bodies_.back();
        bodies_.pop_back();
        const double micros = std::floor((*event.clock - *called->clock) * 1000 + 0.5);
        end(*slice).number("us", static_cast<std::int64_t>(micros));
    }

    void endAll() {
        for (Entry& entry : entries_) {
            if (entry.isInstant || entry.end != Entry::kOpen) continue;
            entry.end = time_;
            entry.args.raw("open", "true");
        }
    }

    void instant(const ReadEvent& event, std::string name, const char* category) {
        Entry& entry = add({std::move(name), category, time_, Json().text("path", event.path)},
                           *stepOf(event.step)->track);
        entry.isInstant = true;
    }

    // ---- text

    static std::string textOf(const Entry& entry) {
        Json text;
        text.text("name", entry.name).text("cat", entry.category);
        text.text("ph", entry.isInstant ? "i" : "X").number("ts", entry.begin);
        if (!entry.isInstant) text.number("dur", entry.end - entry.begin);
        text.number("pid", 1).number("tid", static_cast<std::int64_t>(entry.track->number));
        if (entry.isInstant) text.text("s", "t");
        if (entry.colour != nullptr) text.text("cname", entry.colour);
        return text.raw("args", entry.args.end()).end();
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
        for (const Entry& entry : entries_) add(textOf(entry));
        return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + text + "]}";
    }

    const std::vector<ReadEvent>& events_;
    const std::int64_t until_;
    std::int64_t time_ = 0;
    std::unordered_map<std::uint64_t, OfFlow> flows_;  // by their numbers
    std::vector<OfFlow*> order_;
    std::unordered_map<std::uint64_t, Entry*> steps_;  // those that are open
    std::unordered_map<std::uint64_t, Entry*> waits_;  // by their steps
    std::vector<std::pair<const ReadEvent*, Entry*>> bodies_;
    std::deque<Entry> entries_;
};

}  // namespace

std::string traceOf(const std::vector<ReadEvent>& events, std::int64_t until) {
    return Trace(events, until).text();
}

}  // namespace steptree::detail
