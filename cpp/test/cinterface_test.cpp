#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/chandles.hpp"
#include "steptree/cvalue.hpp"

using namespace rig;
using steptree::cHandle;
using steptree::CTool;
using steptree::Value;

namespace {

const steptree_api& api() {
    return *steptree_host(STEPTREE_ABI, nullptr);
}

using Body = const steptree_error* (*)(steptree_step*, const steptree_args*, void*);

/// Adds a step of C to a flow of C++.
void addC(IFlow& flow, Body body, void* data = nullptr) {
    const steptree_closure closure{body, data, nullptr, nullptr, nullptr};
    REQUIRE(api().add->step(STEPTREE_ADDER(cHandle(flow)), &closure) == nullptr);
}

std::string textOf(const steptree_value& value) {
    switch (value.tag) {
        case STEPTREE_NOTHING:
            return "nothing";
        case STEPTREE_BOOL:
            return value.of.boolean != 0 ? "true" : "false";
        case STEPTREE_INT64:
            return "int " + std::to_string(value.of.integer);
        case STEPTREE_DOUBLE:
            return "double " + std::to_string(value.of.number).substr(0, 4);
        case STEPTREE_STRING:
            return "text " + std::string(value.of.text.data, value.of.text.size);
        case STEPTREE_LIST: {
            std::string text = "[";
            for (std::size_t i = 0; i < value.of.list.count; ++i) {
                text += (i == 0 ? "" : ", ") + textOf(value.of.list.items[i]);
            }
            return text + "]";
        }
        case STEPTREE_MAP: {
            std::string text = "{";
            for (std::size_t i = 0; i < value.of.map.count; ++i) {
                text += (i == 0 ? "" : ", ") + textOf(value.of.map.entries[i].key) + ": " +
                        textOf(value.of.map.entries[i].value);
            }
            return text + "}";
        }
        default:
            return "opaque " +
                   std::string(value.of.opaque.kind->name.data, value.of.opaque.kind->name.size);
    }
}

/// How C sees what a body of C++ has given.
template <class... T>
std::string seen(T... values) {
    Rig rig;
    std::string text;
    rig.flow.successStep(std::move(values)...);
    addC(
        rig.flow,
        [](steptree_step*, const steptree_args* args, void* data) -> const steptree_error* {
            for (std::size_t i = 0; i < args->count; ++i) {
                *static_cast<std::string*>(data) += (i == 0 ? "" : ", ") + textOf(args->values[i]);
            }
            return nullptr;
        },
        &text);
    CHECK(rig.run() == "ok");
    return text;
}

/// What C gives to C++.
template <std::uint32_t type>
const steptree_error* giveOne(steptree_step* asi, const steptree_args*, void*) {
    const steptree_value items[] = {Value(std::int64_t{1}).raw(), Value().raw()};
    steptree_value value{};
    value.tag = type;
    if (type == STEPTREE_BOOL) value.of.boolean = 1;
    if (type == STEPTREE_INT64) value.of.integer = -7;
    if (type == STEPTREE_DOUBLE) value.of.number = 2.5;
    if (type == STEPTREE_STRING) value.of.text = STEPTREE_TEXT("text");
    if (type == STEPTREE_LIST) value.of.list = {items, 2};
    return api().step->success(asi, &value, 1);
}

template <class T, std::uint32_t type>
T arrived() {
    Rig rig;
    T got{};
    addC(rig.flow, &giveOne<type>);
    rig.flow.add([&got](IAsyncSteps&, T value) { got = std::move(value); });
    CHECK(rig.run() == "ok");
    return got;
}

/// A type of C++ alone, which can't be copied.
struct Own {
    std::unique_ptr<int> number;
};

}  // namespace

TEST_CASE("values of C++ arrive in C as what they are", "[c]") {
    CHECK(seen(true, 3, 2.5, std::string("x")) == "true, int 3, double 2.50, text x");
    CHECK(seen(1.5F, std::size_t{7}, -1L, 'c' + 0U) == "double 1.50, int 7, int -1, int 99");
    CHECK(seen(UINT64_MAX) == "double 1844");
    CHECK(seen(std::vector<int>{1, 2}) == "[int 1, int 2]");
    CHECK(seen(std::vector<std::string>{"a"}, std::vector<bool>{true}) == "[text a], [true]");
    CHECK(seen(std::map<std::string, double>{{"k", 1.0}}) == "{text k: double 1.00}");
    CHECK(seen(Value(), Value(std::string_view("v"))) == "nothing, text v");
    CHECK(seen(Own{}) == "opaque (anonymous namespace)::Own");
}

