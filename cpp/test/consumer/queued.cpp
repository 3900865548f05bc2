// Jobs over Redis, of which there is none here.
#include <steptree/asynctool.hpp>
#include <steptree/error.hpp>
#include <steptree/jobqueue.hpp>
#include <steptree/run.hpp>

int main() {
    steptree::AsyncTool tool;
    steptree::RedisConnection nowhere({.prefix = "consumer", .port = 1});
    steptree::JobQueue letters(nowhere, "letters");
    try {
        steptree::run(tool, enqueue(letters, "{}")).get();
    } catch (const steptree::StepError& error) {
        return error.code() == steptree::errors::RedisFailed ? 0 : 1;
    }
    return 1;
}
