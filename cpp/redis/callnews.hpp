#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "work.hpp"

namespace steptree::detail::redis {

/// What a server is told. Any thread.
class CallNews final : public Listener {
  public:
    explicit CallNews(std::shared_ptr<Waker> waker) : waker_(std::move(waker)) {}

    void heard(const std::string& text) noexcept override;
    void again() noexcept override;

    /// Of calls that nobody waits for; and whether something may have been missed.
    std::pair<std::vector<std::string>, bool> taken() noexcept;

    ThreadGate gate{{.open = false}};  // open: there are some

  private:
    const std::shared_ptr<Waker> waker_;
    std::mutex mutex_;
    std::vector<std::string> ids_;
    bool isMissing_ = false;
};

}  // namespace steptree::detail::redis
