#include "agent/secrets.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "agent/log.h"
#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

std::optional<SecretProblem> ProblemOf(SecretSources sources) {
  return Secrets(std::move(sources)).Load();
}

SecretSet SetOf(SecretSources sources) {
  Secrets secrets(std::move(sources));
  const auto problem = secrets.Load();
  CAPTURE((problem ? problem->text : ""));
  REQUIRE_FALSE(problem);
  return secrets.Get();
}

// What becomes of a session file of this content.
struct SessionFile {
  TempFolder folder;
  std::optional<SecretProblem> Problem(std::string_view content) {
    return ProblemOf({.session_file = folder.File("sessions", content), .app_secret = "s"});
  }
  SecretSet Set(std::string_view content) {
    return SetOf({.session_file = folder.File("sessions", content), .app_secret = "s"});
  }
  void CheckRefused(std::string_view content, std::string_view part) {
    const auto problem = Problem(content);
    REQUIRE(problem);
    CAPTURE(problem->text);
    CHECK(problem->exit_status == 78);
    CHECK(problem->text.find(part) != std::string::npos);
    CHECK(problem->text.find(folder.Path("sessions")) != std::string::npos);
    CHECK(problem->text.find("SECRETTEXT") == std::string::npos);
  }
};

}  // namespace

TEST_CASE("Secrets: the app secret is read whatever an editor put around it") {
  const TempFolder folder;
  for (const char* content : {"abc", "abc\n", "abc\r\n",
                              "\xEF\xBB\xBF"
                              "abc\r\n\r\n",
                              "\n \tabc \n\n"}) {
    CAPTURE(content);
    CHECK(SetOf({.app_secret_file = folder.File("secret", content)}).app_secret == "abc");
  }
}

TEST_CASE("Secrets: the environment's values are used where no file is named") {
  const SecretSet set = SetOf({.app_secret = " abc\n", .session = "6100\r\n"});
  CHECK(set.app_secret == "abc");
  CHECK(set.bare_session == "6100");
  const TempFolder folder;
  const SecretSet both =
      SetOf({.app_secret_file = folder.File("secret", "of-file"), .app_secret = "of-environment"});
  CHECK(both.app_secret == "of-file");
  CHECK(both.bare_session == "");
}

TEST_CASE("Secrets: a file that others may read is refused with its mode and the mend") {
  const TempFolder folder;
  for (const mode_t mode : {0640u, 0604u, 0620u, 0644u}) {
    const std::string path = folder.File("secret", "abc", mode);
    const auto problem = ProblemOf({.app_secret_file = path});
    REQUIRE(problem);
    CHECK(problem->exit_status == 77);
    CHECK(problem->text.find("(mode 0" + std::to_string(mode / 64) + std::to_string(mode / 8 % 8)) !=
          std::string::npos);
    CHECK(problem->text.ends_with("chmod 600 " + path));
  }
  CHECK(SetOf({.app_secret_file = folder.File("secret", "abc", 0400)}).app_secret == "abc");
  const auto sessions = ProblemOf({.session_file = folder.File("sessions", "x", 0644), .app_secret = "s"});
  REQUIRE(sessions);
  CHECK(sessions->exit_status == 77);
}

TEST_CASE("Secrets: what is missing, empty or no word is named, never shown") {
  const TempFolder folder;
  CHECK(ProblemOf({})->text == "no app secret: give --app-secret-file or the variable TMC_APP_SECRET");
  for (const std::string& path :
       {folder.Path("none"), folder.File("empty", " \r\n"), folder.Path(""),
        folder.File("words", "SECRETTEXT SECRETTEXT"), folder.File("lines", "SECRETTEXT\nb"),
        folder.File("nul", std::string("SECRETTEXT\0", 11)),
        folder.File("large", std::string((1u << 20) + 1, 'x'))}) {
    const auto problem = ProblemOf({.app_secret_file = path});
    REQUIRE(problem);
    CAPTURE(problem->text);
    CHECK(problem->exit_status == 78);
    CHECK(problem->text.find(path) != std::string::npos);
    CHECK(problem->text.find("SECRETTEXT") == std::string::npos);
  }
  CHECK(ProblemOf({.app_secret = "SECRETTEXT b"})->text ==
        "the variable TMC_APP_SECRET does not hold one word");
  CHECK(ProblemOf({.app_secret = "a", .session = "a b"})->exit_status == 78);
}

