#include "steptree/inspector.hpp"

#include <utility>

#include "serverthread.hpp"

namespace steptree {

Inspector::Inspector(Tool& tool, InspectorOptions options)
    : thread_(std::make_unique<detail::inspecting::ServerThread>(tool, std::move(options))),
      url_(thread_->url()) {}
Inspector::Inspector(Inspector&& other) noexcept = default;
Inspector& Inspector::operator=(Inspector&& other) noexcept = default;
Inspector::~Inspector() = default;

void Inspector::close() noexcept {
    thread_.reset();
}

}  // namespace steptree
