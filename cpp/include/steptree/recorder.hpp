#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
struct Ring;
}

/// Of a FlightRecorder.
struct RecorderOptions {
    /// How many events it has at most: 1 to 1,048,576. Each takes about 150 bytes.
    std::size_t events = 4096;
    bool bodies = false;  ///< whether each call of a body is one, too
};

/// An event that was recorded; what it says is what FlowEvent says. It's plain data, as
/// `spec/recording.schema.json` has it; what is empty there is left out in JSON. Of a name that is
/// longer than 64 characters it has the first 63 and `…`, of a path with more than 16 elements the
/// first 8, `…`, and the last 8.
struct RecordedEvent {
    struct Flow {
        std::uint64_t id = 0;
        std::string name;
    };

    std::string what;
    std::int64_t time = 0;
    std::uint64_t sequence = 0;
    Flow flow{};
    std::string path{};
    std::string element{};
    std::string kind{};
    std::string outcome{};
    std::string code{};
    /// `waits`: what for, in the words of text(): `guard mutex "db" 1`.
    std::string waits{};
    /// `body`, `returned`: when that was, in milliseconds of the machine's clock with a fraction.
    std::optional<double> clock{};
};

/// Has the last events of all flows of a tool, until it is destroyed or cancelled. It takes its
/// memory when it's made, and none for an event. It may outlive the tool. What it has is read on
/// the tool's thread, or when the tool is gone.
/// Guide: docs/hangs.md#what-happened-before
///
///     FlightRecorder recorder(tool);
///     tool.onError([&](auto) { std::cerr << recorder.text() << std::endl; });
class STEPTREE_VISIBLE FlightRecorder {
  public:
    /// On the tool's thread, and with what can be: else InternalError.
    explicit FlightRecorder(Tool& tool, const RecorderOptions& options = {});
    FlightRecorder(FlightRecorder&& other) noexcept;
    FlightRecorder& operator=(FlightRecorder&& other) noexcept;
    ~FlightRecorder();

    /// The oldest first. On another thread than the tool's: InternalError.
    std::vector<RecordedEvent> events() const;
    /// One line an event: time, flow, path, what, and what else it says. On another thread than the
    /// tool's: InternalError.
    std::string text() const;

    /// As JSON of the Trace Event Format, which ui.perfetto.dev and others show: flows as tracks,
    /// steps and waits as slices. On another thread than the tool's: InternalError.
    std::string trace() const;

    /// Nothing more is recorded; what there is stays. Any thread. Again: nothing.
    void cancel() noexcept;
    /// Whether it records.
    bool valid() const noexcept;

  private:
    std::shared_ptr<detail::Ring> ring_;
};

}  // namespace steptree
