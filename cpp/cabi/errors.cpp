#include "errors.hpp"

#include <iterator>
#include <stdexcept>
#include <system_error>

#include "foreign.hpp"
#include "handles.hpp"
#include "steptree/cvalue.hpp"
#include "tables.hpp"

namespace {

/// Where it was raised last, which all copies of an exception know.
class Where {
  public:
    void set(std::string path) {
        const std::lock_guard locked(mutex_);
        path_.swap(path);
    }
    std::string get() const {
        const std::lock_guard locked(mutex_);
        return path_;
    }

  private:
    mutable std::mutex mutex_;
    std::string path_;
};

/// What the exception of another language has with it.
struct Carries : steptree::detail::KnowsWhere {
    Carries(steptree::Value of, std::shared_ptr<const std::string> what)
        : object(std::move(of)), text(std::move(what)) {}
    void raisedAt(std::string path) const override { where->set(std::move(path)); }

    steptree::Value object;
    std::shared_ptr<const std::string> text;  // also of a number, without the system's own
    std::shared_ptr<Where> where = std::make_shared<Where>();
};

/// What it is to a handler, as the engine has it.
void describe(steptree_error& error) {
    try {
        std::rethrow_exception(error.thrown);
    } catch (const steptree::StepError& known) {
        error.step = known;
    } catch (const std::exception& known) {
        error.code = steptree::detail::portableCode(&known);
        error.info = known.what();
        if (const auto* carries = dynamic_cast<const Carries*>(&known)) {
            if (error.path.empty()) error.path = carries->where->get();
        }
        if (const auto* wraps = dynamic_cast<const std::nested_exception*>(&known)) {
            error.nested = wraps->nested_ptr();
        }
    } catch (...) {
        error.code = steptree::detail::portableCode(nullptr);
    }
    if (!error.step && error.code.empty()) error.code = steptree::errors::InternalError;
}

}  // namespace

steptree_error::steptree_error(const steptree::StepError& given) : step(given) {}

steptree_error::steptree_error(std::exception_ptr given) : thrown(std::move(given)) {
    describe(*this);
}

steptree_error::steptree_error(std::exception_ptr given, const std::string& itsCode,
                               const std::string& itsInfo, const std::string& itsPath)
    : thrown(std::move(given)), code(itsCode), info(itsInfo), path(itsPath) {
    const std::string known = code;
    describe(*this);
    if (!step) code = known;
}

namespace steptree::cabi {

void DropError::operator()(const steptree_error* error) const noexcept {
    if (error->refs.drop()) delete error;
}

namespace {

/// Of each sort one.
thread_local OwnedError lent[3];

/// What is left where there is no memory for an error: made before, and never destroyed.
const steptree_error& noMemory =
    *new steptree_error(StepError(errors::InternalError, "out of memory"));

OwnedError outOfMemory() noexcept {
    noMemory.refs.add();
    return OwnedError(&noMemory);
}

}  // namespace

const steptree_error* lend(LentAs sort, OwnedError error) noexcept {
    OwnedError& place = lent[static_cast<int>(sort)];
    OwnedError old = std::move(place);
    if (old != nullptr) {
        const Sheltered sheltered;  // what goes with it may fail in its turn
        old.reset();
    }
    place = std::move(error);
    return place.get();
}

const steptree_error* lastOne() noexcept {
    return lent[static_cast<int>(LentAs::failure)].get();
}

const steptree_error* failed() noexcept {
    OwnedError error;
    try {
        error = makeError(std::current_exception());
    } catch (...) {
        error = outOfMemory();
    }
    return lend(LentAs::failure, std::move(error));
}

void Sheltered::swap() noexcept {
    for (std::size_t i = 0; i < std::size(kept_); ++i) kept_[i].swap(lent[i]);
}

std::exception_ptr exceptionOf(const steptree_error* error) {
    if (error == nullptr) return nullptr;
    return error->thrown != nullptr ? error->thrown : std::make_exception_ptr(*error->step);
}

void rethrow(const steptree_error& error) {
    if (error.thrown != nullptr) std::rethrow_exception(error.thrown);
    throw *error.step;
}

namespace {

Value valueOf(steptree_opaque object) {
    steptree_value raw{};
    raw.tag = STEPTREE_OPAQUE;
    raw.of.opaque = object;
    return Value(raw);
}

/// What errorFor() has in the place of the cause. No program sees it.
struct Behind : std::exception {
    Behind(Value of, std::exception_ptr next) : object(std::move(of)), cause(std::move(next)) {}

