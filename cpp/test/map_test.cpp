#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/promise.hpp"
#include "steptree/steps.hpp"

using namespace rig;

namespace {

/// Gives 0, 1, 2, ... below a limit, as long as it lives.
struct Numbers {
    std::shared_ptr<int> owned = std::make_shared<int>(0);
    int limit = 3;

    std::optional<int> operator()() {
        if (*owned == limit) return std::nullopt;
        return (*owned)++;
    }
};

/// Movable only, and made of nothing else.
struct Made {
    explicit Made(int n) : value(std::make_unique<int>(n)) {}
    std::unique_ptr<int> value;
};

const auto give = [](IAsyncSteps& asi, int item) { asi.success(item); };

}  // namespace

TEST_CASE("a map gives a vector of its results", "[map]") {
    Rig rig;
    std::vector<std::string> results;
    rig.flow.add(map<std::string>(std::vector<int>{5, 6, 7}, {.limit = 2},
                                  [](IAsyncSteps& asi, int item, std::size_t i) {
                                      asi.success(std::to_string(item) + "/" + std::to_string(i));
                                  }));
    rig.flow.add([&](IAsyncSteps&, std::vector<std::string>&& all) { results = std::move(all); });
    CHECK(rig.run() == "ok");
    CHECK(results == std::vector<std::string>{"5/0", "6/1", "7/2"});
}

TEST_CASE("what a map leaves follows from what its body returns", "[map]") {
    using steptree::AnyValues;
    using steptree::Step;
    using steptree::Values;
    const std::vector<int> items{1, 2};
    const auto text = [](IAsyncSteps&, int item) { return std::to_string(item); };
    const auto texts = map(items, {.limit = 2}, text);
    STATIC_REQUIRE(
        std::is_same_v<decltype(texts), const Step<AnyValues, Values<std::vector<std::string>>>>);
    const auto later = map(items, {.limit = 2}, [](IAsyncSteps&, int, std::size_t) {
        return steptree::Promise<int>().future();
    });
    STATIC_REQUIRE(
        std::is_same_v<decltype(later), const Step<AnyValues, Values<std::vector<int>>>>);
    const auto none = map(items, {.limit = 2}, [](IAsyncSteps&, int) {});
    STATIC_REQUIRE(std::is_same_v<decltype(none), const Step<AnyValues, Values<>>>);
    std::string given;
    const auto sunk = map(items, {.limit = 2}, text,
                          [&](const std::string& each, std::size_t) { given += each; });
    STATIC_REQUIRE(std::is_same_v<decltype(sunk), const Step<AnyValues, Values<>>>);
    const auto nested = map(items, {.limit = 2}, steptree::step(text));
    STATIC_REQUIRE(std::is_same_v<decltype(nested), decltype(texts)>);

    Rig rig;
    std::vector<std::string> all;
    rig.flow
        .add(steptree::steps(texts,
                             [&](IAsyncSteps&, const std::vector<std::string>& got) { all = got; }))
        .add(sunk)
        .add(none);
    CHECK(rig.run() == "ok");
    CHECK(all == std::vector<std::string>{"1", "2"});
    CHECK(given == "12");
}

TEST_CASE("a map whose body returns nothing collects nothing", "[map]") {
    Rig rig;
    int sum = 0;
    std::size_t values = 9;
    rig.flow.add(map(std::vector<int>{1, 2}, {.limit = 2}, [&](IAsyncSteps& asi, int item) {
        sum += item;
        asi.success("ignored");
    }));
    rig.flow.add([&](IAsyncSteps&, Results& none) { values = none.size(); });
    CHECK(rig.run() == "ok");
    CHECK(sum == 3);
    CHECK(values == 0);
}

TEST_CASE("results may be of types that can't be copied or made of nothing", "[map]") {
    Rig rig;
    int sum = 0;
    const auto body = [](IAsyncSteps& asi, int item) {
        asi.success(Made(item));
        if (item == 1) asi.setTimeout(1);
    };
    rig.flow.add(map<Made>(std::vector<int>{1, 2}, {.limit = 2}, body));
    rig.flow.add([&](IAsyncSteps&, std::vector<Made>& all) {
        for (const Made& made : all) sum = 10 * sum + *made.value;
    });
    rig.flow.add(map<Made>(std::vector<int>{3, 4}, {.limit = 2}, body,
                           [&](Made made, std::size_t) { sum = 10 * sum + *made.value; }));
    CHECK(rig.run() == "ok");
    CHECK(sum == 1234);
}

