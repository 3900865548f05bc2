#include "asked.hpp"

#include <utility>

#include "caller.hpp"

namespace steptree::detail::redis {

Asked::Asked(std::shared_ptr<Caller> by, Request what, Completion told)
    : caller(std::move(by)),
      done(std::move(told)),
      request(std::move(what)),
      patience(
          [](void* of) noexcept {
              Asked& late = *static_cast<Asked*>(of);
              late.caller->refused(late, "no answer in time");
          },
          this) {}

void Asked::ask() noexcept {
    asking.asked = shared_from_this();
    asking.run = [](Task& task) noexcept {
        const auto asked = std::move(static_cast<Post&>(task).asked);
        asked->caller->begin(asked);
    };
    caller->post(asking);
}

void Asked::leave() noexcept {
    leaving.asked = shared_from_this();
    leaving.run = [](Task& task) noexcept {
        const auto asked = std::move(static_cast<Post&>(task).asked);
        asked->caller->left(asked);
    };
    caller->post(leaving);
}

}  // namespace steptree::detail::redis