    Value object;
    std::exception_ptr cause;
};

std::optional<Behind> behind(const std::exception_ptr& cause) {
    if (cause == nullptr) return {};
    try {
        std::rethrow_exception(cause);
    } catch (const Behind& known) {
        return known;
    } catch (...) {
        return {};
    }
}

}  // namespace

OwnedError errorFor(std::string_view code, std::string_view info, steptree_opaque object,
                    const steptree_error* cause) {
    return makeError(StepError(
        code, info, std::make_exception_ptr(Behind(valueOf(object), exceptionOf(cause)))));
}

namespace errorcalls {

namespace {

template <class E>
[[noreturn]] void throwOver(E thrown, const steptree_error* cause) {
    if (cause == nullptr) throw thrown;
    try {
        rethrow(*cause);
    } catch (...) {
        std::throw_with_nested(std::move(thrown));
    }
}

const steptree_error* make(steptree_text code, steptree_text info, const steptree_error* cause) {
    try {
        return lend(LentAs::failure,
                    makeError(StepError(view(code), view(info), exceptionOf(cause))));
    } catch (...) {
        return failed();
    }
}

const steptree_error* ofSystem(std::int32_t number, steptree_text info,
                               const steptree_error* cause) {
    try {
        const std::string text(view(info));
        if (number == 0) throwOver(std::runtime_error(text), cause);
        if (text.empty()) throwOver(std::system_error(number, std::generic_category()), cause);
        throwOver(std::system_error(number, std::generic_category(), text), cause);
    } catch (...) {
        return failed();
    }
}

void keep(const steptree_error* error) {
    error->refs.add();
}
void drop(const steptree_error* error) {
    if (error != nullptr && error->refs.drop()) delete error;
}

template <class E>
struct OfObject : E, Carries {
    OfObject(E thrown, Carries carries) : E(std::move(thrown)), Carries(std::move(carries)) {}
    const char* what() const noexcept override { return text->c_str(); }
};

const steptree_error* ofObject(std::int32_t number, steptree_text info, steptree_opaque object,
                               const steptree_error* cause) {
    try {
        Value kept = valueOf(object);
        const std::string text(view(info));
        Carries carries{std::move(kept), std::make_shared<const std::string>(text)};
        if (number == 0) throwOver(OfObject(std::runtime_error(text), std::move(carries)), cause);
        throwOver(OfObject(std::system_error(number, std::generic_category()), std::move(carries)),
                  cause);
    } catch (...) {
        return failed();
    }
}

steptree_opaque objectOf(const steptree_error* error) {
    if (error->step) {
        const std::optional<Behind> known = behind(error->step->cause());
        return known ? known->object.raw().of.opaque : steptree_opaque{};
    }
    if (error->thrown == nullptr) return {};
    try {
        std::rethrow_exception(error->thrown);
    } catch (const Carries& known) {
        return known.object.raw().of.opaque;  // which the error has, too
    } catch (...) {
        return {};
    }
}

steptree_text codeOf(const steptree_error* error) {
    return textOf(error->step ? error->step->code() : error->code);
}
steptree_text infoOf(const steptree_error* error) {
    return textOf(error->step ? error->step->info() : error->info);
}
steptree_text pathOf(const steptree_error* error) {
    return textOf(error->step ? error->step->path() : error->path);
}

const steptree_error* causeOf(const steptree_error* error) {
    std::exception_ptr next = error->step ? error->step->cause() : error->nested;
    if (const std::optional<Behind> known = behind(next)) next = known->cause;
    if (next == nullptr) return nullptr;
    const std::lock_guard locked(error->mutex);
    try {
        if (error->cause == nullptr) error->cause = makeError(next);
    } catch (...) {
        return &noMemory;
    }
    return error->cause.get();
}

const steptree_error* alsoOf(const steptree_error* error, std::size_t number) {
    if (!error->step) return nullptr;
    const std::lock_guard locked(error->mutex);
    try {
        const auto all = error->step->also();
        for (std::size_t i = error->also.size(); i <= number && i < all.size(); ++i) {
            error->also.push_back(makeError(all[i]));
        }
    } catch (...) {
        return &noMemory;
    }
    return number < error->also.size() ? error->also[number].get() : nullptr;
}

std::int32_t isForeign(const steptree_error* error) {
    return error->step ? 0 : 1;
}
std::int64_t retryAfter(const steptree_error* error) {
    return error->step ? error->step->retryAfter() : -1;
}
std::int32_t refused(const steptree_error* error) {
    return error->step && error->step->refused() ? 1 : 0;
}
steptree_text guardOf(const steptree_error* error) {
    return textOf(error->step ? error->step->guard() : std::string_view());
}
steptree_text waitsOf(const steptree_error* error) {
    return textOf(error->step ? error->step->waits() : std::string_view());
}

const steptree_error* makeRefusal(steptree_text code, steptree_text guard, steptree_text why,
                                  std::int64_t after) {
    try {
        const std::string name(view(guard));
        std::string info = name.empty() ? "guard" : "guard '" + name + "'";
        info.append(": ").append(view(why));
        StepError error(code.size == 0 ? std::string_view(errors::DefenseRejected) : view(code),
                        info);
        detail::ErrorData& data = *error.data().get();
        data.guardSize = static_cast<std::uint32_t>(name.size() + 1);
        data.retryAfter = after < 0 ? -1 : after;
        return lend(LentAs::failure, makeError(error));
    } catch (...) {
        return failed();
    }
}

}  // namespace

const steptree_error_api kApi{sizeof(kApi), 0,          &keep,       &drop,       &make,
                              &ofSystem,    &codeOf,    &infoOf,     &pathOf,     &causeOf,
                              &alsoOf,      &isForeign, &retryAfter, &refused,    &guardOf,
                              &waitsOf,     &ofObject,  &objectOf,   &makeRefusal};

}  // namespace errorcalls

}  // namespace steptree::cabi
