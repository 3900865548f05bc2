#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "steptree/detail/linetable.hpp"
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

/// The lines that have places of a mutex. Room for one is inside.
class Holds {
  public:
    Holds() noexcept = default;
    Holds(const Holds&) = delete;
    Holds& operator=(const Holds&) = delete;

    /// Null if the line has none.
    Hold* find(const Line& line) noexcept {
        if (!table_.exists()) return one_.line == &line ? &one_ : nullptr;
        return table_.find(line);
    }

    /// Calls `tell` for each of them.
    template <class Tell>
    void each(Tell tell) const {
        if (one_.line != nullptr) tell(one_);
        table_.each(tell);
    }

    /// The line has none. Throws bad_alloc only if there were never so many.
    void add(const Line& line, std::int64_t places = 1) {
        if (table_.exists() || one_.line != nullptr) return addBeside(line, places);
        one_ = {&line, 1, nullptr, places};
    }
    /// So many more can be added without memory being taken.
    void reserve(std::size_t more) {
        while (count() + more > 1 && 2 * (count() + more) > table_.size()) grow();
    }
    void remove(Hold& hold) noexcept {
        if (table_.exists()) return table_.remove(hold);
        one_.line = nullptr;  // add() writes the rest anew: the row lock
    }

  private:
    std::size_t count() const noexcept {
        if (table_.exists()) return table_.count();
        return one_.line != nullptr ? 1 : 0;
    }
    void addBeside(const Line& line, std::int64_t places);
    void grow();

    Hold one_;
    LineTable<Hold> table_;
};

/// How many of the places are those of lines around that one.
std::int64_t heldAround(Holds& holds, Line* line) noexcept;

}  // namespace steptree::detail
