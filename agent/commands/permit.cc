#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/commands/wiring.h"
#include "agent/sessions.h"
#include "agent/store_file.h"

namespace tmc::commands {
namespace {

// One call of a one-shot command: sent once, and once more on the platform's time if our clock was refused.
HttpResponse Exchange(HttpClient& http, HttpRequest request) {
  const milliseconds most = request.timeout + 5s;
  const HttpId id = http.Start(std::move(request));
  for (const HttpDone& done : http.Wait(most))
    if (done.id == id) return done.response;
  http.Abort(id);
  HttpResponse none;
  none.transport = "no answer in time";
  return none;
}

int StatusOf(const Error& error) {
  switch (error.fault) {
    case Fault::kShop:
    case Fault::kApi:
    case Fault::kAgent:
    case Fault::kClock:
      return 77;
    case Fault::kLimited:
      return 75;
    case Fault::kOutside:
      return 69;
    case Fault::kMessage:
    case Fault::kUnknown:
      return 65;
  }
  return 70;
}

std::string Joined(const std::vector<std::string>& topics) {
  std::string text;
  for (const std::string& topic : topics) text += (text.empty() ? "" : ", ") + topic;
  return text.empty() ? "(none)" : text;
}

bool Agreed(const Options& options) {
  if (options.yes) return true;
  if (!isatty(STDIN_FILENO)) {
    Complain("`permit` replaces the shop's topics; say --yes where nobody can be asked");
    return false;
  }
  std::cerr << "Replace the topics? Type yes: " << std::flush;
  std::string word;
  return std::getline(std::cin, word) && word == "yes";
}

class Permission {
 public:
  Permission(const Options& options, const Platform& platform, Wiring& wiring)
      : options_(options),
        platform_(platform),
        wiring_(wiring),
        http_(MakeCurlClient(wiring.http_settings)),
        set_(wiring.secrets.Get()) {}

  int Change() {
    const std::string* session = Session();
    if (!session) return 78;
    if (const auto status = AdjustClock()) return *status;
    const std::string before = OldTopics();
    const std::vector<std::string> wanted = options_.topics.value_or(std::vector<std::string>{});
    const std::string after = wanted.empty() ? "all that the app subscribes" : Joined(wanted);
    if (!options_.json) {
      Say("old topics: " + before);
      Say("new topics: " + after);
    }
    if (!Agreed(options_)) {
      Complain("nothing was changed");
      return 64;
    }
    const auto done = platform_.ReadPermit(Exchange(*http_, platform_.Permit(wanted, With(*session))));
    if (!done) return Refused("the permission", done.error());
    Done(before, after);
    return 0;
  }

 private:
  CallContext With(std::string_view session) const {
    return {wiring_.platform_clock.Now(), set_.app_secret, session};
  }

  int Refused(std::string_view what, const Error& error) {
    Complain(fmt::format("{} was not given: {}", what, Sentence(error)));
    return StatusOf(error);
  }

  const std::string* Session() {
    if (!options_.shop.empty()) {
      const std::string* session = set_.Session(options_.shop, options_.shop);
      if (!session)
        Complain("there is no session for shop " + options_.shop +
                 " in the session file; a line there names it: " + options_.shop + " SESSION");
      return session;
    }
    if (!set_.bare_session.empty()) return &set_.bare_session;
    if (set_.sessions.size() == 1) return &set_.sessions.begin()->second;
    Complain("the session file names several shops; say which one with --shop");
    return nullptr;
  }

  std::optional<int> AdjustClock() {
    const auto told = platform_.ReadServerTime(Exchange(*http_, platform_.ServerTime(With(""))));
    if (told) wiring_.platform_clock.Set(*told);
    if (told || told.error().fault == Fault::kClock) return std::nullopt;
    return Refused("the platform's time", told.error());
  }

  void Done(const std::string& before, const std::string& after) {
    if (!options_.json) return Say("done: the platform sends this shop's messages now");
    json::Writer out;
    out.BeginObject()
        .Member("permitted", true)
        .Member("old_topics", before)
        .Member("new_topics", after)
        .EndObject();
    SayJson(out);
  }

  // The platform asks for a nick; a user id or a bare session's shop finds its nick in the database, if there
  // is one.
  std::string Nick() {
    const std::string shop =
        !options_.shop.empty() || set_.sessions.empty() ? options_.shop : set_.sessions.begin()->first;
    if (shop.find_first_not_of("0123456789") != shop.npos) return shop;
    if (options_.db.empty() || store_file::Size(options_.db) < 0) return "";
    Store store({.path = options_.db, .read_only = true});
    Cursors cursors(store, options_.platform);
    Sessions sessions(wiring_.secrets, cursors);
    sessions.Refresh(true);
    const auto shops = cursors.Shops();
    const auto found = shops.find(shop.empty() ? sessions.bare_shop() : shop);
    return found == shops.end() ? "" : found->second;
  }

  std::string OldTopics() {
    const std::string nick = Nick();
    if (nick.empty())
      return "(not known: the session file does not name the shop by its nick, and the database does not "
             "know it yet)";
    const auto shop = platform_.ReadShop(Exchange(*http_, platform_.Shop(nick, With(""))));
    return shop ? Joined(shop->topics) : "(not known: " + Sentence(shop.error()) + ")";
  }

  const Options& options_;
  const Platform& platform_;
  Wiring& wiring_;
  std::unique_ptr<HttpClient> http_;
  SecretSet set_;
};

}  // namespace

int Permit(const Options& options, const Platform& platform) {
  Wiring wiring(options, platform);
  if (const auto status = wiring.LoadSecrets()) return *status;
  return Permission(options, platform, wiring).Change();
}

}  // namespace tmc::commands
