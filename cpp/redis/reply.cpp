#include "reply.hpp"

#include <hiredis/hiredis.h>

#include <string_view>

namespace steptree::detail::redis {

bool Reply::refuses(const char* word) const noexcept {
    return kind == Kind::error && std::string_view(text).substr(0, std::string_view(word).size()) ==
                                      std::string_view(word);
}

Reply Reply::of(const redisReply* reply) {
    Reply made;
    if (reply == nullptr) return gone("lost");
    switch (reply->type) {
        case REDIS_REPLY_INTEGER:
            made.kind = Kind::number;
            made.number = reply->integer;
            break;
        case REDIS_REPLY_STATUS:
        case REDIS_REPLY_STRING:
            made.kind = Kind::text;
            made.text.assign(reply->str, reply->len);
            break;
        case REDIS_REPLY_ERROR:
            made.kind = Kind::error;
            made.text.assign(reply->str, reply->len);
            break;
        case REDIS_REPLY_ARRAY:
            made.kind = Kind::list;
            made.list.reserve(reply->elements);
            for (std::size_t i = 0; i < reply->elements; ++i) {
                made.list.push_back(of(reply->element[i]));
            }
            break;
        default:
            break;
    }
    return made;
}

Reply Reply::gone(const char* why) noexcept {
    Reply made;
    made.kind = Kind::lost;
    made.text = why;  // short enough for the string itself
    return made;
}

}  // namespace steptree::detail::redis
