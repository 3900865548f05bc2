#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kind.hpp"
#include "steptree/recorder.hpp"
#include "telling.hpp"
#include "texts.hpp"

/// The last events of a tool, in memory of a fixed size.
///
/// An event doesn't have its path: which step it is of, and which is around that. The element of a
/// step is said by the first `closed` of it that comes behind; if there is none it's open, and can
/// be asked. The same way the `ended` of a flow says its number. So when the recording ends, what
/// is open then is asked once.
namespace steptree::detail {

/// One event.
struct RecordedSlot {
    std::uint64_t sequence = 0;
    std::int64_t time = 0;
    Flow* flow = nullptr;
    Step* step = nullptr;
    Step* parent = nullptr;  // closed
    /// closed: the number of its element, if it has no name; waits: milliseconds, or the place;
    /// ended: the number of the flow.
    std::int64_t number = 0;
    double clock = 0;            // body, returned
    const char* kind = nullptr;  // opened, closed; waits: of the guard; null: none
    const char* outcome = "";
    Texts::Ref flowName = 0;
    Texts::Ref text = 0;  // closed: its element, if it has a name; waits: of the guard or channel
    Texts::Ref code = 0;
    std::uint32_t end = 0;  // of the texts
    What what = What::begun;
    PathElement element = PathElement::step;  // closed
    Waits::For waits = Waits::nothing;
    bool hasNumber = false;  // waits
};

/// What is read of it.
struct ReadEvent : RecordedEvent {
    What is = What::begun;
    const detail::Flow* of = nullptr;  // it may be gone
    std::uint64_t step = 0;            // 0: none
    std::uint64_t parent = 0;
    std::string elementOfStep{};
    const char* kindOfStep = "";
};

/// Its tool's thread only, but for `over` and `unread`.
struct Ring final : Sink {
    Ring(ToolCore& core, const RecorderOptions& options);

    /// Takes no memory.
    void note(const EventData& event) noexcept override;
    void close() noexcept override;
    std::string lastOf(const Flow& flow) const override;
    std::vector<ReadEvent> read() const;
    /// The tool's time, or that when it ended.
    std::int64_t until() const;

    std::atomic<bool> unread{false};  // nobody reads it any more

  private:
    friend class RingReader;

    RecordedSlot& nextSlot() noexcept;
    void noteKind(Step& step, const char* kind) noexcept;
    /// The step closes.
    const char* takeKind(Step& step) noexcept;
    const char* kindOf(Step& step) const noexcept;
    void noteElement(RecordedSlot& slot, Step& step) noexcept;
    void noteWait(RecordedSlot& slot, Line& line) noexcept;
    Texts::Ref noteText(std::string_view text) noexcept;
    std::vector<ReadEvent> readSlots(bool asks) const;

    const std::size_t room_;
    const std::unique_ptr<RecordedSlot[]> slots_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    Texts texts_;
    /// The kind of an open step that was told another one than that of its Kind, at a place by the
    /// step's address; that of another one may be there.
    struct Shown {
        const Step* step = nullptr;
        const char* kind = nullptr;
    };
    Shown& shownAt(const Step& step) const noexcept;
    const std::size_t kinds_;  // a power of two
    const std::unique_ptr<Shown[]> shown_;
    std::optional<std::vector<ReadEvent>> kept_;  // when it was closed
    bool closed_ = false;
    std::int64_t ended_ = 0;  // when it was closed
};

}  // namespace steptree::detail
