#pragma once

#include <string>

#include "steptree/completion.hpp"
#include "tree.hpp"

/// How a completion's call travels from another thread to the tool's: its texts and values are
/// copied, the tool's thread finds them in the slot. See also dropRemote() in tree.hpp.
namespace steptree::detail {

/// A settlement on its way. A null one is an ok without values.
struct RemoteSettlement {
    Settlement settlement;
    Results values;
    std::string code;
    std::string info;
};

/// Never throws: short of memory it gives one that stands for an error.
RemoteSettlement* pack(Settlement& settlement) noexcept;

bool isOk(const RemoteSettlement* remote) noexcept;

/// Owns what has come.
class Arrival {
  public:
    explicit Arrival(RemoteSettlement* remote) noexcept;
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;
    ~Arrival() { dropRemote(remote_); }

    Settlement& settlement() noexcept { return isBare_ ? bare_ : remote_->settlement; }

  private:
    RemoteSettlement* remote_;
    bool isBare_;
    Settlement bare_;
};

}  // namespace steptree::detail
