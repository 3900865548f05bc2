#include "pages.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "realtime.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::size_t kMostPages = 8;
constexpr std::chrono::milliseconds kEvery{200};
/// What a page has asked for since the last question, in milliseconds.
constexpr double kSoon = 40;
/// So long without an answer the loop is held.
constexpr double kPatience = 300;

}  // namespace

Pages::Pages(asio::io_context& io, std::shared_ptr<const HeldTurn> held, Function<void(Asks)> ask)
    : held_(std::move(held)), ask_(std::move(ask)), tick_(io), soon_(io) {}

bool Pages::isFull() const noexcept {
    return pages_.size() >= kMostPages;
}

void Pages::open(const std::shared_ptr<Page>& page, const std::string& head, Json hello) {
    hello.field("page", page->id()).end('}');
    const auto place = pages_.emplace(page->id(), page).first;
    try {
        page->begin(head, hello.shown(), [this, id = page->id()] { left(id); });
    } catch (...) {
        pages_.erase(place);
        throw;
    }
    goOn();
    askSoon();
}

void Pages::goOn() {
    if (!pages_.empty() && !closed_ && !isTicking_) tickLater();
}

void Pages::left(const std::string& page) {
    pages_.erase(page);
    if (!pages_.empty()) return;
    isTicking_ = isSoon_ = false;
    tick_.cancel();
    soon_.cancel();
    if (closed_) closed_();
}

bool Pages::look(const std::string& page, const View& view) {
    const auto found = pages_.find(page);
    if (found == pages_.end()) return false;
    found->second->view = view;
    askSoon();
    return true;
}

void Pages::answer(const Asks& asks, const std::vector<std::string>& frames) {
    asked_.reset();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto found = pages_.find((*asks)[i].page);
        if (found != pages_.end()) found->second->send(frames[i]);
    }
}

void Pages::close(Function<void()> closed) {
    closed_ = std::move(closed);
    isTicking_ = isSoon_ = false;
    tick_.cancel();
    soon_.cancel();
    if (pages_.empty()) return closed_();
    const std::string bye = Json().begin('{').field("type", "bye").end('}').take();
    for (const auto& [id, page] : pages_) page->end(bye);
}

void Pages::tickLater() {
    tick_.expires_after(kEvery);
    tick_.async_wait([this](const asio::error_code& error) {
        if (error || !std::exchange(isTicking_, false)) return;
        tickLater();
        tick();
    });
    isTicking_ = true;
}

void Pages::tick() {
    if (asked_.expired()) {
        askNow();
    } else if (realTime() - last_ > kPatience) {
        tellHeld();
    }
}

void Pages::askSoon() {
    if (closed_ || isSoon_) return;
    const double left = std::max(0.0, last_ + kSoon - realTime());
    soon_.expires_after(std::chrono::microseconds(wholeOf(left * 1000)));
    soon_.async_wait([this](const asio::error_code& error) {
        if (error || !std::exchange(isSoon_, false)) return;
        if (asked_.expired()) askNow();
    });
    isSoon_ = true;
}

void Pages::askNow() {
    std::vector<Ask> asks;
    for (const auto& [id, page] : pages_) {
        if (page->reads()) asks.push_back({id, page->view});
    }
    if (asks.empty()) return;
    Asks question = std::make_shared<std::vector<Ask>>(std::move(asks));
    asked_ = question;
    last_ = realTime();
    ask_(std::move(question));
}

void Pages::tellHeld() {
    const double began = held_->began;
    const double since = began == 0 ? last_ : std::min(last_, began);
    Json held;
    held.begin('{').field("type", "held").field("ms", wholeOf(realTime() - since));
    if (began != 0) {
        held.field("flow", held_->flow.load())
            .field("name", held_->texts.at(held_->name))
            .field("path", held_->texts.at(held_->path));
    }
    const std::string message = held.end('}').take();
    for (const auto& [id, page] : pages_) page->send(message);
}

}  // namespace steptree::detail::inspecting
