#include "agent/version.h"

#include <fmt/format.h>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/http.h"
#include "agent/store.h"

namespace tmc::commands {

int ShowVersion(const Options& options) {
  const std::string libraries = HttpLibrary() + ", SQLite " + Store::Library();
  if (options.json) {
    json::Writer out;
    out.BeginObject().Member("version", Version()).Member("commit", Commit()).Member("compiler", Compiler());
    out.Member("libraries", libraries).Member("schema", Store::NewestSchema()).EndObject();
    SayJson(out);
    return 0;
  }
  Say("tmc-agent " + Version());
  Say("commit     " + Commit());
  Say("compiler   " + Compiler());
  Say("libraries  " + libraries);
  Say(fmt::format("schema     {}", Store::NewestSchema()));
  return 0;
}

}  // namespace tmc::commands
