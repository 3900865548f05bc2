#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/jobqueue.hpp"

namespace steptree {

/// What the handler of a job gets as its second value. Copies are the same; it may outlive the job.
/// Guide: docs/jobs.md#a-worker
///
///     const auto posts = step([](IAsyncSteps& asi, const std::string& letter,
///                                const steptree::Job& sent) {
///         post(asi, letter, sent.id());
///     });
class STEPTREE_VISIBLE Job {
  public:
    /// For the runtime.
    struct Data {
        JobQueue* queue = nullptr;
        std::string id{};
        std::string token{};
        std::int64_t attempt = 1;
        std::int64_t losses = 0;
        std::int64_t version = 0;
        std::string key{};
        std::vector<JobFailure> causes{};
    };
    explicit Job(std::shared_ptr<const Data> data) noexcept : data_(std::move(data)) {}

    /// As enqueue has left it.
    const std::string& id() const noexcept { return data_->id; }
    /// The name of its queue.
    const std::string& queue() const noexcept { return data_->queue->name(); }
    /// From 1: one more than attempts have failed.
    std::int64_t attempt() const noexcept { return data_->attempt; }
    /// How often its worker was lost: more than 0, and parts of it may have been done.
    std::int64_t losses() const noexcept { return data_->losses; }
    /// A number, as a text, that is larger each time any job of the queue is handed out: a store
    /// that refuses a smaller one is safe from workers that were paused.
    const std::string& token() const noexcept { return data_->token; }
    /// The order key; '': none.
    const std::string& key() const noexcept { return data_->key; }
    /// Of the payload's schema.
    std::int64_t version() const noexcept { return data_->version; }
    /// Errors of earlier attempts.
    const std::vector<JobFailure>& causes() const noexcept { return data_->causes; }

    /// A step that keeps how far it is, for `look`: JSON. What is none: InternalError at the call;
    /// if the lease was lost: LeaseLost in the step. Guide: docs/jobs.md#progress
    ///
    ///     asi.add(sent.progress(R"({"done": 3, "of": 7})"));
    Step<AnyValues, Values<>> progress(std::string json) const;

  private:
    std::shared_ptr<const Data> data_;
};

}  // namespace steptree
