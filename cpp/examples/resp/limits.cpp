#include "limits.hpp"

namespace resp {

const std::vector<Limit>& limitTable() {
    using L = Limits;
    static const std::vector<Limit> table = {
        {"connections", &L::connections,
         "clients served at the same time; one more is told so and closed"},
        {"burst", &L::burst,
         "steps that a client's flow runs in a row before it is the others' turn"},
        {"bulk", &L::bulk, "one argument of a command"},
        {"args", &L::args, "arguments of one command, its name included"},
        {"request", &L::request, "all arguments of one command together"},
        {"line", &L::line, "one line: an inline command or a length"},
        {"input", &L::input, "received and not yet looked at; beyond it the socket isn't read"},
        {"output", &L::output,
         "replies not taken; beyond it no further command of the client is run"},
        {"commandMs", &L::commandMs,
         "one command, from its start to its reply, the wait for its turn included"},
        {"requestMs", &L::requestMs, "from the first byte of a command to its last"},
        {"idleMs", &L::idleMs, "between two commands"},
        {"connectionMs", &L::connectionMs,
         "a connection, from its first moment to its last command"},
        {"outputMs", &L::outputMs, "until the client has taken the replies beyond --output"},
        {"lingerMs", &L::lingerMs,
         "until the client has closed too, once the server has closed its side"},
        {"drainMs", &L::drainMs, "commands that run when the server is told to stop"},
        {"clientRate", &L::clientRate, "commands of one client that are let in within a period"},
        {"clientPeriodMs", &L::clientPeriodMs, "that period"},
        {"clientQueue", &L::clientQueue,
         "commands of one client that wait for a later period: 0 or 1, it has one at a time"},
        {"serverConcurrent", &L::serverConcurrent,
         "commands of all clients that run at the same time"},
        {"serverRate", &L::serverRate, "commands of all clients that are let in within a period"},
        {"serverPeriodMs", &L::serverPeriodMs, "that period"},
        {"serverQueue", &L::serverQueue, "commands that wait until they may run"},
    };
    return table;
}

}  // namespace resp
