#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "steptree/pluginhost.hpp"
#include "steptree/run.hpp"

/// What tests of the plug-in host have in common.
namespace pluginhosts {

/// Of a list that CMake has made.
inline std::vector<std::string> filesOf(const char* list) {
    std::vector<std::string> files;
    std::istringstream text(list);
    for (std::string file; std::getline(text, file, ':');) files.push_back(file);
    return files;
}

/// How many copies of a plug-in's file are mapped into the process: those that earlier tests have
/// left something of, too.
inline std::size_t mapped(const std::string& file) {
    const std::string end = "-" + std::filesystem::path(file).filename().string();
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> copies;
    for (std::string line; std::getline(maps, line);) {
        const std::size_t path = line.find('/');
        if (path == std::string::npos) continue;
        std::string copy = line.substr(path);
        const std::size_t gone = copy.find(" (deleted)");
        if (gone != std::string::npos) copy.resize(gone);
        if (copy.ends_with(end) && copy.find("/steptree-") != std::string::npos)
            copies.insert(copy);
    }
    return copies.size();
}

/// A call that leaves a text.
inline steptree::Step<steptree::Values<>, steptree::Values<std::string>> texted(
    const steptree::Step<>& call) {
    return steptree::step([call](steptree::IAsyncSteps& asi) -> steptree::Values<std::string> {
        asi.add(call);
        return {};
    });
}

}  // namespace pluginhosts
