#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace tmc {

// The app's secret and the shops' sessions, as they stood at one moment.
struct SecretSet {
  std::string app_secret;
  std::string bare_session;                     // a session whose shop is not named; or empty
  std::map<std::string, std::string> sessions;  // user id or nick → session
  int64_t generation = 0;                       // rises whenever anything changed

  // The session for a shop by user id, then by nick; nullptr when it has none.
  const std::string* Session(std::string_view user_id, std::string_view nick) const;
};

struct SecretSources {
  std::string app_secret_file = {}, session_file = {};  // empty: not given
  std::string app_secret = {}, session = {};            // from TMC_APP_SECRET, TMC_SESSION; or empty
};

// A secret that can't be used; `exit_status` per contract (77: others may read the file; 78: missing or
// empty).
struct SecretProblem {
  int exit_status;
  std::string text;  // names the file, never the secret
};

// Files may end in LF, CR LF or blank lines and begin with a UTF-8 BOM; blanks at the ends of a secret are
// cut. Session file: a lone session, or a line a shop: `USER_ID_OR_NICK SESSION`, # comments.
class Secrets {
 public:
  explicit Secrets(SecretSources sources) : sources_(std::move(sources)) {}
  // Reads everything. On a problem the set held before stays in force.
  [[nodiscard]] std::optional<SecretProblem> Load();
  // Reads again where a file's identity, size or time changed; true when the set changed. A problem is logged
  // once.
  bool Refresh();
  SecretSet Get() const;

 private:
  SecretSources sources_;
  mutable std::mutex mutex_;
  SecretSet set_;
  std::string stamp_;
};

}  // namespace tmc
