#include "reply.hpp"

#include "text.hpp"

namespace resp {

std::string errorReply(std::string_view text) {
    std::string reply = "-";
    for (const char c : text) reply += c == '\r' || c == '\n' ? ' ' : c;
    return reply += "\r\n";
}

std::string integer(std::int64_t value) {
    return concat({":", std::to_string(value), "\r\n"});
}

std::string bulk(std::string_view text) {
    return concat({"$", std::to_string(text.size()), "\r\n", text, "\r\n"});
}

std::string array(const std::vector<std::string>& items) {
    std::string reply = concat({"*", std::to_string(items.size()), "\r\n"});
    for (const std::string& item : items) reply += item;
    return reply;
}

std::string bulkArray(const std::vector<std::string>& texts) {
    std::vector<std::string> items;
    for (const std::string& text : texts) items.push_back(bulk(text));
    return array(items);
}

}  // namespace resp
