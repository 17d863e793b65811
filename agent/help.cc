#include "agent/help.h"

#include <algorithm>
#include <iterator>

namespace tmc {
namespace {

constexpr std::string_view kOverview =
    R"(tmc-agent pulls a shop's order messages from the platform into a local database and keeps each order's truth.

usage: tmc-agent COMMAND [FLAGS]

  run          consume, handle, confirm, reconcile, until SIGTERM (or --once)
  status       one screen: what waits, how old it is, what failed last
  trace        the whole life of one message or order
  orders       the local truth: show ID, list
  dlq          dead letters: list, show, replay, discard
  reconcile    one pass over a window of time, now
  permit       let the platform send a shop's messages
  version      version, compiler, database schema
  help         this text; help COMMAND for one command's flags

Every command takes:
  --db PATH           the database
  --flagfile F        flags from a file, one a line, # comments; the command line wins, flags of other
                      commands are skipped; relative paths start at the working directory
  --log-level debug|info|warn|error   --log-format text|json   --log-file F   (info, text, standard error)
  --help

Exit status: 0 all well, 64 command line not understood, 65 new dead letters (--once), 69 gateway not
reached, 70 internal error, 74 database or file trouble, 75 try again later or already running,
77 credentials refused or a secret open to others, 78 a setting is missing or contradicts another.

examples:
  tmc-agent run --db /var/lib/tmc/shop.db --app-key 12345678 --app-secret-file /etc/tmc/secret --session-file /etc/tmc/session
  tmc-agent status --db /var/lib/tmc/shop.db
  tmc-agent help run
)";

constexpr std::string_view kRun =
    R"(usage: tmc-agent run --db PATH --app-key KEY --app-secret-file F --session-file F [FLAGS]
Durations: 300, 300s, 5m, 20h, 100ms, 2d. Commas are part of a value. In brackets: the default.
  --db PATH                  the database, made where it is missing; its folder must be there
  --db-group NAME            database readable and writable by this group [the owner alone]
  --platform NAME            top [top]
  --gateway URL              the platform's address [https://gw.api.taobao.com/router/rest]
  --allow-plaintext          plain http also to another machine
  --app-key KEY              the app
  --app-secret-file F        its secret, or the variable TMC_APP_SECRET; a file must be mode 0600
  --session-file F           a session, or a line a shop: USER_ID_OR_NICK SESSION; or TMC_SESSION
  --group NAME               TMC user group [the default group]
  --sign-method METHOD       md5, hmac or hmac-sha256 [hmac-sha256]
  --ca-file F                certificate authorities to trust [the system's]
  --rate N                   platform calls a second, all together [20]
  --batch N                  messages a consume call, 10 to 200 [100]
  --parallel N               order reads in flight, 1 to 64 [8]
  --poll-hold D              how long the gateway may hold an empty consume open [0]
  --idle-min D  --idle-max D pause after an empty consume, growing between these [100ms, 5s]
  --max-attempts N           a message's own failures before it is a dead letter [12]
  --give-up-after D          how long the outside may fail a message before it is one [20h]
  --unknown-order-grace D    how long an order that does not exist is asked for again [60s]
  --reconcile-interval D     pause between passes, 0: never [5m]
  --reconcile-overlap D  --reconcile-lag D   the window reaches back, ends before now [10m, 10s]
  --reconcile-backfill D     how far back the first start looks [24h]
  --retain D                 settled messages are kept this long [30d]
  --once  --once-wait D      until nothing new comes, one pass, work on for D, leave [60s]
  --max-runtime D            leave after D [never]
  --stall-timeout D          abort when a loop has not moved for D [5m]
  --drain-timeout D          what is in hand may take this long at a stop [25s]
  --if-not-running           leave silently with 0 where another instance runs
  --log-level LEVEL  --log-format FORMAT  --log-file F   [info, text, standard error]
  --flagfile F               flags from a file; see tmc-agent help
  --deliver NAME=TARGET  --metrics-file F   not available in this version yet
examples:
  tmc-agent run --flagfile /etc/tmc/shop.flags
  tmc-agent run --once --if-not-running --flagfile /etc/tmc/shop.flags      (from cron)
)";

constexpr std::string_view kStatus = R"(usage: tmc-agent status --db PATH [--json]
One screen: what is waiting, how old the oldest is, rates, the reconciliation cursor, dead letters,
what is closed or limited, the last error. Reads the database only; safe beside a running agent.
  --db PATH                  the database
  --platform NAME            top [top]
  --json                     one JSON object
examples:
  tmc-agent status --db shop.db
  tmc-agent status --db shop.db --json
)";

constexpr std::string_view kTrace = R"(usage: tmc-agent trace --db PATH (--msg-id ID | --order-id ID) [--json]
The whole life of one message or of one order, in time order.
  --db PATH                  the database
  --platform NAME            top [top]
  --msg-id ID                the platform's message id, or CHANNEL:KEY of a row without one
  --order-id ID              the platform's order id
  --json                     one JSON object a line
