#include "redischannel.hpp"

#include <charconv>
#include <utility>
#include <vector>

#include "newid.hpp"
#include "wire.hpp"

namespace steptree::detail::redis {

namespace {

constexpr std::chrono::seconds kListenAgain{1};

}  // namespace

/// It hears nothing any more once the channel has let go of it.
struct RedisChannel::Ear final : Listener {
    explicit Ear(RedisChannel& of) noexcept : channel(&of) {}
    void heard(const std::string& text) noexcept override {
        if (channel != nullptr) channel->heard(text);
    }
    void again() noexcept override {
        if (channel != nullptr) channel->again();
    }

    RedisChannel* channel;
};

RedisChannel::RedisChannel(Wire& wire)
    : wire_(wire),
      process_(newId()),
      name_("{" + wire.prefix() + ":c:" + process_ + "}"),
      retry_([](void* of) noexcept { static_cast<RedisChannel*>(of)->listen(); }, this) {}

RedisChannel::~RedisChannel() {
    if (ear_ != nullptr) ear_->channel = nullptr;
}

std::string RedisChannel::session(std::int64_t number) const {
    return process_ + "." + std::to_string(number);
}

void RedisChannel::open(std::int64_t number, std::weak_ptr<Told> told) {
    sessions_[number] = std::move(told);
}

void RedisChannel::close(std::int64_t number) noexcept {
    sessions_.erase(number);
    if (sessions_.empty()) end();
}

/// Short of memory it's tried again.
void RedisChannel::listen() noexcept {
    if (ear_ != nullptr || sessions_.empty()) return;
    try {
        auto ear = std::make_shared<Ear>(*this);
        wire_.listen(name_, ear);
        ear_ = std::move(ear);
    } catch (...) {
        retry_.start(wire_.timers(), wire_.timers().now() + kListenAgain);
    }
}

void RedisChannel::end() noexcept {
    retry_.stop();
    hears_ = false;
    if (ear_ == nullptr) return;
    ear_->channel = nullptr;
    wire_.leave(name_, *ear_);
    ear_.reset();
}

/// `number what more`. Anybody may have said it.
void RedisChannel::heard(const std::string& text) noexcept {
    const std::string_view all(text);
    const std::size_t first = all.find(' ');
    const std::size_t second = first == all.npos ? all.npos : all.find(' ', first + 1);
    if (second == all.npos) return;
    std::int64_t number = -1;
    std::from_chars(all.data(), all.data() + first, number);
    const auto found = sessions_.find(number);
    if (found == sessions_.end()) return;
    const auto told = found->second.lock();
    if (told == nullptr) return;
    try {
        told->told(all.substr(first + 1, second - first - 1), std::string(all.substr(second + 1)));
    } catch (...) {
        told->again();  // no memory for the text
    }
}

/// It hears from now on: what was said before may have been missed.
void RedisChannel::again() noexcept {
    hears_ = true;
    try {
        std::vector<std::shared_ptr<Told>> all;
        for (const auto& [number, told] : sessions_) all.push_back(told.lock());
        for (const auto& told : all) {
            if (told != nullptr) told->again();
        }
    } catch (...) {
        // They look at their next renewal.
    }
}

}  // namespace steptree::detail::redis