TEST_CASE("Secrets: a pipe in a secret file's place is refused at once") {
  const TempFolder folder;
  REQUIRE(mkfifo(folder.Path("pipe").c_str(), 0600) == 0);
  const auto problem = ProblemOf({.app_secret_file = folder.Path("pipe")});
  REQUIRE(problem);
  CHECK(problem->exit_status == 78);
  CHECK(problem->text.ends_with("is not a regular file"));
}

TEST_CASE("Secrets: a session file holds one bare session") {
  SessionFile file;
  const SecretSet set = file.Set("\xEF\xBB\xBF# shop\r\n\r\n6100abc  # until May\r\n");
  CHECK(set.bare_session == "6100abc");
  CHECK(set.sessions.empty());
  CHECK(set.Session("1", "nick") == nullptr);
}

TEST_CASE("Secrets: a session file holds a line a shop, by user id or nick") {
  SessionFile file;
  const SecretSet set = file.Set("# shops\n2074082786 6100a\n\n  商家测试帐号17\t6100b\r\n");
  CHECK(set.bare_session == "");
  CHECK(set.sessions.size() == 2);
  CHECK(*set.Session("2074082786", "") == "6100a");
  CHECK(*set.Session("9", "商家测试帐号17") == "6100b");
  CHECK(*set.Session("2074082786", "商家测试帐号17") == "6100a");
  CHECK(set.Session("9", "") == nullptr);
  CHECK(set.Session("", "") == nullptr);
}

TEST_CASE("Secrets: a session file that cannot be meant so is refused with its line") {
  SessionFile file;
  file.CheckRefused("# nothing\n", "is empty");
  file.CheckRefused("", "is empty");
  file.CheckRefused("1 SECRETTEXT\n\n1 SECRETTEXT2\n", "line 3 names a shop for the second time");
  file.CheckRefused("1 SECRETTEXT more\n", "line 1 has more than");
  file.CheckRefused("1 SECRETTEXT\nSECRETTEXT\n", "line 2 names no shop");
  file.CheckRefused("SECRETTEXT\nSECRETTEXT\n", "line 2 names no shop");
  file.CheckRefused("SECRETTEXT\n1 SECRETTEXT\n", "line 2 names a shop, but");
  file.CheckRefused("\xC9\xCC\xBC\xD2 SECRETTEXT\n", "line 1 is not UTF-8");
  file.CheckRefused("1 会话SECRETTEXT\n", "line 1 holds a session that");
}

TEST_CASE("Secrets: a changed file is read again, an unchanged one is not") {
  const TempFolder folder;
  const std::string path = folder.File("sessions", "1 aaaa\n");
  Secrets secrets({.session_file = path, .app_secret = "s"});
  REQUIRE_FALSE(secrets.Load());
  CHECK(secrets.Get().generation == 1);
  CHECK_FALSE(secrets.Refresh());

  folder.File("fresh", "1 bbbb\n");
  std::filesystem::rename(folder.Path("fresh"), path);
  CHECK(secrets.Refresh());
  CHECK(*secrets.Get().Session("1", "") == "bbbb");
  CHECK(secrets.Get().generation == 2);
  CHECK_FALSE(secrets.Refresh());

  folder.File("fresh", "1 bbbb # the same\n");
  std::filesystem::rename(folder.Path("fresh"), path);
  CHECK_FALSE(secrets.Refresh());
  CHECK(secrets.Get().generation == 2);
}

TEST_CASE("Secrets: a file that becomes unusable leaves the old set in force and is reported once") {
  const TempFolder folder;
  const std::string path = folder.File("sessions", "1 aaaa\n");
  log::Open(log::Level::kInfo, log::Format::kText, folder.Path("log"));
  Secrets secrets({.session_file = path, .app_secret = "s"});
  REQUIRE_FALSE(secrets.Load());
  std::filesystem::rename(path, folder.Path("away"));
  CHECK_FALSE(secrets.Refresh());
  CHECK_FALSE(secrets.Refresh());
  CHECK(*secrets.Get().Session("1", "") == "aaaa");
  const std::string logged = folder.Read("log");
  CHECK(logged.find(path + ", cannot be read: No such file") != std::string::npos);
  CHECK(std::count(logged.begin(), logged.end(), '\n') == 1);

  folder.File("fresh", "1 cccc\n", 0644);
  std::filesystem::rename(folder.Path("fresh"), path);
  CHECK_FALSE(secrets.Refresh());
  chmod(path.c_str(), 0600);
  CHECK(secrets.Refresh());
  CHECK(*secrets.Get().Session("1", "") == "cccc");
  log::Open(log::Level::kInfo, log::Format::kText, "");
}