TEST_CASE("results may be of types that can be moved, and not assigned", "[map]") {
    struct Row {
        const int id;
    };
    for (const bool ordered : {true, false}) {
        Rig rig;
        int ids = 0;
        const auto body = [](IAsyncSteps&, int id) { return Row{id}; };
        rig.flow.add(map(std::vector<int>{1, 2}, {.limit = 2, .ordered = ordered}, body));
        rig.flow.add([&](IAsyncSteps&, const std::vector<Row>& rows) {
            for (const Row& row : rows) ids = 10 * ids + row.id;
        });
        CHECK(rig.run() == "ok");
        CHECK(ids == 12);
    }
}

TEST_CASE("a map gives all values of its bodies as Results", "[map]") {
    Rig rig;
    int sum = 0;
    rig.flow.add(map<Results>(std::vector<int>{1}, {.limit = 2},
                              [](IAsyncSteps& asi, int item) { asi.success(item, item + 1); }));
    rig.flow.add([&](IAsyncSteps&, std::vector<Results>& all) {
        sum = 10 * all.at(0).at<int>(0) + all.at(0).at<int>(1);
    });
    CHECK(rig.run() == "ok");
    CHECK(sum == 12);
}

TEST_CASE("a map owns a source passed by value and refers to one passed by reference", "[map]") {
    Rig rig;
    std::list<int> list{1, 2};
    std::list<int> copied{1, 2};
    rig.flow.add(map(std::ref(list), {.limit = 2}, [](IAsyncSteps&, int& item) { item *= 10; }));
    rig.flow.add(map(copied, {.limit = 2}, [](IAsyncSteps&, auto& item) {
        static_assert(std::is_const_v<std::remove_reference_t<decltype(item)>>);
    }));
    rig.flow.add(map(std::make_unique<std::vector<int>>() ? std::deque<std::unique_ptr<int>>(2)
                                                          : std::deque<std::unique_ptr<int>>(),
                     {.limit = 1}, [](IAsyncSteps&, const std::unique_ptr<int>& item) {
                         CHECK(item == nullptr);
                     }));
    CHECK(rig.run() == "ok");
    CHECK(list == std::list<int>{10, 20});
    CHECK(copied == std::list<int>{1, 2});
}

TEST_CASE("a function that returns optional is a source of a map", "[map]") {
    Rig rig;
    Numbers numbers;
    std::vector<int> results;
    const auto keep = [&](IAsyncSteps&, std::vector<int>& all) {
        results.insert(results.end(), all.begin(), all.end());
    };
    rig.flow.add(map<int>(Numbers{}, {.limit = 2}, give)).add(keep);
    rig.flow.add(map<int>(std::ref(numbers), {.limit = 2}, give)).add(keep);
    CHECK(rig.run() == "ok");
    CHECK(results == std::vector<int>{0, 1, 2, 0, 1, 2});
    CHECK(*numbers.owned == 3);
}

