#pragma once

#include <node_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "lender.hpp"
#include "steptree/steptree.h"

namespace steptree::native {

class Host;

/// Steps of JavaScript that native steps call by names. A call is awaited by its native step: its
/// end is told by JavaScript, its cancel is told to JavaScript.
class Services {
  public:
    /// What native code calls of JavaScript. `serve` runs no code of the program; `cancel` does:
    /// its cancel handlers.
    struct Functions {
        napi_value serve;   // (step, number of the service's call, of the call around, ms, values)
        napi_value cancel;  // (number of the service's call): whether that takes time
    };

    Services(Host& host, const Functions& functions);
    Services(const Services&) = delete;
    Services& operator=(const Services&) = delete;

    /// `element`: what the step is called in paths; empty: by its number.
    void offer(const std::string& name, napi_value step, const std::string& element);
    void withdraw(const std::string& name);

    /// It has ended, with up to 4 values. Late: nothing.
    void succeed(std::uint32_t number, const napi_value* values, std::size_t count);
    /// `causes`: code and info of each, the outermost first; without a code it's a foreign one.
    void fail(std::uint32_t number, napi_value error, const std::string& code,
              const std::string& info, std::span<const std::string> causes);
    /// What was cancelled is closed.
    void closed(std::uint32_t number);

    std::size_t open() const noexcept { return open_.size(); }
    void collect() noexcept { objects_->collect(); }
    /// JavaScript goes.
    void end(napi_env env) noexcept;

  private:
    struct Offer;
    struct Served;
    static const steptree_error* body(steptree_step* asi, const steptree_args* args, void* data);
    void begin(const Offer& offer, steptree_step* asi, const steptree_args& args);
    bool cancel(std::uint32_t number);
    napi_value call(napi_ref kept, std::size_t count, const napi_value* args) noexcept;
    template <class Tell>
    void tell(std::uint32_t number, Tell tell);

    Host& host_;
    const std::thread::id owner_ = std::this_thread::get_id();
    std::shared_ptr<Lender> objects_;
    napi_ref serve_ = nullptr;
    napi_ref cancel_ = nullptr;
    std::map<std::uint32_t, Served*> open_;
    std::uint32_t last_ = 0;
};

/// The error of JavaScript that a native one stands for; null: none.
napi_value errorInside(napi_env env, const steptree_error* error);

}  // namespace steptree::native
