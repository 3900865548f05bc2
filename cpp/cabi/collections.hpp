#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "functions.hpp"

/// What loops and maps go through.
namespace steptree::cabi {

/// A map that keeps its order.
struct Entries {
    using key_type = Value;
    using mapped_type = Value;

    std::vector<std::pair<const Value, Value>> all;

    auto begin() const { return all.begin(); }
    auto end() const { return all.end(); }
};

/// A list. What is none is refused where the loop starts.
class Items {
  public:
    explicit Items(const Value& of) : isList_(of.type() == STEPTREE_LIST) {
        all_.reserve(of.items().size());
        for (const steptree_value& item : of.items()) all_.emplace_back(item);
    }

    const Value* begin() const {
        if (isList_) return all_.data();
        throw StepError(errors::InternalError, "expected a list or a map");
    }
    const Value* end() const noexcept { return all_.data() + all_.size(); }
    std::size_t size() const noexcept { return all_.size(); }

  private:
    std::vector<Value> all_;
    bool isList_;
};

inline Entries entriesOf(const Value& map) {
    Entries entries;
    for (const steptree_entry& entry : map.entries()) {
        entries.all.emplace_back(Value(entry.key), Value(entry.value));
    }
    return entries;
}

/// Gives `use` the collection, and a body that takes what it has.
template <class Use>
void withCollection(const steptree_value* collection, const steptree_closure& closure, Use use) {
    Data data(closure);
    if (collection == nullptr) misuse("for_each: a collection is expected");
    const Value value(*collection);
    if (value.type() == STEPTREE_MAP) {
        return withBody<EntryBody>(closure, std::move(data),
                                   [&](auto body) { use(entriesOf(value), std::move(body)); });
    }
    withBody<ElementBody>(closure, std::move(data),
                          [&](auto body) { use(Items(value), std::move(body)); });
}

/// Items of a program, an input range. Runs share what has been given with it.
class Source {
    struct Given {
        steptree_source of;
        Data data;
    };
    struct Run {
        explicit Run(std::shared_ptr<const Given> of)
            : given(std::move(of)), run(given->of.begin(given->data.get())) {}
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;
        ~Run() { given->of.end(run); }

        /// Whether there is an item.
        bool pull() {
            if (ready) return true;
            steptree_value next{};
            std::int32_t has = 0;
            raise(given->of.next(run, &next, &has));
            if (has == 0) return false;
            item = Value(next);
            return ready = true;
        }

        std::shared_ptr<const Given> given;
        void* run;
        Value item{};
        bool ready = false;
    };

  public:
    struct End {};

    class Iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Value;
        using difference_type = std::ptrdiff_t;
        using pointer = const Value*;
        using reference = Value;

        explicit Iterator(std::shared_ptr<Run> run) noexcept : run_(std::move(run)) {}
        Value operator*() const { return run_->item; }
        Iterator& operator++() {
            run_->ready = false;
            return *this;
        }
        bool operator==(End) const { return !run_->pull(); }

      private:
        std::shared_ptr<Run> run_;
    };

    explicit Source(const steptree_source& of) : Source(of, Data(of.data, of.drop, of.next)) {}

    Iterator begin() const { return Iterator(std::make_shared<Run>(given_)); }
    End end() const noexcept { return {}; }

  private:
    Source(const steptree_source& of, Data data)
        : given_(std::make_shared<Given>(Given{of, std::move(data)})) {}

    std::shared_ptr<const Given> given_;
};

}  // namespace steptree::cabi
