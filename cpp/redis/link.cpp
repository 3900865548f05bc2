#include "link.hpp"

#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <utility>

namespace steptree::detail::redis {

namespace {

constexpr std::chrono::milliseconds kFirstRest{50};
constexpr std::chrono::milliseconds kLongestRest{2000};

std::chrono::milliseconds restAfter(int failures) noexcept {
    return std::min(kFirstRest * (1 << std::min(failures, 10)), kLongestRest);
}

Reply replyOf(void* reply) noexcept {
    try {
        return Reply::of(static_cast<const redisReply*>(reply));
    } catch (...) {
        return Reply::gone("no memory");
    }
}

}  // namespace

/// What hiredis calls.
struct Link::Hooks {
    static Link& of(const redisAsyncContext* context) noexcept {
        return *static_cast<Link*>(context->data);
    }
    static void addRead(void* link) { static_cast<Link*>(link)->reads_ = true; }
    static void delRead(void* link) { static_cast<Link*>(link)->reads_ = false; }
    static void addWrite(void* link) { static_cast<Link*>(link)->writes_ = true; }
    static void delWrite(void* link) { static_cast<Link*>(link)->writes_ = false; }
    /// Whatever it goes for: all that was sent is answered by then.
    static void cleanup(void* link) { static_cast<Link*>(link)->lost(); }
    static void connected(const redisAsyncContext* context, int status) {
        if (status == REDIS_OK) of(context).greet();
    }
    static void greeted(redisAsyncContext* context, void* reply, void*) {
        of(context).greeted(replyOf(reply));
    }
    static void answered(redisAsyncContext*, void* reply, void* command) {
        const std::unique_ptr<Command> asked(static_cast<Command*>(command));
        asked->answer(replyOf(reply));
    }
    static void heard(redisAsyncContext* context, void* reply, void*) {
        if (reply != nullptr) of(context).events_.heard(replyOf(reply));
    }
};

Link::Link(RedisOptions& options, Events events) : options_(options), events_(std::move(events)) {}

void Link::close() noexcept {
    if (context_ != nullptr) redisAsyncFree(context_);  // which calls lost()
}

void Link::send(std::unique_ptr<Command> command) noexcept {
    if (state_ == State::up && write(command->words, &Hooks::answered, command.get())) {
        static_cast<void>(command.release());
    } else {
        command->answer(Reply::gone("lost"));
    }
}

bool Link::say(const char* what, const std::string& channel) noexcept {
    if (state_ != State::up) return false;
    const char* words[] = {what, channel.data()};
    const std::size_t sizes[] = {std::string_view(what).size(), channel.size()};
    return redisAsyncCommandArgv(context_, &Hooks::heard, nullptr, 2, words, sizes) == REDIS_OK;
}

bool Link::isWaiting() const noexcept {
    return context_ != nullptr && context_->replies.head != nullptr;
}

int Link::fd() const noexcept {
    return context_ == nullptr ? -1 : context_->c.fd;
}

short Link::events() const noexcept {
    return static_cast<short>((reads_ ? POLLIN : 0) | (writes_ ? POLLOUT : 0));
}

void Link::serve(short events, Clock::time_point now) noexcept {
    if (context_ != nullptr && (events & (POLLIN | POLLERR | POLLHUP)) != 0 && reads_) {
        redisAsyncHandleRead(context_);
    }
    if (context_ != nullptr && (events & (POLLOUT | POLLERR | POLLHUP)) != 0 && writes_) {
        redisAsyncHandleWrite(context_);
    }
    if (now < next_) return;
    if (context_ != nullptr) {
        redisAsyncFree(context_);  // it takes too long
    } else {
        connect(now);
    }
}

void Link::connect(Clock::time_point now) noexcept {
    const char* const host = options_.host.c_str();
    if (options_.connect) {
        context_ = options_.connect();
    } else if (!options_.socket.empty()) {
        context_ = redisAsyncConnectUnix(options_.socket.c_str());
    } else {
        context_ = redisAsyncConnect(host, options_.port);
    }
    if (context_ == nullptr) return lost();
    state_ = State::connecting;
    next_ = now + options_.connectTimeout;
    context_->data = this;
    context_->ev.data = this;
    context_->ev.addRead = &Hooks::addRead;
    context_->ev.delRead = &Hooks::delRead;
    context_->ev.addWrite = &Hooks::addWrite;
    context_->ev.delWrite = &Hooks::delWrite;
    context_->ev.cleanup = &Hooks::cleanup;
    if (context_->err != 0) return redisAsyncFree(context_);
    redisAsyncSetConnectCallback(context_, &Hooks::connected);
    writes_ = true;  // that it's connected is seen by that
}

/// A server that vanishes without a word is noticed within half a minute.
void Link::watch() noexcept {
    if (!options_.socket.empty()) return;
    redisEnableKeepAlive(&context_->c);
#ifdef TCP_USER_TIMEOUT
    const unsigned int ms = 30'000;
    setsockopt(context_->c.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
#endif
}

/// Each greeting that is refused ends the connection: nothing else would be answered.
void Link::greet() noexcept {
    watch();
    state_ = State::greeting;
    greetings_ = 1;
    const auto say = [this](const Words& words) {
        ++greetings_;
        if (!write(words, &Hooks::greeted, nullptr)) throw std::bad_alloc();
    };
    try {
        const RedisOptions& to = options_;
        if (!to.password.empty() && to.user.empty()) say({"AUTH", to.password});
        if (!to.user.empty()) say({"AUTH", to.user, to.password});
        if (to.database != 0) say({"SELECT", std::to_string(to.database)});
    } catch (...) {
        next_ = {};  // not here: hiredis goes on with it after this callback
        return;
    }
    Reply done;
    greeted(done);
}

void Link::greeted(const Reply& reply) noexcept {
    if (reply.kind == Reply::Kind::lost || state_ != State::greeting) return;
    if (reply.isError()) {
        state_ = State::connecting;
        return redisAsyncDisconnect(context_);
    }
    if (--greetings_ > 0) return;
    state_ = State::up;
    isKnown_ = true;
    upSince_ = Clock::now();
    next_ = Clock::time_point::max();
    if (events_.up) events_.up();
}

/// There's no connection any more, or none could be made.
void Link::lost() noexcept {
    const auto now = Clock::now();
    if (state_ == State::up && now - upSince_ > kLongestRest) failures_ = 0;
    context_ = nullptr;
    state_ = State::down;
    reads_ = writes_ = false;
    isKnown_ = true;
    next_ = now + restAfter(failures_++);
}

bool Link::write(const Words& words, redisCallbackFn* told, void* data) noexcept {
    try {
        std::vector<const char*> texts;
        std::vector<std::size_t> sizes;
        for (const std::string& word : words) {
            texts.push_back(word.data());
            sizes.push_back(word.size());
        }
        const int count = static_cast<int>(words.size());
        return redisAsyncCommandArgv(context_, told, data, count, texts.data(), sizes.data()) ==
               REDIS_OK;
    } catch (...) {
        return false;
    }
}

}  // namespace steptree::detail::redis
