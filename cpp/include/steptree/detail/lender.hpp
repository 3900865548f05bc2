#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/detail/home.hpp"
#include "steptree/detail/list.hpp"

namespace steptree::detail {

class KeptPlace;
struct Line;

/// A guard of which lines may have something when they end: what they have locked other than by
/// asi.sync(), which always unlocks. Only those that were ever locked so are known.
class Lender : public Link {
  public:
    Lender(const Lender&) = delete;
    Lender& operator=(const Lender&) = delete;

    /// What the line has of any guard so stays taken. Its own thread. Throws bad_alloc.
    static void keepAll(Line& line, std::vector<KeptPlace*>& kept);
    /// All that the line has of any guard goes back, what it has got last first. Its own thread.
    static void endLine(Line& line) noexcept;

  protected:
    explicit Lender(const Home* home) noexcept : home_(home) {}
    explicit Lender(const Anywhere*) noexcept : home_(nullptr) {}
    ~Lender() = default;
    /// First of all in the destructor of the guard: lines that end on other threads ask all that
    /// are known.
    void leaveKnown() noexcept {
        if (known_) forget();
    }

    /// Before a line locks it otherwise. The line's own thread.
    void know(Line& line) noexcept;
    /// The line has got something of it that it may leave: which one in all.
    static std::uint64_t lend() noexcept;

    virtual KeptPlace* keepFor(Line& line) noexcept = 0;
    /// The last that the line has of it so; 0: nothing.
    virtual std::uint64_t lastOf(Line& line) noexcept = 0;
    /// Once; asked again while the line has more of it.
    virtual void takeBack(Line& line, std::uint64_t lent) noexcept = 0;

  private:
    STEPTREE_VISIBLE void forget() noexcept;

    const Home* const home_;  // null: any thread's
    std::atomic<bool> known_{false};
};

}  // namespace steptree::detail
