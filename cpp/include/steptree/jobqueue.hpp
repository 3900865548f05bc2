#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/redis.hpp"
#include "steptree/retry.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// `JobQueue(shop, "letters", {.limit = 10'000})`. Those who enqueue and those who work give the
/// same ones.
struct JobQueueOptions {
    std::int64_t limit = 1'000'000;     ///< jobs it may hold, those that run included; at least 1
    std::int64_t deadLetters = 10'000;  ///< how many are kept: the newest; at least 0
    std::int64_t maxBytes = 1'048'576;  ///< of a payload, 1 to 512 MiB
    std::int64_t maxDepth = 64;         ///< of arrays and objects in each other, 0 to 10,000
};

/// `enqueue(letters, text, {.key = "ann", .delay = 1min})`.
struct EnqueueOptions {
    /// Jobs of one key run one after the other, in the order in which they were enqueued.
    std::string key{};
    /// An idempotency key: while a job of this one is in the queue, and `uniqueFor` after that, no
    /// other is added.
    std::string unique{};
    Milliseconds uniqueFor = 3'600'000;  ///< how long it's kept once the job has ended: an hour
    Milliseconds delay = 0;              ///< until the job may begin
    /// Until it has to be done: else it's a dead letter. Infinity: none.
    Milliseconds deadline = std::numeric_limits<double>::infinity();
    std::int64_t version = 0;  ///< of the payload's schema: workers that know only older ones pass
};

/// An error of an attempt, or one that it was caused by.
struct JobFailure {
    std::int64_t attempt = 0;  ///< of which, from 1
    std::string code{};
    std::string info{};
    std::string path{};  ///< of the step that has raised it: '' if it's not known
};

/// A job that has failed for good.
struct DeadLetter {
    std::string entry{};                ///< its place among the dead letters
    std::string id{};                   ///< of the job
    std::optional<std::string> text{};  ///< the payload as it was written; none: it was too large
    std::string key{};                  ///< the order key, '': none
    std::int64_t version = 0;
    std::int64_t attempts = 0;  ///< how many have failed
    std::int64_t losses = 0;    ///< how often its worker was lost
    /// Of the last error; `InvalidJob`: it was none of these; `LeaseLost`: too many of its workers
    /// were lost; `Timeout`: its deadline has passed.
    std::string code{};
    std::string info{};
    std::string path{};                ///< of the step that has raised the last error
    std::vector<JobFailure> causes{};  ///< the oldest first, the last one included
    std::int64_t enqueued = 0;         ///< milliseconds of the server's clock since 1970
    std::int64_t died = 0;             ///< the same
};

/// How a job stands.
struct JobLook {
    std::string state{};  ///< `waits` for its turn, is `due` later, or `runs`; '': there's none
    std::int64_t attempts = 0;  ///< that have failed
    std::int64_t losses = 0;    ///< how often its worker was lost
    std::string progress{};     ///< JSON, as its handler has said it last; '': nothing
};

/// How many jobs there are.
struct JobCounts {
    std::int64_t jobs = 0;  ///< in all, without dead letters
    std::int64_t due = 0;   ///< which wait for their time
    std::int64_t run = 0;
    std::int64_t dead = 0;
};

/// A queue of jobs in Redis, which survive the processes that enqueue them and those that work on
/// them. Any number of processes, in C++ and JavaScript, have one of the same name. It does nothing
/// by itself. Any thread; has to outlive the flows that use it. Guide: docs/jobs.md
///
///     JobQueue letters(shop, "letters");
///     const std::string id = run(tool, enqueue(letters, R"({"to": "ann"})")).get();
class STEPTREE_VISIBLE JobQueue {
  public:
    /// A bad name or option: InternalError. `connection` has to outlive it.
    JobQueue(RedisConnection& connection, std::string name, JobQueueOptions options = {});
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;

    /// As it was given.
    const std::string& name() const noexcept { return name_; }

    /// A step with the dead letters, the newest first: 100, or so many, at most.
    /// Guide: docs/jobs.md#dead-letters
    ///
    ///     for (const DeadLetter& dead : run(tool, letters.dead(10)).get()) log(dead.code);
    Step<AnyValues, Values<std::vector<DeadLetter>>> dead(std::int64_t count = 100);

    /// A step that enqueues the job of a dead letter again, under its id, as if no attempt had been
    /// made, without delay and deadline; it says whether there was such a letter. One whose payload
    /// wasn't kept: InternalError in the step. Guide: docs/jobs.md#dead-letters
    ///
    ///     run(tool, letters.revive(dead.entry)).get();
    Step<AnyValues, Values<bool>> revive(std::string entry);

    /// A step that deletes a dead letter, and says whether there was such a one.
    /// Guide: docs/jobs.md#dead-letters
    ///
    ///     run(tool, letters.discard(dead.entry)).get();
    Step<AnyValues, Values<bool>> discard(std::string entry);

    /// A step that takes a job out of the queue that doesn't run: it has not begun, or waits for
    /// another attempt. Its idempotency key is free then, and the next one of its key has its turn.
    /// It says whether the job was taken out; not if it runs, is done or dead.
    /// Guide: docs/jobs.md#when-in-which-order-how-often
    ///
    ///     if (!run(tool, letters.remove(id)).get()) log("too late");
    Step<AnyValues, Values<bool>> remove(std::string id);

    /// A step that says how a job stands. Guide: docs/jobs.md#progress
    ///
    ///     const JobLook look = run(tool, letters.look(id)).get();
    Step<AnyValues, Values<JobLook>> look(std::string id);

    /// A step that says how many jobs there are. Guide: docs/jobs.md#progress
    ///
    ///     const auto jobs = run(tool, letters.counts()).get().jobs;
    Step<AnyValues, Values<JobCounts>> counts();

    /// For the runtime.
    struct Access;

  private:
    RedisConnection& connection_;
    const std::string name_;
    const JobQueueOptions limits_;
    const std::string base_;
};

/// A step that adds a job, each time that it runs, and leaves its id once Redis has it: from then
/// on it isn't lost. `payload` is JSON. If its idempotency key is known that is the id of the job
/// that has it, and nothing is added. A full queue: DefenseRejected in the step. A payload that is
/// no JSON or too large, a bad option: InternalError at the call. No answer of Redis: RedisFailed;
/// whether the job was added isn't known then, and with an idempotency key it can be enqueued
/// again. Guide: docs/jobs.md
///
///     asi.add(enqueue(letters, R"({"to": "ann"})", {.key = "ann", .delay = 1min}));
STEPTREE_VISIBLE Step<AnyValues, Values<std::string>> enqueue(JobQueue& queue, std::string payload,
                                                              EnqueueOptions options = {});

}  // namespace steptree
