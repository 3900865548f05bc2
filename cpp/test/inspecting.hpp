#pragma once

#include <asio.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rig.hpp"
#include "schema.hpp"
#include "steptree/inspector.hpp"

/// What a browser does with an inspector's server, by real sockets.
namespace inspecting {

using schema::Json;
using tcp = asio::ip::tcp;
using Names = std::vector<std::string>;

/// Where the page is: `http://127.0.0.1:1234/TOKEN/`.
struct Url {
    std::string host;  // with the port
    std::string path;

    explicit Url(const std::string& url) {
        const std::size_t begin = url.find("//") + 2;
        const std::size_t end = url.find('/', begin);
        host = url.substr(begin, end - begin);
        path = url.substr(end);
    }

    unsigned short port() const {
        return static_cast<unsigned short>(std::stoi(host.substr(host.rfind(':') + 1)));
    }
};

struct Answer {
    int status = 0;  // 0: it was closed without
    std::string head;
    std::string text;
};

struct Ask {
    std::string method = "GET";
    std::string more = {};                  // behind the URL
    std::optional<std::string> path = {};   // in the place of the URL's
    std::optional<std::string> host = {};   // the same
    std::vector<std::string> headers = {};  // besides
    std::optional<std::string> body = {};
};

inline tcp::socket connected(asio::io_context& io, unsigned short port) {
    tcp::socket socket(io);
    socket.connect({asio::ip::make_address("127.0.0.1"), port});
    return socket;
}

inline Answer readAnswer(tcp::socket& socket) {
    std::string all;
    asio::error_code error;
    asio::read(socket, asio::dynamic_buffer(all), error);
    const std::size_t end = all.find("\r\n\r\n");
    if (end == std::string::npos) return {};
    return {std::stoi(all.substr(all.find(' '))), all.substr(0, end), all.substr(end + 4)};
}

/// Any request at all.
inline Answer ask(const std::string& to, const Ask& what = {}) {
    const Url url(to);
    asio::io_context io;
    tcp::socket socket = connected(io, url.port());
    std::string text = what.method + ' ' + what.path.value_or(url.path + what.more) +
                       " HTTP/1.1\r\nHost: " + what.host.value_or(url.host) + "\r\n";
    for (const std::string& header : what.headers) text += header + "\r\n";
    if (what.body) text += "Content-Length: " + std::to_string(what.body->size()) + "\r\n";
    text += "\r\n" + what.body.value_or("");
    asio::error_code error;
    asio::write(socket, asio::buffer(text), error);
    return readAnswer(socket);
}

inline Answer post(const std::string& to, const std::string& more, const std::string& body) {
    return ask(to, {.method = "POST", .more = more, .body = body});
}

/// An open page.
class Stream {
  public:
    /// `drive` is called while it waits: of a tool that somebody has to drive.
    explicit Stream(
        std::string url, std::function<void()> drive = [] {})
        : url_(std::move(url)),
          drive_(std::move(drive)),
          socket_(connected(io_, Url(url_).port())) {
        const Url to(url_);
        asio::write(socket_, asio::buffer("GET " + to.path + "events HTTP/1.1\r\nHost: " + to.host +
                                          "\r\n\r\n"));
        while (text_.find("\r\n\r\n") == std::string::npos) {
            if (!readMore()) throw std::runtime_error("no answer");
        }
        head_ = text_.substr(0, text_.find("\r\n\r\n"));
        text_.erase(0, head_.size() + 4);
        if (head_.find(" 200 ") != std::string::npos) hello_ = next("hello");
    }

    bool isOpen() const { return hello_.is_object(); }
    const std::string& head() const { return head_; }
    const Json& hello() const { return hello_; }
    /// How many have come.
    int frames() const { return frames_; }
    tcp::socket& socket() { return socket_; }

