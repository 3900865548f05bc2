#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace steptree::detail {

struct Line;

/// Entries of lines, found by their identity. Memory is taken as they come, at least twice as much
/// as there are, and kept. An Entry has a `line`; null: none is there.
template <class Entry>
class LineTable {
  public:
    /// Whether it has taken memory.
    bool exists() const noexcept { return mask_ != 0; }
    std::size_t count() const noexcept { return count_; }
    /// How many have a place.
    std::size_t size() const noexcept { return exists() ? mask_ + 1 : 0; }

    /// Null if the line has none.
    Entry* find(const Line& line) noexcept {
        if (!exists()) return nullptr;
        Entry* const entry = place(line);
        return entry->line != nullptr ? entry : nullptr;
    }
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t at = 0; at < size(); ++at) {
            if (table_[at].line != nullptr) visit(table_[at]);
        }
    }

    /// Its line has none. Throws bad_alloc only if there were never so many.
    void add(const Entry& entry) {
        if (2 * (count_ + 1) > size()) grow();
        *place(*entry.line) = entry;
        ++count_;
    }
    /// Those behind it move up, so that nobody is looked for across a gap.
    void remove(Entry& entry) noexcept {
        --count_;
        auto gap = static_cast<std::size_t>(&entry - table_.get());
        for (std::size_t at = (gap + 1) & mask_; table_[at].line != nullptr;
             at = (at + 1) & mask_) {
            const std::size_t distance = (at - home(*table_[at].line)) & mask_;
            if (distance < ((at - gap) & mask_)) continue;
            table_[gap] = table_[at];
            gap = at;
        }
        table_[gap] = {};
    }
    void clear() noexcept {
        for (std::size_t at = 0; at < size(); ++at) table_[at] = {};
        count_ = 0;
    }

    void grow() {
        const std::size_t before = size();
        const std::size_t wanted = before == 0 ? 8 : 2 * before;
        const auto old = std::exchange(table_, std::make_unique<Entry[]>(wanted));
        mask_ = wanted - 1;
        for (std::size_t at = 0; at < before; ++at) {
            if (old[at].line != nullptr) *place(*old[at].line) = old[at];
        }
    }

  private:
    std::size_t home(const Line& line) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(&line);
        return static_cast<std::size_t>(address * 0x9E37'79B9'7F4A'7C15U >> 32) & mask_;
    }
    /// Where the line is, or would be.
    Entry* place(const Line& line) noexcept {
        std::size_t at = home(line);
        while (table_[at].line != nullptr && table_[at].line != &line) at = (at + 1) & mask_;
        return &table_[at];
    }

    std::unique_ptr<Entry[]> table_;
    std::size_t mask_ = 0;
    std::size_t count_ = 0;
};

}  // namespace steptree::detail
