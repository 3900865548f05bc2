#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/tool.hpp"
#include "store.hpp"

namespace resp {

/// What a plug-in can do, as a command: the handler `take` of the plug-in `tokens` is TOKENS.TAKE.
struct PluginCommand {
    std::string plugin;
    std::string handler;
    std::size_t least;  // so many arguments it takes,
    std::size_t most;   // at most
};

/// A file of `--plugin`, and what has come of it.
struct PluginFile {
    std::string file;
    std::string name;
    std::string version;
};

/// The plug-ins of the server. They see its keys, by services, and nothing else of it.
class Plugins {
  public:
    /// By their names in lower case.
    using Commands = std::map<std::string, PluginCommand, std::less<>>;

    Plugins(steptree::Tool& tool, Store& store);
    Plugins(const Plugins&) = delete;
    Plugins& operator=(const Plugins&) = delete;
    ~Plugins();

    /// Loads a file, in the place of what came of it before: commands that begin from now on take
    /// the new one. Throws PluginRefused: what has served goes on then.
    const PluginFile& load(const std::string& file);

    /// In the order in which they were loaded first.
    const std::vector<PluginFile>& files() const { return files_; }
    const Commands& commands() const { return commands_; }
    /// Null: there is no such command.
    const PluginCommand* find(const std::string& name) const;

    /// Adds the steps of a command, which leave the reply. Its arguments are bytes.
    void run(steptree::IAsyncSteps& asi, const PluginCommand& command, const Command& args);

  private:
    struct Host;

    void giveBack(PluginFile& other, const std::string& file);
    void list();

    steptree::Tool& tool_;
    Store& store_;
    std::vector<PluginFile> files_;
    Commands commands_;
    std::unique_ptr<Host> host_;  // made for the first file
};

}  // namespace resp
