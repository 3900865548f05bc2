#pragma once

#ifdef _WIN32
#error "dumpOnSignal needs the signals of POSIX; a snapshot can be written anywhere: snapshotText()"
#endif

#include <csignal>
#include <cstddef>
#include <memory>
#include <string_view>

#include "steptree/detail/function.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// Of dumpOnSignal().
struct DumpOptions {
    int signal = SIGUSR2;  ///< at which signal of the process
    /// Gets the text, which ends with a line feed, on the tool's thread. Without: it is written to
    /// standard error. It may not throw.
    detail::Function<void(std::string_view)> write{};
    std::size_t max = 1000;  ///< how many lines of text at most; what is left out is counted
    bool locate = false;     ///< whether it says where bodies were written, as of SnapshotOptions
};

/// What dumps at a signal, until it is destroyed or cancelled; before its tool goes. Any thread.
/// Guide: docs/hangs.md#find-it-what-each-waits-for
///
///     SignalDump dump = dumpOnSignal(tool);
///     dump.cancel();
class STEPTREE_VISIBLE SignalDump {
  public:
    SignalDump(SignalDump&& other) noexcept;
    SignalDump& operator=(SignalDump&& other) noexcept;
    ~SignalDump();

    /// The signal makes it write nothing any more; at the last one of its signal the process does
    /// at that again what it did before.
    void cancel() noexcept;
    /// Whether it still dumps.
    bool valid() const noexcept { return entry_ != nullptr; }

  private:
    struct Entry;
    class Listener;
    friend SignalDump dumpOnSignal(Tool& tool, DumpOptions options);
    explicit SignalDump(std::unique_ptr<Entry> entry) noexcept;

    std::unique_ptr<Entry> entry_;
};

/// Writes what all flows of the tool are doing each time the process gets a signal; several tools
/// may listen to one. The text comes from the tool's thread, when that has a turn: a body that
/// holds it holds the text, too. InternalError where the signal can't be taken. Any thread.
/// Guide: docs/hangs.md#find-it-what-each-waits-for
///
///     const auto dump = dumpOnSignal(tool);  // kill -USR2 PID
[[nodiscard]] STEPTREE_VISIBLE SignalDump dumpOnSignal(Tool& tool, DumpOptions options = {});

}  // namespace steptree
