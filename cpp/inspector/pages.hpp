#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "held.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "page.hpp"
#include "steptree/detail/function.hpp"

namespace steptree::detail::inspecting {

/// The pages that are open, and what they are told: five times a second, and soon after one has
/// asked for something else. The tool's thread is asked, for all of them at once, and not again
/// before it has answered. If it doesn't they are told that it's held.
class Pages {
  public:
    /// What a page looks at.
    struct Ask {
        std::string page;
        View view;
    };
    /// A question, for as long as somebody has it to answer it.
    using Asks = std::shared_ptr<const std::vector<Ask>>;

    Pages(asio::io_context& io, std::shared_ptr<const HeldTurn> held, Function<void(Asks)> ask);

    bool isFull() const noexcept;
    /// `hello` lacks the page, and its end.
    void open(const std::shared_ptr<Page>& page, const std::string& head, Json hello);
    /// Whether there is that page.
    bool look(const std::string& page, const View& view);
    /// As many frames as were asked for; or none, which is an answer, too. A question that got lost
    /// is answered by none.
    void answer(const Asks& asks, const std::vector<std::string>& frames);
    /// What short of memory couldn't go on does. Throws bad_alloc.
    void goOn();
    /// `closed` is called when all of them have heard of it.
    void close(Function<void()> closed);

  private:
    void left(const std::string& page);
    void tickLater();
    void tick();
    void askSoon();
    void askNow();
    void tellHeld();

    const std::shared_ptr<const HeldTurn> held_;
    Function<void(Asks)> ask_;
    std::map<std::string, std::shared_ptr<Page>> pages_;
    asio::steady_timer tick_;
    asio::steady_timer soon_;
    bool isTicking_ = false;
    bool isSoon_ = false;
    Asks::weak_type asked_;  // nothing: everything is answered
    double last_ = 0;        // when it asked
    Function<void()> closed_;
};

}  // namespace steptree::detail::inspecting
