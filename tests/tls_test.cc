// Whom the agent talks to: B66, certificates are always checked.
#include <doctest/doctest.h>

#include "agent/http.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"

using namespace tmc;

namespace {

// One exchange with a server of that identity; `trusted`: its authority is named by --ca-file.
HttpResponse Ask(const TlsIdentity& identity, bool trusted, int& requests) {
  TempFolder folder;
  HttpResponse response;
  {
    TlsServer server(identity);
    HttpSettings settings;
    if (trusted) settings.ca_file = folder.File("ca.pem", server.authority());
    const auto client = MakeCurlClient(settings);
    HttpRequest request;
    request.url = server.Url();
    request.body = "app_secret_would_be_signed_here";
    const HttpId id = client->Start(request);
    for (const HttpDone& done : client->Wait(30s))
      if (done.id == id) response = done.response;
    requests = server.requests();
  }
  return response;
}

void Refused(const TlsIdentity& identity, bool trusted, const char* part) {
  int requests = 0;
  const HttpResponse response = Ask(identity, trusted, requests);
  CHECK(response.status == 0);
  CHECK_MESSAGE(response.transport.find(part) != std::string::npos, response.transport);
  CHECK_MESSAGE(requests == 0, "nothing was sent");
}

}  // namespace

TEST_CASE("Tls: a certificate of an authority that --ca-file names is taken") {
  int requests = 0;
  const HttpResponse response = Ask({}, true, requests);
  CHECK_MESSAGE(response.status == 200, response.transport);
  CHECK(response.body == "{}");
  CHECK(requests == 1);
}

TEST_CASE(
    "Tls: an unknown authority, a self-signed, foreign or expired certificate and TLS 1.0 are refused") {
  Refused({}, false, "certificate");
  Refused({.signed_by_authority = false}, true, "certificate");
  Refused({.host = "gw.example.com"}, true, "localhost");
  Refused({.valid_from = -7200, .valid_for = -3600}, true, "certificate");
  Refused({.only_tls10 = true}, true, "");
}

TEST_CASE("Tls: a file of authorities that is missing is named") {
  HttpSettings settings;
  settings.ca_file = "/nowhere/ca.pem";
  TlsServer server({});
  const auto client = MakeCurlClient(settings);
  HttpRequest request;
  request.url = server.Url();
  client->Start(request);
  const auto done = client->Wait(30s);
  REQUIRE(done.size() == 1);
  CHECK_MESSAGE(done[0].response.transport.find("/nowhere/ca.pem") != std::string::npos,
                done[0].response.transport);
  CHECK(server.requests() == 0);
}
