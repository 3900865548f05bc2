#include "work.hpp"

#include <algorithm>
#include <exception>

namespace steptree::detail::redis {

void Work::stop(End why) {
    if (end == End::lost || end == why) return;
    end = why;
    if (why == End::lost) lost.request_stop();
    stops.request_stop();
}

Clock::time_point WorkSource::expire(Clock::time_point now) {
    auto first = Clock::time_point::max();
    for (const Held& work : std::vector<Held>(held_.begin(), held_.end())) {
        if (work->end == End::lost) continue;
        if (work->expires <= now) {
            work->stop(End::lost);
        } else {
            first = std::min(first, work->expires);
        }
    }
    return first;
}

void WorkSource::beginAll(const std::vector<Reply>& given,
                          const std::function<Held(const Reply&)>& make,
                          const std::function<void(const Held&)>& begin) {
    std::exception_ptr failure;
    for (const Reply& one : given) {
        Held work;
        try {
            work = make(one);
            held_.insert(work);
            begin(work);
        } catch (...) {
            if (work != nullptr) drop(work);
            failure = std::current_exception();
        }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace steptree::detail::redis
