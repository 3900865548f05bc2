#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>

#include "world.hpp"

namespace conformance {

/// `{source: id, ...}`: an input range that writes when it is asked for an item, and when it is
/// left before its end.
class Source {
    struct Asked {
        Asked(World& world, const Json& form, std::string id)
            : world(world), form(form), id(std::move(id)) {}
        Asked(const Asked&) = delete;
        Asked& operator=(const Asked&) = delete;

        World& world;
        const Json& form;
        std::string id;
        std::size_t next = 0;
        bool open = false;  // has begun, and neither thrown nor come to its end
        bool ready = false;
        Value item{};

        bool pull();
        ~Asked();
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

        explicit Iterator(std::shared_ptr<Asked> asked) noexcept : asked_(std::move(asked)) {}
        Value operator*() const { return asked_->item; }
        Iterator& operator++() {
            asked_->ready = false;
            return *this;
        }
        bool operator==(End) const { return !asked_->pull(); }

      private:
        std::shared_ptr<Asked> asked_;
    };

    Source(World& world, const Json& form) : world_(world), form_(form) {}

    Iterator begin() const {
        auto asked = std::make_shared<Asked>(world_, form_, form_["source"].get<std::string>());
        asked->open = true;
        return Iterator(std::move(asked));
    }
    End end() const noexcept { return {}; }

  private:
    World& world_;
    const Json& form_;
};

inline bool isSource(const Json& of) {
    return of.is_object() && of.contains("source");
}

}  // namespace conformance
