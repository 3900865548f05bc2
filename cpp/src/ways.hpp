#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>

#include "tree.hpp"

/// Paths of steps of which a recorder knows, or that are open. A long one has no middle, so each
/// takes little time however deep it is.
namespace steptree::detail {

/// The way to a step, from the flow's root.
struct Way {
    std::string element;          // of one that has closed
    Step* open = nullptr;         // null: it has closed; else it is asked, and what is around it
    const Way* around = nullptr;  // of one that has closed; null: it's the outermost
    std::size_t length = 1;
    const std::string* head = nullptr;  // its first elements; null: it has no more
};

class Ways {
  public:
    /// `asks`: what is open is there, and can be asked.
    explicit Ways(bool asks) : asks_(asks) {}

    /// The step closes here: what came before means that one. `parent`: null: it's the outermost.
    void closed(Step& step, std::string element, Step* parent);

    std::string pathOf(Step& step);
    std::string elementOf(Step& step);
    /// Null: it's the outermost, or that isn't known.
    Step* around(Step& step);

  private:
    struct Closed {
        const Way* way;
        Step* parent;
    };

    const Way& wayOf(Step& step);
    const Way& openWay(Step& step);
    const Way& add(Way way);
    static std::string elementOf(const Way& way);
    static std::string pathOf(const Way& way);

    const bool asks_;
    std::deque<Way> ways_;
    std::deque<std::string> heads_;
    std::unordered_map<const Step*, Closed> closed_;
    std::unordered_map<const Step*, const Way*> open_;
};

/// Of a text with more than 64 characters the first 63 and `…`.
std::string shortText(std::string text);

}  // namespace steptree::detail
