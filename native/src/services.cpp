#include "services.hpp"

#include <array>
#include <limits>

#include "errors.hpp"
#include "handles.hpp"
#include "host.hpp"
#include "js.hpp"
#include "steptree/error.hpp"
#include "values.hpp"

namespace steptree::native {

namespace {

const steptree_api& api() noexcept {
    static const steptree_api* const table = steptree_host(STEPTREE_ABI, nullptr);
    return *table;
}

/// Code and info of each, the outermost first; without a code: a foreign one.
cabi::OwnedError causeOf(std::span<const std::string> causes) {
    cabi::OwnedError made;
    for (std::size_t i = causes.size() / 2; i-- > 0;) {
        const std::string& code = causes[2 * i];
        const steptree_text info = cabi::textOf(causes[2 * i + 1]);
        const steptree_error* const next =
            code.empty() ? api().error->of_system(0, info, made.get())
                         : api().error->make(cabi::textOf(code), info, made.get());
        api().error->keep(next);
        made.reset(next);
    }
    return made;
}

void giveBack(void* loan) {
    Lender::giveBack(static_cast<Lender::Loan*>(loan));
}

/// An error of JavaScript, which goes through native steps.
constexpr steptree_kind kError{sizeof(steptree_kind), 0, {"JavaScript's error", 18}, &giveBack};

}  // namespace

struct Services::Offer {
    Services& services;
    Lender::Loan* step;
};

struct Services::Served {
    Services& services;
    std::uint32_t number;
    steptree_awaiter awaiter{};
};

Services::Services(Host& host, const Functions& functions)
    : host_(host), objects_(std::make_shared<Lender>(host.env())) {
    napi_create_reference(host.env(), functions.serve, 1, &serve_);
    napi_create_reference(host.env(), functions.cancel, 1, &cancel_);
}

void Services::end(napi_env env) noexcept {
    objects_->end();
    napi_delete_reference(env, serve_);
    napi_delete_reference(env, cancel_);
}

void Services::offer(const std::string& name, napi_value step, const std::string& element) {
    Lender::Loan* const loan = objects_->lend(step);
    if (loan == nullptr) return;
    const auto drop = [](void* data) {
        const std::unique_ptr<Offer> gone(static_cast<Offer*>(data));
        Lender::giveBack(gone->step);
    };
    steptree_closure closure{};
    closure.body = &body;
    closure.data = new Offer{*this, loan};
    closure.drop = drop;
    const steptree_definition* made = nullptr;
    cabi::raise(api().define->step(&closure, &made));
    const cabi::AnyStep service = cabi::stepOf(made);
    api().define->drop(made);
    host_.plugins().offer(name, element.empty() ? service : service.named(element));
}

void Services::withdraw(const std::string& name) {
    host_.plugins().withdraw(name);
}

const steptree_error* Services::body(steptree_step* asi, const steptree_args* args, void* data) {
    const Offer& offer = *static_cast<const Offer*>(data);
    return cabi::attempt([&] { offer.services.begin(offer, asi, *args); });
}

void Services::begin(const Offer& offer, steptree_step* asi, const steptree_args& args) {
    if (std::this_thread::get_id() != owner_) {
        throw StepError(errors::InternalError,
                        "a service of JavaScript was called on another thread than JavaScript's");
    }
    const napi_env env = host_.env();
    if (env == nullptr) throw StepError(errors::InternalError, "JavaScript has gone");
    std::int64_t ms = 0;
    cabi::raise(api().step->remaining(asi, &ms));
    const HandleScope scope(env);
    const bool isLimited = ms != std::numeric_limits<std::int64_t>::max();
    const std::uint32_t number = ++last_;
    napi_value values = nullptr;
    napi_create_array(env, &values);
    for (std::uint32_t i = 0; i < args.count; ++i)
        napi_set_element(env, values, i, toJs(env, args.values[i]));
    napi_value step = nullptr;
    napi_get_reference_value(env, offer.step->object, &step);
    const napi_value given[] = {step, numberOf(env, number),
                                numberOf(env, Call::around(cabi::from(asi))),
                                numberOf(env, isLimited ? static_cast<double>(ms)
                                                        : std::numeric_limits<double>::infinity()),
                                values};
    auto owned = std::make_unique<Served>(Served{*this, number});
    open_.emplace(number, owned.get());
    Served* const served = owned.release();  // the awaitable's, which `drop` ends
    const auto subscribe = [](steptree_awaiter awaiter, void* data) {
        static_cast<Served*>(data)->awaiter = awaiter;
    };
    const auto cancelled = [](void* data) -> std::int32_t {
        const Served& of = *static_cast<const Served*>(data);
        return of.services.cancel(of.number) ? 1 : 0;
    };
    const auto drop = [](void* data) {
        const std::unique_ptr<Served> gone(static_cast<Served*>(data));
        gone->services.open_.erase(gone->number);
        api().awaiter->drop(gone->awaiter);
    };
    const steptree_awaitable awaitable{
        sizeof(steptree_awaitable), STEPTREE_TAKES_TIME, subscribe, cancelled, served, drop};
    cabi::raise(api().step->give_awaitable(asi, &awaitable));
    call(serve_, 5, given);
}

napi_value Services::call(napi_ref kept, std::size_t count, const napi_value* args) noexcept {
    const napi_env env = host_.env();
    napi_value function = nullptr;
    napi_value result = nullptr;
    napi_get_reference_value(env, kept, &function);
    napi_call_function(env, undefinedOf(env), function, count, args, &result);
    return result;
}

bool Services::cancel(std::uint32_t number) {
    const napi_env env = host_.env();
    if (env == nullptr) return false;
    const HandleScope scope(env);
    const Host::Inside inside(host_);
    const napi_value given = numberOf(env, number);
    bool takesTime = false;
    napi_get_value_bool(env, call(cancel_, 1, &given), &takesTime);
    return takesTime;
}

template <class Tell>
void Services::tell(std::uint32_t number, Tell tell) {
    const auto at = open_.find(number);
    if (at == open_.end()) return;
    const steptree_awaiter awaiter = api().awaiter->keep(at->second->awaiter);
    host_.enter([&] { tell(awaiter); });
    api().awaiter->drop(awaiter);
}

void Services::succeed(std::uint32_t number, const napi_value* values, std::size_t count) {
    tell(number, [&](steptree_awaiter awaiter) {
        std::array<Value, 4> all;
        std::array<steptree_value, 4> raw;
        try {
            for (std::size_t i = 0; i < count; ++i) {
                all[i] = fromJs(host_.env(), host_.lender(), values[i]);
                raw[i] = all[i].raw();
            }
        } catch (...) {
            return api().awaiter->fail(awaiter, cabi::failed());
        }
        api().awaiter->success(awaiter, raw.data(), count);
    });
}

void Services::fail(std::uint32_t number, napi_value error, const std::string& code,
                    const std::string& info, std::span<const std::string> causes) {
    tell(number, [&](steptree_awaiter awaiter) {
        try {
            const cabi::OwnedError cause = causeOf(causes);
            Lender::Loan* const loan = objects_->lend(error);
            const cabi::OwnedError own =
                loan != nullptr ? cabi::errorFor(code, info, {loan, &kError}, cause.get())
                                : cabi::makeError(StepError(code, info));
            api().awaiter->fail(awaiter, own.get());
        } catch (...) {
            api().awaiter->fail(awaiter, cabi::failed());
        }
    });
}

void Services::closed(std::uint32_t number) {
    tell(number, [](steptree_awaiter awaiter) { api().awaiter->success(awaiter, nullptr, 0); });
}

napi_value errorInside(napi_env env, const steptree_error* error) {
    const steptree_opaque object = api().error->object(error);
    if (object.kind != &kError) return nullptr;
    napi_value made = nullptr;
    napi_get_reference_value(env, static_cast<Lender::Loan*>(object.pointer)->object, &made);
    return made;
}

}  // namespace steptree::native
