#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "code.hpp"
#include "errors.hpp"
#include "handles.hpp"
#include "steptree/iasyncsteps.hpp"
#include "values.hpp"

/// Functions of C, as callables of C++.
namespace steptree::cabi {

/// What C has given with its functions: dropped once. It keeps their code loaded.
class Data {
  public:
    Data() noexcept = default;
    template <class... F>
    Data(void* data, void (*drop)(void*), F*... functions) noexcept
        : hold_(loadedCodeOf(functions..., drop)), data_(data), drop_(drop) {}
    explicit Data(const steptree_closure& closure) noexcept
        : Data(closure.data, closure.drop, closure.body, closure.onerror) {}
    Data(Data&& other) noexcept
        : hold_(std::move(other.hold_)),
          data_(other.data_),
          drop_(std::exchange(other.drop_, nullptr)) {}
    Data& operator=(Data&& other) noexcept {
        std::swap(hold_, other.hold_);
        std::swap(data_, other.data_);
        std::swap(drop_, other.drop_);
        return *this;
    }
    ~Data() {
        if (drop_ != nullptr) drop_(data_);
    }

    void* get() const noexcept { return data_; }
    /// Whether anything happens when it goes.
    bool owns() const noexcept { return drop_ != nullptr || code() != nullptr; }
    Code* code() const noexcept { return hold_.code(); }

  private:
    Hold<HeldAs::function> hold_;  // goes when `drop_` has returned
    void* data_ = nullptr;
    void (*drop_)(void*) = nullptr;
};

/// The same of who doesn't own it: closures that are copied as bytes.
class Lost {
  public:
    explicit Lost(const Data& data) noexcept : data_(data.get()) {}
    void* get() const noexcept { return data_; }

  private:
    void* data_;
};

inline void call(steptree_body body, IAsyncSteps& asi, const Lent& lent, void* data) {
    if (body != nullptr) raise(body(cHandle(asi), &lent, data));
}

/// What most bodies are given.
inline const Lent kNoValues;

inline void callWith(Results& values, steptree_body body, IAsyncSteps& asi, void* data) {
    if (values.empty()) return call(body, asi, kNoValues, data);
    call(body, asi, Lent(values, true), data);
}

/// The body of a step that is added.
template <class Keep>
struct StepBody {
    steptree_body body;
    Keep data;

    void operator()(IAsyncSteps& asi, Results& values) const {
        callWith(values, body, asi, data.get());
    }
};

/// That of a step value.
struct SharedStepBody {
    steptree_body body;
    Data data;

    void operator()(IAsyncSteps& asi, const Results& values) const {
        callWith(const_cast<Results&>(values), body, asi, data.get());
    }
};

struct RoundBody {
    steptree_body body;
    Data data;

    void operator()(IAsyncSteps& asi) const { call(body, asi, kNoValues, data.get()); }
};

struct NumberedRoundBody {
    steptree_body body;
    Data data;

    void operator()(IAsyncSteps& asi, std::int64_t number) const {
        Lent lent;
        lent.add(number);
        call(body, asi, lent, data.get());
    }
};

/// Of an element of a list, or what comes from a channel.
struct ElementBody {
    steptree_body body;
    Data data;

    void operator()(IAsyncSteps& asi, std::size_t number, const Value& element) const {
        Lent lent;
        lent.add(static_cast<std::int64_t>(number));
        lent.add(element);
        call(body, asi, lent, data.get());
    }
};

struct EntryBody {
    steptree_body body;
    Data data;

    void operator()(IAsyncSteps& asi, const Value& key, const Value& value) const {
        Lent lent;
        lent.add(key);
        lent.add(value);
        call(body, asi, lent, data.get());
    }
};

/// Of an item of a map.
struct ItemBody {
    steptree_body body;
    Data data;

    void operator()(IAsyncSteps& asi, const Value& item, std::size_t number) const {
        Lent lent;
        lent.add(item);
        lent.add(static_cast<std::int64_t>(number));
        call(body, asi, lent, data.get());
    }
};

struct Handler {
    steptree_handler handler;
    Data data;

    void operator()(IAsyncSteps& asi, const std::string& code) const {
        raise(handler(cHandle(asi), textOf(code), data.get()));
    }
};

struct CancelHandler {
    steptree_body handler;
    Data data;

    void operator()(IAsyncSteps& asi) const { call(handler, asi, kNoValues, data.get()); }
};

/// Whether a step value stands in the place of the body.
inline bool hasValue(const steptree_closure& closure) noexcept {
    return closure.body == nullptr && closure.value != nullptr;
}

/// Gives `use` what stands in the place of a body: a step value, or a function with its data.
template <class Body, class Use>
void withBody(const steptree_closure& closure, Data data, Use use) {
    if (hasValue(closure)) return use(stepOf(closure.value));
    use(Body{closure.body, std::move(data)});
}

/// The same for a step, with its handler, null if there is none: that is destroyed last, and has
/// the data then. Without anything to drop the body is copied as bytes, as are those of C++.
template <class Use>
void withHandled(const steptree_closure& closure, Use use) {
    Data data(closure);
    if (closure.onerror == nullptr) {
        if (hasValue(closure)) return use(stepOf(closure.value), nullptr);
        if (data.owns()) return use(StepBody<Data>{closure.body, std::move(data)}, nullptr);
        return use(StepBody<Lost>{closure.body, Lost(data)}, nullptr);
    }
    Handler handler{closure.onerror, Data()};
    if (hasValue(closure)) {
        handler.data = std::move(data);
        return use(stepOf(closure.value), std::move(handler));
    }
    const Lost lost(data);
    handler.data = std::move(data);
    use(StepBody<Lost>{closure.body, lost}, std::move(handler));
}

/// The handler alone.
template <class Use>
void withHandler(const steptree_closure* closure, Use use) {
    if (closure == nullptr) return use(nullptr);
    Data data(*closure);
    if (closure->onerror == nullptr) return use(nullptr);
    use(Handler{closure->onerror, std::move(data)});
}

}  // namespace steptree::cabi
