#pragma once

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// What the schemas of spec/ ask of plain data, as far as they use JSON Schema.
namespace schema {

using Json = nlohmann::json;

inline Json load(const std::string& name) {
    std::ifstream file(std::string(STEPTREE_SPEC) + "/" + name);
    return Json::parse(file);
}

/// What is wrong, one line each.
class Check {
  public:
    explicit Check(const Json& schema) : root_(schema) {}

    std::vector<std::string> operator()(const Json& data) const {
        std::vector<std::string> wrong;
        look(root_, data, "", wrong);
        return wrong;
    }

  private:
    using Wrong = std::vector<std::string>;

    bool fits(const Json& schema, const Json& data) const {
        Wrong wrong;
        look(schema, data, "", wrong);
        return wrong.empty();
    }

    static bool isOf(const std::string& type, const Json& data) {
        if (type == "integer") return data.is_number_integer();
        if (type == "number") return data.is_number();
        return type == data.type_name();
    }

    void look(const Json& schema, const Json& data, const std::string& at, Wrong& wrong) const {
        const auto say = [&](const std::string& what) { wrong.push_back(at + ": " + what); };
        if (schema.is_boolean()) {
            if (!schema.get<bool>()) say("is not allowed");
            return;
        }
        for (const auto& [word, asked] : schema.items()) {
            if (word == "type") {
                if (!isOf(asked, data)) say("is no " + asked.get<std::string>());
            } else if (word == "enum") {
                if (std::find(asked.begin(), asked.end(), data) == asked.end())
                    say("is " + data.dump());
            } else if (word == "const") {
                if (asked != data) say("is " + data.dump());
            } else if (word == "minimum") {
                if (data.is_number() && data < asked) say("is " + data.dump());
            } else if (word == "required") {
                for (const auto& key : asked)
                    if (data.is_object() && !data.contains(key)) say("lacks " + key.dump());
            } else if (word == "properties") {
                for (const auto& [key, inner] : asked.items())
                    if (data.is_object() && data.contains(key))
                        look(inner, data[key], at + "/" + key, wrong);
            } else if (word == "additionalProperties") {
                for (const auto& [key, inner] : data.items())
                    if (!schema["properties"].contains(key)) say("has " + key);
            } else if (word == "items") {
                for (std::size_t i = 0; i < data.size(); ++i)
                    look(asked, data[i], at + "/" + std::to_string(i), wrong);
            } else if (word == "allOf") {
                for (const auto& each : asked) look(each, data, at, wrong);
            } else if (word == "anyOf") {
                const auto any = [&](const Json& each) { return fits(each, data); };
                if (std::none_of(asked.begin(), asked.end(), any)) say("fits nothing");
            } else if (word == "if") {
                const char* const then = fits(asked, data) ? "then" : "else";
                if (schema.contains(then)) look(schema[then], data, at, wrong);
            } else if (word != "then" && word != "else" && word != "title" &&
                       word != "description" && word != "$schema") {
                say("asks for " + word);
            }
        }
    }

    const Json root_;
};

}  // namespace schema
