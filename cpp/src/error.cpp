#include <algorithm>
#include <cerrno>
#include <new>

#include "engine.hpp"

namespace steptree::detail {

namespace {

ErrorRef share(ErrorData* data) noexcept {
    data->refs.fetch_add(1, std::memory_order_relaxed);
    return ErrorRef(data);
}

}  // namespace

ErrorRef makeError(Step& at, std::string_view code, std::string_view info,
                   std::exception_ptr cause) noexcept {
    EngineShare& engine = at.line->share();
    try {
        ErrorRef error(new ErrorData);
        error->order = ++engine.order;
        error->code = code;
        error->info = info;
        error->path = pathOf(at);
        error->cause = std::move(cause);
        return error;
    } catch (...) {
        return share(engine.outOfMemory);
    }
}

ErrorRef toRecord(const StepError& thrown, Step& at) noexcept {
    EngineShare& engine = at.line->share();
    try {
        ErrorRef error(new ErrorData);
        error->code = thrown.code();
        error->info = thrown.info();
        error->path = pathOf(at);
        error->cause = thrown.cause();
        error->origin = thrown.data().get();
        error->also = thrown.also();
        error->earlier = static_cast<std::uint32_t>(error->also.size());
        error->order = ++engine.order;
        return error;
    } catch (...) {
        return share(engine.outOfMemory);
    }
}

ErrorRef toRecord(std::exception_ptr native, std::string_view code, const char* info,
                  Step& at) noexcept {
    ErrorRef error = makeError(at, code.empty() ? errors::InternalError : code, info, native);
    if (error.get() != at.line->share().outOfMemory) error->native = std::move(native);
    return error;
}

ErrorRef toRecord(std::exception_ptr thrown, Step& at) noexcept {
    if (thrown == nullptr) {
        return makeError(at, errors::InternalError, "expected an exception, got null");
    }
    try {
        std::rethrow_exception(thrown);
    } catch (const StepError& e) {
        return toRecord(e, at);
    } catch (const std::system_error& e) {
        const bool portable = e.code().category() == std::generic_category() ||
                              e.code().category() == std::system_category();
        return toRecord(thrown, portable ? errnoName(e.code().value()) : std::string_view{},
                        e.what(), at);
    } catch (const std::exception& e) {
        return toRecord(thrown, {}, e.what(), at);
    } catch (...) {
        return toRecord(thrown, {}, "an exception of unknown type", at);
    }
}

std::exception_ptr exceptionOf(ErrorData& error) noexcept {
    if (error.native != nullptr) return error.native;
    sortAlso(error);
    try {
        return std::make_exception_ptr(StepError(share(&error)));
    } catch (...) {
        return std::current_exception();  // short of memory for what()
    }
}

void replaces(ErrorData& error, ErrorData& replaced) noexcept {
    if (error.origin == &replaced) return;
    const bool again = error.native != nullptr && error.native == replaced.native;
    try {
        if (again) {
            error.also = replaced.also;
            error.earlier = static_cast<std::uint32_t>(error.also.size());
        } else if (error.cause == nullptr) {
            error.cause = exceptionOf(replaced);
        }
    } catch (...) {
        return;  // short of memory: the error itself is what counts
    }
}

void addAlso(ErrorData& to, ErrorRef error) noexcept {
    if (&to == error.get()) return;
    try {
        auto& list = to.also;
        if (list.size() > to.earlier && list.back().data()->order > error->order) to.sorted = false;
        list.emplace_back(std::move(error));
    } catch (...) {
        return;  // short of memory: the first error is what counts
    }
}

void sortAlso(ErrorData& error) noexcept {
    if (std::exchange(error.sorted, true)) return;
    std::sort(error.also.begin() + error.earlier, error.also.end(),
              [](const StepError& one, const StepError& other) {
                  return one.data()->order < other.data()->order;
              });
}

}  // namespace steptree::detail
