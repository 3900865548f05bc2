#pragma once

#include <future>
#include <thread>

#include "steptree/tool.hpp"

namespace rig {

/// A tool that stands in one callback, until it is told to go on, or this goes.
class Standing {
  public:
    explicit Standing(steptree::Tool& tool) {
        std::promise<std::thread::id> stands;
        tool.immediate([&stands, goesOn = goesOn_.get_future().share()] {
            stands.set_value(std::this_thread::get_id());
            goesOn.wait();
        });
        thread_ = stands.get_future().get();
    }
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;
    ~Standing() { goOn(); }

    void goOn() {
        if (stands_) goesOn_.set_value();
        stands_ = false;
    }

    /// The tool's.
    std::thread::id thread() const noexcept { return thread_; }

  private:
    std::promise<void> goesOn_;
    std::thread::id thread_;
    bool stands_ = true;
};

}  // namespace rig
