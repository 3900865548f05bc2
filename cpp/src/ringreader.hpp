#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ring.hpp"
#include "ways.hpp"

namespace steptree::detail {

/// Makes plain data of a ring, from its end on: so what closes later is known.
class RingReader {
  public:
    /// `asks`: what is open is there, and can be asked.
    RingReader(const Ring& ring, bool asks) : ring_(ring), ways_(asks), asks_(asks) {}

    std::vector<ReadEvent> read();

  private:
    ReadEvent eventOf(const RecordedSlot& slot);
    void addStep(ReadEvent& event, Step& step);
    void noteEnd(const RecordedSlot& slot);
    std::uint64_t idOf(Flow* flow) const;
    std::string elementOf(const RecordedSlot& slot) const;
    std::string waitOf(const RecordedSlot& slot) const;

    const Ring& ring_;
    Ways ways_;
    const bool asks_;
    std::unordered_map<const Step*, const char*> kinds_;  // of those that have closed
    std::unordered_map<const Flow*, std::uint64_t> ended_;
};

}  // namespace steptree::detail