TEST_CASE("values of C arrive in C++ as what they are", "[c]") {
    CHECK(arrived<bool, STEPTREE_BOOL>());
    CHECK(arrived<std::int64_t, STEPTREE_INT64>() == -7);
    CHECK(arrived<double, STEPTREE_DOUBLE>() == 2.5);
    CHECK(arrived<std::string, STEPTREE_STRING>() == "text");
    CHECK(arrived<Value, STEPTREE_NOTHING>().type() == STEPTREE_NOTHING);
    CHECK(textOf(arrived<Value, STEPTREE_LIST>().raw()) == "[int 1, nothing]");
}

TEST_CASE("a C++ value that C doesn't know goes on unchanged", "[c]") {
    Rig rig;
    int got = 0;
    rig.flow.add([](IAsyncSteps& asi) { asi.success(Own{std::make_unique<int>(5)}, 1); });
    addC(rig.flow, [](steptree_step* asi, const steptree_args* args, void*) {
        return api().step->forward(asi, args);
    });
    addC(rig.flow, [](steptree_step* asi, const steptree_args* args, void*) {
        return api().step->success(asi, args->values, 1);
    });
    rig.flow.add([&got](IAsyncSteps&, Own own) { got = *own.number; });
    CHECK(rig.run() == "ok");
    CHECK(got == 5);
}

TEST_CASE("a C++ value that C doesn't know is refused where it can't go on", "[c]") {
    Rig rig;
    std::string info;
    rig.flow.add([](IAsyncSteps&) { return Own{}; });
    addC(
        rig.flow,
        [](steptree_step*, const steptree_args* args, void* data) -> const steptree_error* {
            steptree_value kept{};
            const steptree_error* const error = api().value->keep(args->values, &kept);
            REQUIRE(error != nullptr);
            const steptree_text text = api().error->info(error);
            *static_cast<std::string*>(data) = std::string(text.data, text.size);
            return nullptr;
        },
        &info);
    CHECK(rig.run() == "ok");
    CHECK(info ==
          "a C++ value of the type (anonymous namespace)::Own can only be given on as it is");
}

TEST_CASE("a step of C fails with what C++ has thrown inside of a call", "[c]") {
    Rig rig;
    addC(rig.flow, [](steptree_step* asi, const steptree_args*, void*) {
        return api().step->set_timeout(asi, -1, STEPTREE_NO_TEXT);
    });
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("a tool of C++ is lent to C", "[c]") {
    VirtualTool tool;
    const CTool lent(tool);
    steptree_flow* flow = nullptr;
    int runs = 0;
    REQUIRE(api().flow->make(lent.handle(), nullptr, &flow) == nullptr);
    const steptree_closure closure{
        [](steptree_step*, const steptree_args*, void* data) -> const steptree_error* {
            ++*static_cast<int*>(data);
            return nullptr;
        },
        &runs, nullptr, nullptr, nullptr};
    REQUIRE(api().add->repeat(STEPTREE_ADDER(flow), 3, &closure, STEPTREE_NO_TEXT) == nullptr);
    REQUIRE(api().flow->execute(flow, nullptr, nullptr) == nullptr);
    tool.run();
    CHECK(runs == 3);
    CHECK(api().tool->run(lent.handle()) != nullptr);
    api().flow->drop(flow);
}

TEST_CASE("what a callback of C++ throws is told to a hook of C", "[c]") {
    VirtualTool tool;
    const CTool lent(tool);
    std::string told;
    REQUIRE(api().tool->on_error(
                lent.handle(),
                [](const steptree_error* error, void* data) {
                    const steptree_text info = api().error->info(error);
                    *static_cast<std::string*>(data) = std::string(info.data, info.size);
                },
                &told, nullptr) == nullptr);
    tool.immediate([] { throw std::runtime_error("no luck"); });
    tool.run();
    CHECK(told == "no luck");
}
