#include "steptree/jobqueue.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "jobfailure.hpp"
#include "jobs.hpp"
#include "misuse.hpp"
#include "newid.hpp"
#include "redisoptions.hpp"
#include "steptree/detail/checknumber.hpp"

namespace steptree {

namespace {

using detail::redis::ask;
using detail::redis::checkPayload;
using detail::redis::checkWhole;
using detail::redis::jobFailuresIn;
using detail::redis::kMostBytes;
using detail::redis::kMostWhole;
using detail::redis::Reply;
using detail::redis::Words;

JobQueueOptions checked(JobQueueOptions options) {
    checkWhole("JobQueue: limit", options.limit, 1, kMostWhole);
    checkWhole("JobQueue: deadLetters", options.deadLetters, 0, kMostWhole);
    checkWhole("JobQueue: maxBytes", options.maxBytes, 1, kMostBytes);
    checkWhole("JobQueue: maxDepth", options.maxDepth, 0, 10'000);
    return options;
}

std::string wholeMs(const char* what, Milliseconds time) {
    const double ms = time.count();
    if (!(ms >= 0 && ms <= 1e13)) {
        detail::misuse(std::string("enqueue: ") + what + ": expected milliseconds, from 0 to 1e13");
    }
    return std::to_string(static_cast<std::int64_t>(std::ceil(ms)));
}

Words wordsOf(const std::string& payload, const EnqueueOptions& options,
              const JobQueueOptions& limits) {
    checkWhole("enqueue: version", options.version, 0, kMostWhole);
    const bool isLimited = options.deadline.count() < std::numeric_limits<double>::infinity();
    return {payload,
            options.key,
            options.unique,
            wholeMs("uniqueFor", options.uniqueFor),
            wholeMs("delay", options.delay),
            isLimited ? wholeMs("deadline", options.deadline) : "",
            std::to_string(options.version),
            std::to_string(limits.limit)};
}

/// Leaves the job's id.
void add(IAsyncSteps& asi, const JobQueue& queue, const std::string& id, Words words) {
    words.insert(words.begin(), id);
    JobQueue::Access::script(asi, queue, "jobs/enqueue", std::move(words));
    asi.add([&queue](IAsyncSteps&, const Reply& found) {
        if (!found.text.empty()) return found.text;
        throw StepError(errors::DefenseRejected,
                        "queue \"" + queue.name() +
                            "\": " + std::to_string(JobQueue::Access::limits(queue).limit) +
                            " jobs are in it");
    });
}

/// The fields of an entry of a stream.
class Fields {
  public:
    explicit Fields(const Reply& entry) : list_(entry.list.at(1).list) {}

    std::string text(const char* name) const {
        for (std::size_t i = 0; i + 1 < list_.size(); i += 2) {
            if (list_[i].text == name) return list_[i + 1].text;
        }
        return {};
    }
    std::int64_t number(const char* name) const noexcept {
        return std::strtoll(text(name).c_str(), nullptr, 10);
    }

  private:
    const std::vector<Reply>& list_;
};

DeadLetter deadLetterOf(const Reply& entry) {
    const Fields of(entry);
    DeadLetter letter{.entry = entry.list.at(0).text,
                      .id = of.text("id"),
                      .text = {},
                      .key = of.text("key"),
                      .version = of.number("version"),
                      .attempts = of.number("attempts"),
                      .losses = of.number("losses"),
                      .code = of.text("code"),
                      .info = of.text("info"),
                      .path = of.text("path"),
                      .causes = jobFailuresIn(of.text("causes")),
                      .enqueued = of.number("at"),
                      .died = of.number("died")};
    if (of.text("whole") == "1") letter.text = of.text("payload");
    return letter;
}

/// Takes a number off the front; false: there is none, or it's too large.
bool takesNumber(std::string_view& text) noexcept {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// Whether Redis takes it for one: of anything else it gives an error, or several.
bool isEntry(std::string_view text) noexcept {
    if (!takesNumber(text) || !text.starts_with('-')) return false;
    text.remove_prefix(1);
    return takesNumber(text) && text.empty();
}

std::int64_t numberIn(const Reply& list, std::size_t place) {
    return place < list.list.size() ? list.list[place].number : 0;
}

}  // namespace

JobQueue::JobQueue(RedisConnection& connection, std::string name, JobQueueOptions options)
    : connection_(connection),
      name_(std::move(name)),
      limits_(checked(options)),
      base_(RedisConnection::Access::key(connection, "jobs", name_, "JobQueue")) {}

Step<AnyValues, Values<std::string>> enqueue(JobQueue& queue, std::string payload,
                                             EnqueueOptions options) {
    const JobQueueOptions& limits = JobQueue::Access::limits(queue);
    checkPayload("enqueue", payload, limits.maxBytes, limits.maxDepth);
    Words words = wordsOf(payload, options, limits);
    return step([&queue, words = std::move(words)](IAsyncSteps& asi) -> Values<std::string> {
        add(asi, queue, detail::redis::newId(), words);
        return {};
    });
}

Step<AnyValues, Values<std::vector<DeadLetter>>> JobQueue::dead(std::int64_t count) {
    checkWhole("dead", count, 1, kMostWhole);
    return step([this, count](IAsyncSteps& asi) -> Values<std::vector<DeadLetter>> {
        ask(asi, connection_,
            {"XREVRANGE", base_ + ":dead", "+", "-", "COUNT", std::to_string(count)});
        asi.add([](IAsyncSteps&, const Reply& found) {
            std::vector<DeadLetter> letters;
            for (const Reply& entry : found.list) letters.push_back(deadLetterOf(entry));
            return letters;
        });
        return {};
    });
}

Step<AnyValues, Values<bool>> JobQueue::revive(std::string entry) {
    return step([this, entry = std::move(entry)](IAsyncSteps& asi) -> Values<bool> {
        if (!isEntry(entry)) {
            asi.add([](IAsyncSteps&) { return false; });
            return {};
        }
        ask(asi, connection_, {"XRANGE", base_ + ":dead", entry, entry});
        asi.add([this, entry](IAsyncSteps& reviving, const Reply& found) {
            if (found.list.empty()) return reviving.success(false);
            const DeadLetter letter = deadLetterOf(found.list[0]);
            if (!letter.text) detail::misuse("revive: the payload was not kept");
            const EnqueueOptions options{.key = letter.key, .version = letter.version};
            add(reviving, *this, letter.id, wordsOf(*letter.text, options, limits_));
            ask(reviving, connection_, {"XDEL", base_ + ":dead", entry});
            reviving.add([](IAsyncSteps&) { return true; });
        });
        return {};
    });
}

Step<AnyValues, Values<bool>> JobQueue::discard(std::string entry) {
    return step([this, entry = std::move(entry)](IAsyncSteps& asi) -> Values<bool> {
        if (!isEntry(entry)) {
            asi.add([](IAsyncSteps&) { return false; });
            return {};
        }
        ask(asi, connection_, {"XDEL", base_ + ":dead", entry});
        asi.add([](IAsyncSteps&, const Reply& found) { return found.number == 1; });
        return {};
    });
}

Step<AnyValues, Values<bool>> JobQueue::remove(std::string id) {
    return step([this, id = std::move(id)](IAsyncSteps& asi) -> Values<bool> {
        JobQueue::Access::script(asi, *this, "jobs/remove", {id});
        asi.add([](IAsyncSteps&, const Reply& found) { return found.number == 1; });
        return {};
    });
}

Step<AnyValues, Values<JobLook>> JobQueue::look(std::string id) {
    return step([this, id = std::move(id)](IAsyncSteps& asi) -> Values<JobLook> {
        JobQueue::Access::script(asi, *this, "jobs/look", {id});
        asi.add([](IAsyncSteps&, const Reply& found) {
            if (found.list.size() < 4) return JobLook{};
            return JobLook{found.list[0].text, numberIn(found, 1), numberIn(found, 2),
                           found.list[3].text};
        });
        return {};
    });
}

Step<AnyValues, Values<JobCounts>> JobQueue::counts() {
    return step([this](IAsyncSteps& asi) -> Values<JobCounts> {
        JobQueue::Access::script(asi, *this, "jobs/counts", {});
        asi.add([](IAsyncSteps&, const Reply& found) {
            return JobCounts{numberIn(found, 0), numberIn(found, 1), numberIn(found, 2),
                             numberIn(found, 3)};
        });
        return {};
    });
}

}  // namespace steptree
