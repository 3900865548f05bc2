#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
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

/// A tool, and a host that goes before it.
struct Hosting {
    steptree::VirtualTool tool;
    std::unique_ptr<steptree::PluginHost> host = std::make_unique<steptree::PluginHost>(tool);

    /// What a call leaves, or `Code: info`.
    std::string call(const std::string& plugin, const std::string& handler) {
        return call(host->step(plugin, handler));
    }
    std::string call(const steptree::Step<>& step) {
        auto left = run(tool, step);
        tool.run();
        try {
            return std::move(left).get().at<std::string>(0);
        } catch (const steptree::StepError& error) {
            return error.code() + ": " + error.info();
        }
    }
    /// Runs a step to its end, whatever it leaves.
    std::string end(const steptree::Step<>& step) {
        steptree::AsyncSteps flow(tool);
        flow.add(step);
        return rig::run(tool, flow);
    }
    /// Begins a call that goes on.
    std::unique_ptr<steptree::AsyncSteps> begin(const steptree::Step<>& step) {
        auto flow = std::make_unique<steptree::AsyncSteps>(tool);
        flow->add(step);
        flow->execute([](steptree::Outcome&) {});
        tool.advance(0);
        return flow;
    }
    steptree::PluginInfo only() const {
        const auto all = host->list();
        REQUIRE(all.size() == 1);
        return all[0];
    }
};

}  // namespace pluginhosts
