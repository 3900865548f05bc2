#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "steptree/guard.hpp"

namespace steptree::detail {

struct Line;
struct KeptHold;

/// How often a line has locked a mutex, and how many places it has.
struct Hold {
    const Line* line = nullptr;  // null: nobody
    std::uint64_t times = 0;
    KeptHold* kept = nullptr;  // by what was abandoned
    std::int64_t places = 1;
};

/// What finds a guard again that may be gone.
struct Anchor {
    std::mutex mutex;
    void (*free)(void* guard, KeptHold& kept) noexcept = nullptr;
    void* guard = nullptr;
};

/// What a line has had of a guard, as long as what was abandoned keeps it.
struct KeptHold final : KeptPlace {
    void letGo() noexcept override;

    std::shared_ptr<Anchor> anchor;
    const Line* line = nullptr;  // null: it has unlocked it
    std::uint32_t count = 0;
    bool writes = false;
    std::int64_t places = 1;
};

/// Of a guard: makes such records, and outlives it for them.
class Keeps {
  public:
    /// `free(guard, kept)` is called when nothing keeps it any more.
    Keeps(bool keeps, void* guard, void (*free)(void* guard, KeptHold& kept) noexcept) noexcept
        : free_(free), guard_(guard), keeps_(keeps) {}
    Keeps(const Keeps&) = delete;
    Keeps& operator=(const Keeps&) = delete;
    ~Keeps();

    /// One more that keeps it. Null: no memory, or it doesn't keep.
    KeptHold* keep(Hold& hold, bool writes = false) noexcept;
    /// The line has unlocked it: whether it is kept all the same.
    static bool isKept(Hold& hold) noexcept {
        if (hold.kept == nullptr) [[likely]]
            return false;
        hold.kept->line = nullptr;
        return true;
    }

  private:
    std::shared_ptr<Anchor> anchor_;
    void (*const free_)(void* guard, KeptHold& kept) noexcept;
    void* const guard_;
    const bool keeps_;
};

/// The lines that have places of a mutex, found by their identity. Room for one is inside; for more
/// it is taken as they come, at least twice as much as there are, and kept.
class Holds {
  public:
    Holds() noexcept = default;
    Holds(const Holds&) = delete;
    Holds& operator=(const Holds&) = delete;

    /// Null if the line has none.
    Hold* find(const Line& line) noexcept {
        if (mask_ == 0) return one_.line == &line ? &one_ : nullptr;
        Hold* const hold = place(line);
        return hold->line != nullptr ? hold : nullptr;
    }

    /// Calls `tell` for each of them.
    template <class Tell>
    void each(Tell tell) const {
        if (one_.line != nullptr) tell(one_);
        for (std::size_t at = 0; mask_ != 0 && at <= mask_; ++at) {
            if (table_[at].line != nullptr) tell(table_[at]);
        }
    }

    /// The line has none. Throws bad_alloc only if there were never so many.
    void add(const Line& line, std::int64_t places = 1) {
        if (mask_ != 0 || one_.line != nullptr) return addBeside(line, places);
        one_ = {&line, 1, nullptr, places};
    }
    /// So many more can be added without memory being taken.
    void reserve(std::size_t more) {
        while (count() + more > 1 && 2 * (count() + more) > mask_ + 1) grow();
    }
    void remove(Hold& hold) noexcept {
        if (mask_ != 0) return removeFromTable(hold);
        one_.line = nullptr;  // add() writes the rest anew: the row lock
    }

  private:
    std::size_t count() const noexcept {
        if (mask_ != 0) return inTable_;
        return one_.line != nullptr ? 1 : 0;
    }
    std::size_t home(const Line& line) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(&line);
        return static_cast<std::size_t>(address * 0x9E37'79B9'7F4A'7C15U >> 32) & mask_;
    }
    /// Where the line is, or would be.
    Hold* place(const Line& line) noexcept {
        std::size_t at = home(line);
        while (table_[at].line != nullptr && table_[at].line != &line) at = (at + 1) & mask_;
        return &table_[at];
    }
    void addBeside(const Line& line, std::int64_t places);
    void removeFromTable(Hold& hold) noexcept;
    void grow();

    Hold one_;
    std::unique_ptr<Hold[]> table_;
    std::size_t mask_ = 0;  // 0: one_ is all
    std::size_t inTable_ = 0;
};

/// How many of the places are those of lines around that one.
std::int64_t heldAround(Holds& holds, Line* line) noexcept;

}  // namespace steptree::detail
