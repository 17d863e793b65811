#include "agent/options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "agent/help.h"
#include "agent/option_flags.h"
#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

auto ParseWith(const Words& words, const Variables& variables) {
  return ParseOptions(words, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

Options Good(const Words& words, const Variables& variables = {}) {
  const auto parsed = ParseWith(words, variables);
  const auto* problem = std::get_if<OptionsProblem>(&parsed);
  CAPTURE((problem ? problem->text : ""));
  REQUIRE(problem == nullptr);
  return std::get<Options>(parsed);
}

void CheckRefused(const Words& words, int exit_status, std::string_view part,
                  const Variables& variables = {}) {
  const auto parsed = ParseWith(words, variables);
  std::string line;
  for (const std::string& word : words) line += word.substr(0, 100) + " ";
  CAPTURE(line);
  const auto* problem = std::get_if<OptionsProblem>(&parsed);
  REQUIRE(problem != nullptr);
  CAPTURE(problem->text);
  CHECK(problem->exit_status == exit_status);
  CHECK(problem->text.find(part) != std::string::npos);
  CHECK(problem->text.find("hidden-value") == std::string::npos);
}

Words Run(Words more = {}) {
  Words words{"run", "--db", "a.db", "--app-key", "12345678", "--app-secret-file", "secret"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("Options: run with what it needs has the documented defaults") {
  const Options options = Good(Run());
  CHECK(options.command == Command::kRun);
  CHECK(options.db == "a.db");
  CHECK(options.settings.app_key == "12345678");
  CHECK(options.secrets.app_secret_file == "secret");
  CHECK(options.gateway == "https://gw.api.taobao.com/router/rest");
  CHECK(options.platform == "top");
  CHECK(options.sign_method == "hmac-sha256");
  CHECK(options.settings.batch == 100);
  CHECK(options.settings.parallel == 8);
  CHECK(options.settings.rate == 20);
  CHECK(options.settings.max_attempts == 12);
  CHECK(options.settings.give_up_after == 20h);
  CHECK(options.settings.retain == 30 * 24h);
  CHECK_FALSE(options.settings.once);
  CHECK_FALSE(options.max_runtime);
  CHECK(options.log_level == log::Level::kInfo);
}

TEST_CASE("Options: every flag of run lands where it belongs") {
  const Options options = Good(Run({"--session-file=sessions",
                                    "--gateway",
                                    "http://127.0.0.1:8080/router/rest",
                                    "--group",
                                    "vip",
                                    "--batch=200",
                                    "--parallel",
                                    "64",
                                    "--rate",
                                    "0.5",
                                    "--poll-hold",
                                    "30",
                                    "--idle-min",
                                    "1ms",
                                    "--idle-max",
                                    "2s",
                                    "--max-attempts",
                                    "3",
                                    "--give-up-after",
                                    "1h",
                                    "--unknown-order-grace",
                                    "0",
                                    "--reconcile-interval",
                                    "0",
                                    "--reconcile-overlap",
                                    "1m",
                                    "--reconcile-lag",
                                    "2s",
                                    "--reconcile-backfill",
                                    "3h",
                                    "--once",
                                    "--once-wait",
                                    "9s",
                                    "--max-runtime",
                                    "7m",
                                    "--stall-timeout",
                                    "8m",
                                    "--db-group",
                                    "erp",
                                    "--if-not-running",
                                    "--drain-timeout",
                                    "4s",
                                    "--log-level",
                                    "debug",
                                    "--log-format",
                                    "json",
                                    "--log-file",
                                    "l.log",
                                    "--retain",
                                    "2d",
                                    "--sign-method",
                                    "md5",
                                    "--ca-file",
                                    "ca.pem",
                                    "--allow-plaintext",
                                    "--platform",
                                    "top"}));
  const Settings& settings = options.settings;
  CHECK(options.secrets.session_file == "sessions");
  CHECK(options.gateway == "http://127.0.0.1:8080/router/rest");
  CHECK(settings.group == "vip");
  CHECK(settings.batch == 200);
  CHECK(settings.parallel == 64);
  CHECK(settings.rate == 0.5);
  CHECK(settings.poll_hold == 30s);
  CHECK(settings.idle_min == 1ms);
  CHECK(settings.idle_max == 2s);
  CHECK(settings.max_attempts == 3);
  CHECK(settings.give_up_after == 1h);
  CHECK(settings.unknown_order_grace == 0ms);
  CHECK(settings.reconcile_interval == 0ms);
  CHECK(settings.reconcile_overlap == 1min);
  CHECK(settings.reconcile_lag == 2s);
  CHECK(settings.reconcile_backfill == 3h);
  CHECK(settings.once);
  CHECK(settings.once_wait == 9s);
  CHECK(options.max_runtime == 7min);
  CHECK(settings.stall_timeout == 8min);
  CHECK(options.db_group == "erp");
  CHECK(options.if_not_running);
  CHECK(settings.drain_timeout == 4s);
  CHECK(options.log_level == log::Level::kDebug);
  CHECK(options.log_format == log::Format::kJson);
  CHECK(options.log_file == "l.log");
  CHECK(settings.retain == 48h);
  CHECK(options.sign_method == "md5");
  CHECK(options.ca_file == "ca.pem");
  CHECK(options.allow_plaintext);
}

TEST_CASE("Options: values out of their range are refused, the bounds are taken") {
  for (const auto& [flag, value] : std::vector<std::pair<std::string, std::string>>{
           {"--batch", "9"},
           {"--batch", "201"},
           {"--batch", "10x"},
           {"--batch", "1e2"},
           {"--parallel", "0"},
           {"--parallel", "65"},
           {"--rate", "0"},
           {"--rate", "inf"},
           {"--rate", "nan"},
           {"--rate", "0,5"},
           {"--rate", "1000001"},
           {"--max-attempts", "0"},
           {"--max-attempts", "1001"},
           {"--idle-min", "0"},
           {"--poll-hold", "11m"},
           {"--give-up-after", "1x"},
           {"--stall-timeout", "0"},
           {"--drain-timeout", "2h"},
           {"--retain", "0"},
           {"--log-level", "loud"},
           {"--log-format", "xml"},
           {"--sign-method", "sha1"},
           {"--platform", "ebay"},
           {"--app-key", "a b"},
           {"--group", "a\nb"},
           {"--group", "\xFF"},
           {"--max-runtime", "0"},
           {"--gateway", "gw.example"},
           {"--gateway", "ftp://a/"},
           {"--gateway", "https://user:hidden-value@gw.example/"}}) {
    Words words = Run();
    std::erase(words, "--app-key");
    std::erase(words, "12345678");
    words.insert(words.end(), {flag, value});
    CheckRefused(words, 64, flag + " takes ");
  }
  CHECK(Good(Run({"--batch", "10", "--parallel", "1", "--max-attempts", "1000"})).settings.batch == 10);
  CHECK(Good(Run({"--group", "测试组"})).settings.group == "测试组");
}

TEST_CASE("Options: unknown words and flags are named, with the nearest known one") {
  CheckRefused({}, 64, "no command");
  CheckRefused({"stats"}, 64, "unknown command stats; did you mean status?");
  CheckRefused({"frobnicate"}, 64, "unknown command frobnicate; see");
  CheckRefused({"dlq"}, 64, "dlq takes one of: list, show, replay, discard");
  CheckRefused({"orders", "get"}, 64, "orders takes one of: show, list");
  CheckRefused(Run({"--bacth", "50"}), 64, "unknown flag --bacth; did you mean --batch?");
  CheckRefused(Run({"--bacth=hidden-value"}), 64, "unknown flag --bacth; did you mean --batch?");
  CheckRefused(Run({"--colour"}), 64, "unknown flag --colour; see");
  CheckRefused(Run({"-x"}), 64, "unknown flag -x");
  CheckRefused(Run({"---once"}), 64, "unknown flag ---once");
  CheckRefused(Run({"--ONCE"}), 64, "unknown flag --ONCE");
  CheckRefused(Run({"--max"}), 64, "unknown flag --max");
  CheckRefused(Run({"now"}), 64, "run does not take the word now");
  CheckRefused(Run({"-"}), 64, "run does not take the word -");
  CheckRefused(Run({"--", "--once"}), 64, "--once");
  CheckRefused(Run({""}), 64, "an empty word");
  CheckRefused(Run({std::string(100'000, 'x')}), 64, "is too long");
  CheckRefused(Run({"--" + std::string(100'000, 'x')}), 64, "is too long");
  CheckRefused({"status", "--db", "a.db", "--batch", "50"}, 64, "--batch is not a flag of status");
  CheckRefused({"orders", "show", "1", "--db", "a.db", "--since", "2026-01-15"}, 64,
               "--since is not a flag of orders show");
}

TEST_CASE("Options: a missing, empty or doubled value is refused") {
  CheckRefused(Run({"--group"}), 64, "--group wants a value");
  CheckRefused(Run({"--group", "--once"}), 64, "--group wants a value");
  CheckRefused(Run({"--group", "-x"}), 64, "--group wants a value");
  CheckRefused(Run({"--group="}), 64, "the value of --group is empty");
  CheckRefused(Run({"--group", ""}), 64, "the value of --group is empty");
  CheckRefused(Run({"--batch", "50", "--batch", "60"}), 64, "--batch is given twice");
  CheckRefused(Run({"--once", "--once"}), 64, "--once is given twice");
  CheckRefused(Run({"--once=false"}), 64, "--once takes no value");
  CHECK(Good(Run({"--group=-x"})).settings.group == "-x");
}

TEST_CASE("Options: values stay whole, whatever stands in them") {
  for (const std::string value :
       {"a,b", "\"x,y\"", "{\"k\":\"1\",\"l\":\"2\"}", "/tmp/a,b/c.conf", "a,,b", "a=b", "a b"})
    for (const Words& form : {Words{"--group", value}, Words{"--group=" + value}})
      CHECK(Good(Run(form)).settings.group == value);
  const std::string path = "/tmp/" + std::string(100'000, 'x');
  CHECK(Good(Run({"--log-file", path})).log_file == path);
  CHECK(Good(Run({"--log-file=" + path})).log_file == path);
  CHECK(Good({"dlq", "discard", "1", "--why", "中文, two words", "--db", "a.db"}).why == "中文, two words");
}

TEST_CASE("Options: topics are the one comma list, without empty items") {
  const Words permit{"permit", "--app-key", "1", "--app-secret-file", "s", "--session-file", "s", "--topics"};
  const auto with = [&](std::string value) {
    Words words = permit;
    words.push_back(std::move(value));
    return words;
  };
  CHECK(Good(with("a,b")).topics == Words{"a", "b"});
  CHECK(Good(with("a")).topics == Words{"a"});
  for (const char* value : {"a,,b", ",a", "a,", ",", "a, b"}) CheckRefused(with(value), 64, "--topics takes");
}

TEST_CASE("Options: a missing setting is 78 and names flag and variable") {
  CheckRefused({"run", "--app-key", "1", "--app-secret-file", "s"}, 78, "run needs --db");
  CheckRefused({"run", "--db", "a.db", "--app-secret-file", "s"}, 78, "run needs --app-key");
  CheckRefused({"run", "--db", "a.db", "--app-key", "1"}, 78,
               "--app-secret-file F, or the variable TMC_APP_SECRET");
  CheckRefused({"status"}, 78, "status needs --db");
  CheckRefused({"permit", "--app-key", "1", "--app-secret-file", "s"}, 78,
               "--session-file F, or the variable TMC_SESSION");
  const Options options =
      Good({"run", "--db", "a.db", "--app-key", "1"}, {{"TMC_APP_SECRET", "x"}, {"TMC_SESSION", "y"}});
  CHECK(options.secrets.app_secret == "x");
  CHECK(options.secrets.session == "y");
  CheckRefused(Run({"--idle-min", "10s"}), 78, "--idle-min is larger than --idle-max");
  CheckRefused({"run", "--batch", "5"}, 64, "--batch");
}

TEST_CASE("Options: plain http to another machine has to be allowed") {
  CheckRefused(Run({"--gateway", "http://gw.example/router/rest"}), 78, "--allow-plaintext");
  CheckRefused(Run({"--gateway", "http://localhost.gw.example/"}), 78, "--allow-plaintext");
  CHECK(Good(Run({"--gateway", "http://gw.example/", "--allow-plaintext"})).gateway == "http://gw.example/");
  for (const char* url :
       {"http://localhost:1/", "http://127.0.0.1:1/", "http://[::1]:1/", "https://gw.example/"})
    CHECK(Good(Run({"--gateway", url})).gateway == url);
}

TEST_CASE("Options: a secret on the command line is refused and not repeated") {
  for (const Words& form : {Words{"--app-secret", "hidden-value"}, Words{"--app-secret=hidden-value"}})
    CheckRefused(Run(form), 64, "use --app-secret-file or the variable TMC_APP_SECRET");
  CheckRefused(Run({"--session", "hidden-value"}), 64, "use --session-file or the variable TMC_SESSION");
}

TEST_CASE("Options: what later versions will do is refused by name") {
  CheckRefused(Run({"--deliver", "erp=https://erp.example/hook"}), 64,
               "--deliver is not available in this version yet");
  CheckRefused(Run({"--metrics-file", "m"}), 64, "--metrics-file is not available in this version yet");
  CheckRefused(Run({"--platform", "1688"}), 64, "--platform 1688 is not available in this version yet");
  CheckRefused({"status", "--db", "a.db", "--check"}, 64, "--check is not available in this version yet");
  CheckRefused({"doctor"}, 64, "doctor is not available in this version yet");
}

TEST_CASE("Options: a flag file is read, and the command line wins") {
  const TempFolder folder;
  const std::string file =
      folder.File("flags",
                  "\xEF\xBB\xBF# shop 1\r\n\r\n--db a.db\r\n  --app-key=12345678  \n--app-secret-file s\n"
                  "--group  two words, and = more\n--batch 50\n--once\n--why kept # whole");
  const Options options = Good({"run", "--flagfile", file, "--batch", "60"});
  CHECK(options.db == "a.db");
  CHECK(options.settings.app_key == "12345678");
  CHECK(options.settings.group == "two words, and = more");
  CHECK(options.settings.batch == 60);
  CHECK(options.settings.once);
  CHECK(Good({"dlq", "discard", "1", "--flagfile", file}).why == "kept # whole");
  // The same file serves commands that have no use for some of its flags.
  CHECK(Good({"status", "--flagfile", file}).db == "a.db");
}

TEST_CASE("Options: a flag file without an end is refused at once") {
  CheckRefused({"run", "--flagfile", "/dev/zero"}, 78, "larger than 1 MiB");
}

TEST_CASE("Options: a flag file's mistakes are named with their line") {
  const TempFolder folder;
  for (const auto& [content, part] : std::vector<std::pair<std::string, std::string>>{
           {"# x\n--bacth 50", "flags line 2: unknown flag --bacth; did you mean --batch?"},
           {"--batch 5", "flags line 1: --batch takes"},
           {"--batch", "flags line 1: --batch wants a value"},
           {"--batch=", "flags line 1: the value of --batch is empty"},
           {"--batch 50\n--batch 60", "flags line 2: --batch is given twice"},
           {"batch 50", "flags line 1: a flag was expected"},
           {"run", "flags line 1: a flag was expected"},
           {"--", "flags line 1: a flag was expected"},
           {"--once yes", "flags line 1: --once takes no value"},
           {"--flagfile more", "flags line 1: --flagfile cannot stand"},
           {"--group \"a b\"", "flags line 1: --group: a value in a flag file stands without quotes"},
           {"--app-secret hidden-value", "flags line 1: --app-secret would show"}})
    CheckRefused(Run({"--flagfile", folder.File("flags", content)}), 64, part);
  CheckRefused(Run({"--flagfile", folder.Path("none")}), 78, "--flagfile: ");
  CheckRefused(Run({"--flagfile", folder.Path("")}), 78, "--flagfile: ");
  CheckRefused(Run({"--flagfile", folder.File("large", std::string((1u << 20) + 1, '#'))}), 78,
               "larger than 1 MiB");
  CheckRefused({"status", "--flagfile", folder.File("flags", "--db a\n--batch 5")}, 64,
               "flags line 2: --batch takes");
}

TEST_CASE("Options: trace takes one of its two ids") {
  CHECK(Good({"trace", "--db", "a.db", "--msg-id", "7104300007405429231", "--json"}).msg_id ==
        "7104300007405429231");
  CHECK(Good({"--db", "a.db", "trace", "--order-id", "1"}).order_id == "1");
  CheckRefused({"trace", "--db", "a.db"}, 64, "trace takes either --msg-id or --order-id");
  CheckRefused({"trace", "--db", "a.db", "--msg-id", "1", "--order-id", "1"}, 64, "trace takes either");
}

TEST_CASE("Options: orders are shown one by one or listed by status and time") {
  const Options show = Good({"orders", "show", "3012345678901234567", "--db", "a.db"});
  CHECK(show.command == Command::kOrdersShow);
  CHECK(show.ids == Words{"3012345678901234567"});
  const Options list =
      Good({"orders", "list", "--status", "TRADE_FINISHED", "--since", "2026-01-15T08:30", "--db", "a.db"});
  CHECK(list.command == Command::kOrdersList);
  CHECK(list.status == "TRADE_FINISHED");
  CHECK(list.since == FromMillis(1768437000000));
  CheckRefused({"orders", "show", "--db", "a.db"}, 64, "orders show takes one ID");
  CheckRefused({"orders", "show", "1", "2", "--db", "a.db"}, 64, "orders show takes one ID");
  CheckRefused({"orders", "list", "1", "--db", "a.db"}, 64, "orders list does not take the word 1");
  CheckRefused({"orders", "list", "--since", "yesterday", "--db", "a.db"}, 64, "--since takes a time");
}

TEST_CASE("Options: dead letters are replayed by number or reason, discarded with a why") {
  const auto dlq = [](Words words) {
    words.insert(words.begin(), "dlq");
    words.insert(words.end(), {"--db", "a.db"});
    return words;
  };
  CHECK(Good(dlq({"list", "--reason", "expired", "--all"})).reason == "expired");
  CHECK(Good(dlq({"show", "1"})).ids == Words{"1"});
  CHECK(Good(dlq({"replay", "1", "2"})).ids == Words{"1", "2"});
  CHECK(Good(dlq({"replay", "--reason", "expired"})).command == Command::kDlqReplay);
  CHECK(Good(dlq({"replay", "1", "--accept-truth", "--why", "x"})).accept_truth);
  CHECK(Good(dlq({"discard", "1", "--why", "x"})).command == Command::kDlqDiscard);
  CheckRefused(dlq({"replay"}), 64, "dlq replay takes either IDs or --reason");
  CheckRefused(dlq({"replay", "1", "--reason", "x"}), 64, "dlq replay takes either");
  CheckRefused(dlq({"replay", "1", "2", "--accept-truth", "--why", "x"}), 64, "--accept-truth takes one ID");
  CheckRefused(dlq({"replay", "--reason", "r", "--accept-truth", "--why", "x"}), 64,
               "--accept-truth takes one ID");
  CheckRefused(dlq({"replay", "1", "--accept-truth"}), 64, "--accept-truth wants --why");
  CheckRefused(dlq({"discard", "1"}), 64, "dlq discard wants --why");
  CheckRefused(dlq({"discard", "--why", "x"}), 64, "dlq discard takes at least one ID");
  CheckRefused(dlq({"show"}), 64, "dlq show takes one ID");
  CheckRefused(dlq({"show", "0"}), 64, "0 is not the number of a dead letter");
  CheckRefused(dlq({"replay", "1", "x"}), 64, "x is not the number of a dead letter");
}

TEST_CASE("Options: reconcile wants a window, and credentials only if it has to work itself") {
  const Options options =
      Good({"reconcile", "--from", "2026-01-15", "--to", "2026-01-15T08:30:00", "--db", "a.db"});
  CHECK(*options.to - *options.from == 8h + 30min);
  CheckRefused({"reconcile", "--from", "2026-01-15", "--db", "a.db"}, 64, "--to");
  CheckRefused({"reconcile", "--from", "2026-01-15", "--to", "2026-01-15", "--db", "a.db"}, 78,
               "--to is not later");
}

TEST_CASE("Options: help is found wherever it is asked for") {
  CHECK(Good({"--help"}).help == HelpText(""));
  CHECK(Good({"help"}).help == HelpText(""));
  CHECK(Good({"-h"}).help == HelpText(""));
  CHECK(Good({"help", "run"}).help == HelpText("run"));
  CHECK(Good({"run", "--batch", "5", "--help"}).help == HelpText("run"));
  CHECK(Good({"dlq", "replay", "--help"}).help == HelpText("dlq"));
  CheckRefused({"help", "frobnicate"}, 64, "frobnicate");
  CHECK(Good({"run", "--help"}).command == Command::kHelp);
  CHECK(HelpText("run") != HelpText(""));
  CHECK(Good({"--version"}).command == Command::kVersion);
  CHECK(Good({"--version", "--json"}).json);
  CHECK(Good({"version", "--json"}).json);
}

TEST_CASE("Options: the help of each command names all of its flags on at most 40 lines") {
  const std::string everywhere = HelpText("");
  for (const auto& [word, command] :
       std::vector<std::pair<std::string, Command>>{{"run", Command::kRun},
                                                    {"status", Command::kStatus},
                                                    {"trace", Command::kTrace},
                                                    {"orders", Command::kOrdersShow},
                                                    {"orders", Command::kOrdersList},
                                                    {"dlq", Command::kDlqList},
                                                    {"dlq", Command::kDlqShow},
                                                    {"dlq", Command::kDlqReplay},
                                                    {"dlq", Command::kDlqDiscard},
                                                    {"reconcile", Command::kReconcile},
                                                    {"permit", Command::kPermit},
                                                    {"version", Command::kVersion}}) {
    const std::string text = HelpText(word);
    CHECK(std::ranges::count(text, '\n') <= 40);
    CHECK(text.find("example") != std::string::npos);
    for (const Flag& flag : AllFlags()) {
      CAPTURE(word);
      CAPTURE(flag.name);
      if (!flag.Belongs(command) || flag.name == "check") continue;
      const std::string name = "--" + std::string(flag.name);
      CHECK((text.find(name) != std::string::npos || everywhere.find(name + " ") != std::string::npos));
    }
  }
  CHECK(std::ranges::count(everywhere, '\n') <= 40);
}