    /// The next message of that type that is like that; those before it are dropped. All are as the
    /// schema says.
    Json next(const std::string& type, const std::function<bool(const Json&)>& isIt = {}) {
        for (;;) {
            const std::size_t end = text_.find("\n\n");
            if (end == std::string::npos) {
                if (!readMore()) throw std::runtime_error("the stream has ended");
                continue;
            }
            const std::string_view data = "data: ";
            if (text_.compare(0, data.size(), data) != 0) throw std::runtime_error(text_);
            const Json message = Json::parse(text_.substr(data.size(), end - data.size()));
            text_.erase(0, end + 2);
            const std::string is = message.at("type");
            if (is == "frame") ++frames_;
            for (const std::string& wrong : faultsOf(is, message)) throw std::runtime_error(wrong);
            if (is == type && (!isIt || isIt(message))) return message;
        }
    }

    Json frame(const std::function<bool(const Json&)>& isIt = {}) { return next("frame", isIt); }

    /// When all flows have been looked at.
    Json settled() {
        return frame([](const Json& frame) { return !frame["waits"].contains("unseen"); });
    }

    /// Asks for that. Gives the number of the view.
    int look(const Json& wanted) {
        Json view{{"page", hello_["page"]}, {"sort", "since"}, {"first", 0}, {"rows", 50}};
        view["number"] = ++number_;
        view.update(wanted);
        const int status = post(url_, "view", view.dump()).status;
        if (status != 204) throw std::runtime_error(std::to_string(status));
        return number_;
    }

    /// The first frame with that view that is like that.
    Json seen(const Json& view, const std::function<bool(const Json&)>& isIt = {}) {
        const int number = look(view);
        return frame([&](const Json& frame) {
            return frame.value("number", 0) == number && (!isIt || isIt(frame));
        });
    }

    /// Whether the server has closed it.
    bool ends() {
        while (readMore()) {
        }
        return true;
    }

  private:
    static std::vector<std::string> faultsOf(const std::string& type, const Json& message) {
        static const Json schema = schema::load("inspector.schema.json");
        static std::map<std::string, schema::Check> checks;
        return checks.try_emplace(type, schema, "/$defs/" + type).first->second(message);
    }

    /// False: it's closed.
    bool readMore() {
        for (bool isThere = false; !isThere;) {
            drive_();
            asio::error_code error;
            isThere = socket_.available(error) > 0;
            if (!isThere) isThere = becomesReadable();
        }
        char some[16384];
        asio::error_code error;
        const std::size_t got = socket_.read_some(asio::buffer(some), error);
        text_.append(some, got);
        return !error;
    }

    bool becomesReadable() {
        bool is = false;
        io_.restart();
        socket_.async_wait(tcp::socket::wait_read,
                           [&is](const asio::error_code& error) { is = !error; });
        io_.run_one_for(std::chrono::milliseconds(5));
        if (is) return true;
        socket_.cancel();
        io_.run();
        return is;
    }

    const std::string url_;
    const std::function<void()> drive_;
    asio::io_context io_;
    tcp::socket socket_;
    std::string text_;
    std::string head_;
    Json hello_;
    int number_ = 0;
    int frames_ = 0;
};

inline Names namesOf(const Json& frame) {
    Names names;
    for (const Json& row : frame["rows"]) names.push_back(row["name"]);
    return names;
}

inline const auto hang = steptree::step([](steptree::IAsyncSteps& asi) { asi.waitExternal(); });

inline steptree::StartOptions named(const std::string& name) {
    return {.done = [](steptree::Outcome&) {},
            .options = std::make_shared<const steptree::Options>(steptree::Options{.name = name})};
}

/// A tool in virtual time that is inspected, and driven while its pages wait.
struct Shown {
    explicit Shown(steptree::InspectorOptions options = {}) : inspector(tool, std::move(options)) {}

    Stream look() {
        return Stream(inspector.url(), [this] { tool.advance(0); });
    }

    steptree::VirtualTool tool;
    steptree::Inspector inspector;
};

}  // namespace inspecting
