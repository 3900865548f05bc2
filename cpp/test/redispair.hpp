#pragma once

#include <filesystem>
#include <string>

#include "guardshop.hpp"

namespace rig {

/// A master and a replica, and a path that leads processes to whichever is the master.
struct RedisPair {
    RedisPair() : path(replica.socket() + ".led") {
        lead(master);
        follow();
        until([this] { return info().find("master_link_status:up") != std::string::npos; });
    }

    /// In one step: nobody finds nothing there.
    void lead(const RedisServer& to) const {
        std::filesystem::create_symlink(to.socket(), path + ".next");
        std::filesystem::rename(path + ".next", path);
    }
    void follow() { askRedis(direct, {"REPLICAOF", "127.0.0.1", std::to_string(master.port())}); }
    /// The replica hears nothing any more.
    void part() {
        askRedis(direct, {"REPLICAOF", "127.0.0.1", "1"});
        const std::string none = "connected_slaves:0";
        until([&] { return info(atMaster).find(none) != std::string::npos; });
    }
    void failOver() {
        master.kill();
        askRedis(direct, {"REPLICAOF", "NO", "ONE"});
        lead(replica);
    }
    std::string info() { return info(direct); }
    static std::string info(steptree::RedisConnection& of) {
        return askRedis(of, {"INFO", "replication"}).text;
    }
    steptree::RedisOptions led() const { return {.prefix = "shop", .socket = path}; }

    RedisServer master{{"--repl-diskless-sync-delay", "0"}};
    RedisServer replica;
    const std::string path;
    steptree::RedisConnection direct{{.prefix = "shop", .port = replica.port()}};  // to the replica
    steptree::RedisConnection atMaster{{.prefix = "shop", .port = master.port()}};
};

}  // namespace rig
