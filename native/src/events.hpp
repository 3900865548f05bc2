#pragma once

#include <node_api.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "steptree/observe.hpp"

namespace steptree::native {

class Call;
class Host;

/// What native steps of calls do, told to JavaScript while somebody there observes.
class Events {
  public:
    Events(Host& host, napi_value hear);
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    /// Whether it's told, and bodies, too.
    void observe(bool observes, bool bodies);
    bool observes() const noexcept { return observation_.has_value(); }
    /// The flow that begins meanwhile is that call's.
    class Begins {
      public:
        Begins(Events& events, const Call& call) noexcept : events_(events) {
            events_.begins_ = &call;
        }
        Begins(const Begins&) = delete;
        Begins& operator=(const Begins&) = delete;
        ~Begins() { events_.begins_ = nullptr; }

      private:
        Events& events_;
    };
    /// JavaScript goes.
    void end(napi_env env) noexcept;

  private:
    void hear(const FlowEvent& event);
    std::optional<std::uint32_t> callOf(const FlowEvent& event);
    void tell(std::uint32_t call, const FlowEvent& event);

    Host& host_;
    napi_ref hear_ = nullptr;
    const Call* begins_ = nullptr;
    /// By the number that its flow has in events: other flows of the tool are a plug-in's own.
    std::unordered_map<std::uint64_t, std::uint32_t> calls_;
    std::optional<Observation> observation_;
};

}  // namespace steptree::native
