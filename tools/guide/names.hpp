// What the examples in comments of the headers use, and don't declare.
#include <asio.hpp>
#include <steptree/asioawait.hpp>
#include <steptree/asioexecute.hpp>
#include <steptree/asiotool.hpp>
#include <steptree/chandles.hpp>
#include <steptree/cvalue.hpp>
#include <steptree/inspector.hpp>
#include <steptree/job.hpp>
#include <steptree/jobqueue.hpp>
#include <steptree/plugin.hpp>
#include <steptree/pluginhost.hpp>
#include <steptree/redis.hpp>
#include <steptree/redislimiter.hpp>
#include <steptree/redismutex.hpp>
#include <steptree/redisrwlock.hpp>
#include <steptree/redisservice.hpp>
#include <steptree/redisthrottle.hpp>
#include <steptree/server.hpp>
#include <steptree/threadpool.hpp>
#include <steptree/worker.hpp>

namespace examples {

using namespace steptree;
using namespace std::chrono_literals;
using asio::ip::tcp;

struct User {
    std::string name;
};
struct Job {
    int id;
};
using Cart = int;
using Mails = int;
using Page = std::string;
struct MyFailure {
    explicit MyFailure(std::string_view) {}
};
using Client = std::shared_ptr<tcp::socket>;

extern IAsyncSteps& asi;
extern AsyncSteps& flow;
extern AsyncTool& tool;
extern Scope& clients;
extern Channel<Job>& jobs;
extern ThreadMutex& mutex;
extern Mutex& connections;
extern Breaker& breaker;
extern ThreadPool& pool;
extern Keyed<std::string, Limiter>& perUser;
extern RetryBudget& budget;
extern Clock& replayed;
extern PluginHost& plugins;
extern RedisConnection& shop;
extern RedisMutex& ledger;
extern RedisRwLock& prices;
extern JobQueue& letters;
extern const DeadLetter dead;
extern const steptree::Job& sent;
extern Worker& letterWorker;
extern RedisService& books;
extern Server& bookServer;
extern const plugin::Step& in;
extern const plugin::Args& args;
extern const plugin::Completion& ends;
plugin::Error greetIn(plugin::Step step, plugin::Args args);
extern Promise<int>&promise, &left, &right;
extern Future<int>& future;
extern std::stop_source& stop;
extern asio::signal_set& signals;
extern asio::mutable_buffer& buffer;

void addStepsOfC(steptree_step* asi);

extern tcp::socket& socket;
extern const Client client;

extern const FlowEvent& event;
extern Job job;
extern User ann;
extern const User* user;
extern const int philosopher;
extern const std::string id, name, question;
extern const std::vector<std::string> urls;

extern const Step<Values<int>, Values<Page>> profile;
extern const Step<Values<std::string>, Values<std::string>> greet, load;
extern const Step<Values<int>, Values<User>> loadUser;
extern const Step<Values<User>, Values<Cart>> carts;
extern const Step<Values<User>, Values<Mails>> mails;
extern const Step<Values<std::string>, Values<std::string>> near, far, first, second, third;
extern const Step<Values<Client>, Values<>> serve;
extern const Step<Values<std::string, steptree::Job>, Values<>> send;
extern const Step<Values<std::string, ServedCall>, AnyValues> quotes;
extern const Step<AnyValues, Values<std::string>> ask;
extern const Step<AnyValues, Values<>> poll, charge, warmCache, openSocket, write, flush, commit,
    rollBack, look, change, copyAll, begin;

std::string render(IAsyncSteps& asi, const std::tuple<Cart, Mails>& of);
std::string show(const std::tuple<Cart, Mails>& of);
inline constexpr auto fallback = [](IAsyncSteps& asi, ErrorCode) { asi.success(std::string()); };
std::vector<std::string> rows(const std::string& sql);
void greetOne(IAsyncSteps& asi, std::size_t i, const std::string& name);
int fetchSize(IAsyncSteps& asi, const std::string& url, std::size_t i);
Future<User> fetchUser(const std::string& id, std::int64_t ms = 0);
Future<User> find(int id);
Task<Cart> fill(IAsyncSteps& asi, const User& user);
Future<> store(Cart cart);
void work(IAsyncSteps& asi, const Job& job);
void workUntil(std::stop_token token);
void put(IAsyncSteps& asi, const std::string& token);
void post(IAsyncSteps& asi, const std::string& letter, const std::string& id);
void onAnswer(std::function<void(const std::string&)> callback);
void compute(int n);
void end(OutcomeKind kind);
void tell();
void tellEnd(Outcome& outcome);
void wakeLoop();
void quit();
void log(int what);
void log(const std::string& what);
void log(const std::string& where, std::string_view what);
void note(const FlowEvent& event);
void report(const std::string& code, const std::string& info, std::exception_ptr,
            const std::string&);

}  // namespace examples

using examples::MyFailure;