TEST_CASE("the item of a map stays until its step is closed", "[map]") {
    Rig rig;
    std::string seen;
    Numbers numbers;
    std::vector<std::weak_ptr<int>> made;
    int left = 3;
    const auto pull = [&]() -> std::optional<std::shared_ptr<int>> {
        if (left == 0) return std::nullopt;
        auto item = std::make_shared<int>(left--);
        made.push_back(item);
        return item;
    };
    rig.flow.add(map(pull, {.limit = 2}, [&](IAsyncSteps& asi, std::shared_ptr<int>& item) {
        asi.add([&](IAsyncSteps&) { seen += std::to_string(*item); });
        asi.add([&](IAsyncSteps&) { seen += std::to_string(*item) + ";"; });
    }));
    rig.flow.add([&](IAsyncSteps&) {
        for (const auto& item : made) CHECK(item.expired());
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == "323;2;11;");
    CHECK(made.size() == 3);
}

TEST_CASE("a result of another type than the map's fails the map", "[map]") {
    Rig rig;
    std::string path;
    rig.flow.add(map<int>(std::vector<int>{1}, {.limit = 2},
                          [](IAsyncSteps& asi, int) { asi.success(std::string("no int")); }),
                 [&](IAsyncSteps& asi, const std::string&) {
                     path = asi.state().asyncStack();
                     asi.success();
                 });
    rig.flow.add(map<int>(std::vector<int>{1}, {.limit = 2}, [](IAsyncSteps&, int) {}));
    CHECK(rig.run() == "error InternalError");
    CHECK(path == "0");
}

TEST_CASE("the source of a map's run is gone before its handler is called", "[map]") {
    Rig rig;
    Numbers numbers;
    std::weak_ptr<int> owned = numbers.owned;
    long left = 0;
    rig.flow.add(
        map(std::move(numbers), {.limit = 1}, [](IAsyncSteps& asi, int) { asi.error("E"); }),
        [&](IAsyncSteps& asi, const std::string&) {
            left = owned.use_count();
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(left == 1);  // the value's own
}

TEST_CASE("a limit of 0 is a bad argument and adds nothing", "[map]") {
    Rig rig;
    CHECK(codeOf([&] { static_cast<void>(map(Numbers{}, {}, give)); }) == "InternalError");
    CHECK(rig.run() == "ok");
}

TEST_CASE("the largest limit is no limit", "[map]") {
    Rig rig;
    int sum = 0;
    rig.flow.add(map(std::vector<int>{1, 2, 3}, {.limit = std::numeric_limits<std::size_t>::max()},
                     [&](IAsyncSteps&, int item) { sum += item; }));
    CHECK(rig.run() == "ok");
    CHECK(sum == 6);
}

TEST_CASE("a map is a branch of a parallel and a step of an accessor", "[map]") {
    Rig rig;
    int sum = 0;
    const auto add = [&](IAsyncSteps&, int item) { sum += item; };
    rig.flow.parallel()
        .add(map(std::vector<int>{1, 2}, {.limit = 1}, add))
        .add(map(Numbers{}, {.limit = 9}, add));
    rig.flow.add([&](IAsyncSteps& asi) { asi.add(map(std::vector<int>{100}, {.limit = 1}, add)); });
    CHECK(rig.run() == "ok");
    CHECK(sum == 106);
}

TEST_CASE("large items and large maps live on the heap", "[map]") {
    struct Large {
        int value = 7;
        std::byte more[2000]{};
    };
    Rig rig;
    int sum = 0;
    int left = 3;
    rig.flow.add(map(
        [&left, large = Large{}]() -> std::optional<Large> {
            return left-- > 0 ? std::optional<Large>(large) : std::nullopt;
        },
        {.limit = 2}, [&](IAsyncSteps&, Large& item) { sum += item.value; }));
    CHECK(rig.run() == "ok");
    CHECK(sum == 21);
}

TEST_CASE("an iterator that throws when it is advanced loses no item", "[map]") {
    struct Throwing {
        std::shared_ptr<int> owned = std::make_shared<int>(1);
        struct Iterator {
            Throwing* all;
            int at = 0;
            std::shared_ptr<int> operator*() const { return all->owned; }
            Iterator& operator++() {
                if (++at == 2) throw std::runtime_error("operator++");
                return *this;
            }
            bool operator==(const Iterator&) const { return false; }
        };
        Iterator begin() { return {this}; }
        Iterator end() { return {this}; }
    };
    Rig rig;
    Throwing source;
    int items = 0;
    rig.flow.add(
        map(std::ref(source), {.limit = 4}, [&](IAsyncSteps&, std::shared_ptr<int>&) { ++items; }));
    CHECK(rig.run() == "error InternalError");
    CHECK(items == 1);
    CHECK(source.owned.use_count() == 1);
}

TEST_CASE("a flow that is destroyed while it maps closes its items and its source", "[map]") {
    VirtualTool tool;
    Numbers numbers;
    std::weak_ptr<int> owned = numbers.owned;
    std::string order;
    {
        AsyncSteps flow(tool);
        flow.add(map(std::move(numbers), {.limit = 2}, [&](IAsyncSteps& asi, int item) {
            asi.setCancel([&order, item](IAsyncSteps&) { order += std::to_string(item); });
        }));
        flow.execute();
        tool.run();
        CHECK(owned.use_count() == 2);  // the value's and the run's
    }
    CHECK(owned.expired());
    CHECK(order == "01");
}

TEST_CASE("a map asks for no further item once its flow is cancelled", "[map]") {
    Rig rig;
    int asked = 0;
    const auto source = [&asked]() -> std::optional<int> { return ++asked; };
    rig.flow.add(
        map(source, {.limit = 3}, [&rig](IAsyncSteps&, int) { rig.flow.cancel("enough"); }));
    CHECK(rig.run() == "cancelled enough");
    CHECK(asked == 1);
}