examples:
  tmc-agent trace --db shop.db --msg-id 7104300007405429231
  tmc-agent trace --db shop.db --order-id 3012345678901234567
)";

constexpr std::string_view kOrders = R"(usage: tmc-agent orders show ID --db PATH [--json]
       tmc-agent orders list --db PATH [--status S] [--since T] [--json]
The local truth: each order as the platform last told it.
  --db PATH                  the database
  --platform NAME            top [top]
  --status S                 list: only orders of this status
  --since T                  list: only orders modified at T or later
  --json                     one JSON object a line
Times: 2026-01-15, 2026-01-15T08:30:00 (UTC+8), 2026-01-15T00:30:00Z.
examples:
  tmc-agent orders show 3012345678901234567 --db shop.db
  tmc-agent orders list --db shop.db --status WAIT_SELLER_SEND_GOODS --since 2026-01-15
)";

constexpr std::string_view kDlq =
    R"(usage: tmc-agent dlq list --db PATH [--all] [--reason R] [--order-id ID] [--msg-id ID] [--json]
       tmc-agent dlq show ID --db PATH [--json]
       tmc-agent dlq replay ID... | --reason R --db PATH [--json]
       tmc-agent dlq replay ID --accept-truth --why TEXT --db PATH [--json]
       tmc-agent dlq discard ID... --why TEXT --db PATH [--json]
Dead letters: what was given up, with its reason and body. ID is the letter's number.
A replay puts it back through the same path, attempts and age counted anew. A discard is for good.
  --db PATH                  the database
  --platform NAME            top [top]
  --all                      list: also those that were replayed or discarded
  --reason R                 list: only these; replay: all that wait with this reason
  --order-id ID  --msg-id ID list: only this order's, this message's
  --accept-truth             replay: take the platform's truth although it leaves a final state
  --why TEXT                 kept with the letter; discard and --accept-truth want it
  --json                     one JSON object a line
examples:
  tmc-agent dlq list --db shop.db
  tmc-agent dlq replay 17 18 --db shop.db
  tmc-agent dlq discard 19 --why "test order" --db shop.db
)";

constexpr std::string_view kReconcile =
    R"(usage: tmc-agent reconcile --from T --to T --db PATH [FLAGS] [--json]
One pass over the orders modified between the two times, now. A running agent does it; where none runs,
this command does, and then needs the app's flags (see tmc-agent help run):
  --app-key, --app-secret-file, --session-file, --gateway, --allow-plaintext, --group, --sign-method,
  --ca-file, --rate, --parallel, --max-attempts, --give-up-after, --unknown-order-grace, --reconcile-lag,
  --once-wait, --drain-timeout
  --db PATH                  the database
  --platform NAME            top [top]
  --from T  --to T           the window; 2026-01-15, 2026-01-15T08:30:00 (UTC+8), 2026-01-15T00:30:00Z
  --json                     one JSON object
examples:
  tmc-agent reconcile --from 2026-01-15 --to 2026-01-16 --db shop.db
  tmc-agent reconcile --from 2026-01-15T08:00 --to 2026-01-15T09:00 --flagfile shop.flags
)";

constexpr std::string_view kPermit =
    R"(usage: tmc-agent permit --app-key KEY --app-secret-file F --session-file F [--topics A,B] [FLAGS]
Lets the platform send a shop's messages. This overwrites the shop's topics: old and new set are shown,
and a yes is asked for.
  --topics A,B               the topics, separated by commas [all that the app subscribes]
  --shop ID_OR_NICK          which shop, where the session file has several
  --yes                      do not ask
  --app-key KEY  --app-secret-file F  --session-file F   as for run; or TMC_APP_SECRET, TMC_SESSION
  --gateway URL  --allow-plaintext  --platform NAME  --group NAME  --sign-method METHOD  --ca-file F  --rate N
  --json                     one JSON object
examples:
  tmc-agent permit --flagfile shop.flags --topics taobao_trade_TradeBuyerPay,taobao_trade_TradeSuccess
  tmc-agent permit --flagfile shop.flags --yes
)";

constexpr std::string_view kVersion = R"(usage: tmc-agent version [--db PATH] [--json]
Version, commit, compiler and library versions; with --db also the database's schema version.
example:
  tmc-agent version --json
)";

struct Topic {
  std::string_view command, text;
};
constexpr Topic kTopics[] = {{"run", kRun},       {"status", kStatus},  {"trace", kTrace},
                             {"orders", kOrders}, {"dlq", kDlq},        {"reconcile", kReconcile},
                             {"permit", kPermit}, {"version", kVersion}};

}  // namespace

std::string HelpText(std::string_view command) {
  const auto found = std::ranges::find(kTopics, command, &Topic::command);
  return std::string(found == std::end(kTopics) ? kOverview : found->text);
}

}  // namespace tmc
