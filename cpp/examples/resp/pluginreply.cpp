#include "pluginreply.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reply.hpp"

namespace resp {

namespace {

[[noreturn]] void refuseReply(const char* what) {
    throw steptree::StepError(steptree::errors::InternalError,
                              std::string("no command replies with ") + what);
}

std::string wholeOf(double number) {
    if (!(std::abs(number) < 9223372036854775808.0) || std::trunc(number) != number) {
        refuseReply("a fraction");
    }
    return integer(static_cast<std::int64_t>(number));
}

std::string replyOf(const steptree_value& value) {
    switch (value.tag) {
        case STEPTREE_NOTHING:
            return nullBulk;
        case STEPTREE_BOOL:
            return integer(value.of.boolean);
        case STEPTREE_INT64:
            return integer(value.of.integer);
        case STEPTREE_DOUBLE:
            return wholeOf(value.of.number);
        case STEPTREE_STRING:
        case STEPTREE_BYTES:
            return bulk(std::string_view(value.of.text.data, value.of.text.size));
        case STEPTREE_LIST: {
            std::vector<std::string> items;
            for (std::size_t i = 0; i < value.of.list.count; ++i) {
                items.push_back(replyOf(value.of.list.items[i]));
            }
            return array(items);
        }
        case STEPTREE_MAP:
            refuseReply("a map");
        default:
            refuseReply("something opaque");
    }
}

std::string replyOf(const steptree::Results& left, std::size_t i) {
    if (left.holds<std::string>(i)) return bulk(left.at<std::string>(i));
    if (left.holds<std::int64_t>(i)) return integer(left.at<std::int64_t>(i));
    if (left.holds<double>(i)) return wholeOf(left.at<double>(i));
    if (left.holds<bool>(i)) return integer(left.at<bool>(i) ? 1 : 0);
    return replyOf(left.at<steptree::Value>(i).raw());
}

}  // namespace

steptree::Value bytesOf(const std::string& text) {
    steptree_value raw{};
    raw.tag = STEPTREE_BYTES;
    raw.of.text = {text.data(), text.size()};
    return steptree::Value(raw);
}

std::string replyOf(const steptree::Results& left) {
    if (left.empty()) return nullBulk;
    if (left.size() == 1) return replyOf(left, 0);
    std::vector<std::string> items;
    for (std::size_t i = 0; i < left.size(); ++i) items.push_back(replyOf(left, i));
    return array(items);
}

}  // namespace resp
