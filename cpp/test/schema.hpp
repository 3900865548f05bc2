#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
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
    /// `part`: where in it that stands.
    explicit Check(const Json& schema, const std::string& part = "")
        : root_(schema), schema_(root_.at(Json::json_pointer(part))) {}

    std::vector<std::string> operator()(const Json& data) const {
        std::vector<std::string> wrong;
        look(schema_, root_, data, "", wrong);
        return wrong;
    }

  private:
    using Wrong = std::vector<std::string>;

    bool fits(const Json& schema, const Json& root, const Json& data) const {
        Wrong wrong;
        look(schema, root, data, "", wrong);
        return wrong.empty();
    }

    /// `#/$defs/part`, or the same of another file.
    void follow(const std::string& ref, const Json& root, const Json& data, const std::string& at,
                Wrong& wrong) const {
        const std::size_t mark = ref.find('#');
        const std::string file = ref.substr(0, mark);
        if (!file.empty() && !others_.contains(file)) others_[file] = load(file);
        const Json& other = file.empty() ? root : others_[file];
        look(other.at(Json::json_pointer(ref.substr(mark + 1))), other, data, at, wrong);
    }

    static std::size_t lengthOf(const std::string& text) {
        const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
        return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
    }

    static bool isOf(const std::string& type, const Json& data) {
        if (type == "integer") return data.is_number_integer();
        if (type == "number") return data.is_number();
        return type == data.type_name();
    }

    void look(const Json& schema, const Json& root, const Json& data, const std::string& at,
              Wrong& wrong) const {
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
            } else if (word == "$ref") {
                follow(asked, root, data, at, wrong);
            } else if (word == "minItems" || word == "maxItems") {
                if (word == "minItems" ? data.size() < asked : data.size() > asked)
                    say("has " + std::to_string(data.size()));
            } else if (word == "maxLength") {
                if (data.is_string() && lengthOf(data) > asked) say("is too long");
            } else if (word == "minimum") {
                if (data.is_number() && data < asked) say("is " + data.dump());
            } else if (word == "required") {
                for (const auto& key : asked)
                    if (data.is_object() && !data.contains(key)) say("lacks " + key.dump());
            } else if (word == "properties") {
                for (const auto& [key, inner] : asked.items())
                    if (data.is_object() && data.contains(key))
                        look(inner, root, data[key], at + "/" + key, wrong);
            } else if (word == "additionalProperties") {
                static const Json kNone = Json::object();
                const bool names = schema.contains("properties");
                const Json& known = names ? schema["properties"] : kNone;
                for (const auto& [key, inner] : data.items())
                    if (!known.contains(key)) look(asked, root, inner, at + "/" + key, wrong);
            } else if (word == "items") {
                for (std::size_t i = 0; i < data.size(); ++i)
                    look(asked, root, data[i], at + "/" + std::to_string(i), wrong);
            } else if (word == "allOf") {
                for (const auto& each : asked) look(each, root, data, at, wrong);
            } else if (word == "anyOf") {
                const auto any = [&](const Json& each) { return fits(each, root, data); };
                if (std::none_of(asked.begin(), asked.end(), any)) say("fits nothing");
            } else if (word == "if") {
                const char* const then = fits(asked, root, data) ? "then" : "else";
                if (schema.contains(then)) look(schema[then], root, data, at, wrong);
            } else if (word != "then" && word != "else" && word != "title" &&
                       word != "description" && word != "$schema" && word != "$id" &&
                       word != "$defs") {
                say("asks for " + word);
            }
        }
    }

    const Json root_;
    const Json schema_;
    mutable std::map<std::string, Json> others_;
};

}  // namespace schema
