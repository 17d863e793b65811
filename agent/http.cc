#include "agent/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <unordered_map>

#include "agent/url.h"
#include "agent/version.h"

namespace tmc {
namespace {

constexpr long kLowSpeedBytes = 100;       // a second
constexpr size_t kMaxHeader = 256u << 10;  // bytes of all header lines of one answer

void InitOnce() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw std::runtime_error("libcurl cannot be initialised");
}

template <typename T>
void Set(CURL* easy, CURLoption option, T value) {
  if (curl_easy_setopt(easy, option, value) != CURLE_OK)
    throw std::runtime_error(fmt::format("libcurl refuses option {}", static_cast<int>(option)));
}

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;

// One exchange, from Start to its result. Its address is known to libcurl and must not change.
struct Exchange {
  HttpId id;
  HttpRequest request;
  HttpResponse response;
  Easy easy;
  std::unique_ptr<curl_slist, FreeList> headers;
  size_t header_bytes = 0;
  char error[CURL_ERROR_SIZE] = "";
};

size_t TakeBody(char* data, size_t, size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  HttpResponse& response = exchange.response;
  if (size > exchange.request.max_body - response.body.size()) {
    response.too_large = true;
    return 0;
  }
  response.body.append(data, size);
  return size;
}

size_t TakeHeader(char*, size_t, size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  exchange.header_bytes += size;
  return exchange.header_bytes > kMaxHeader ? 0 : size;
}

std::string Seconds(milliseconds time) {
  return fmt::format("{:.15g} s", static_cast<double>(time.count()) / 1000);
}

std::string Reason(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "refused";
    case ETIMEDOUT:
      return "timed out";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "unreachable";
    case ECONNRESET:
    case EPIPE:
      return "reset by the other side";
    default:
      return std::generic_category().message(error);
  }
}

// Turns libcurl's verdict into a sentence.
class FailureText {
 public:
  FailureText(const Exchange& exchange, const HttpSettings& settings)
      : exchange_(exchange), settings_(settings) {
    const auto url = ParseUrl(exchange.request.url);
    host_ = url ? url->host : "the server";
    port_ = url ? url->port : 0;
  }

  std::string For(CURLcode code) const {
    if (exchange_.response.too_large || code == CURLE_FILESIZE_EXCEEDED)
      return fmt::format("the answer of {} is larger than {} bytes and was cut off", host_,
                         exchange_.request.max_body);
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
        return fmt::format("could not find the address of {}", host_);
      case CURLE_COULDNT_RESOLVE_PROXY:
        return "could not find the address of the proxy";
      case CURLE_COULDNT_CONNECT:
        return fmt::format("could not connect to {} port {}: {}", host_, port_, Detail());
      case CURLE_OPERATION_TIMEDOUT:
        return Timeout();
      case CURLE_PARTIAL_FILE:
        return fmt::format("{} closed the connection before its answer was whole", host_);
      case CURLE_GOT_NOTHING:
        return fmt::format("{} closed the connection without an answer", host_);
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
        return fmt::format("the connection to {} broke: {}", host_, Detail());
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
        return fmt::format("the certificate of {} was not accepted: {} (--ca-file names other authorities)",
                           host_, Buffer());
      default:
        return fmt::format("the exchange with {} failed: {}", host_, Buffer(code));
    }
  }

 private:
  std::string Buffer(CURLcode code = CURLE_OK) const {
    return exchange_.error[0] != '\0' ? exchange_.error : curl_easy_strerror(code);
  }
  std::string Detail() const {
    long error = 0;
    curl_easy_getinfo(exchange_.easy.get(), CURLINFO_OS_ERRNO, &error);
    return error != 0 ? Reason(static_cast<int>(error)) : Buffer();
  }
  std::string Timeout() const {
    curl_off_t connected = 0, total = 0;
    curl_easy_getinfo(exchange_.easy.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    curl_easy_getinfo(exchange_.easy.get(), CURLINFO_TOTAL_TIME_T, &total);
    if (connected == 0)
      return fmt::format("no connection to {} port {} within {}", host_, port_,
                         Seconds(std::min(settings_.connect_timeout, exchange_.request.timeout)));
    const milliseconds took(total / 1000);
    if (took < exchange_.request.timeout)
      return fmt::format("{} sent next to nothing for {}", host_, Seconds(settings_.low_speed_time));
    return fmt::format("no whole answer from {} within {}", host_, Seconds(exchange_.request.timeout));
  }

  const Exchange& exchange_;
  const HttpSettings& settings_;
  std::string host_;
  int port_;
};

// Keeps libcurl's handles; connections live in the multi handle and outlive the exchanges.
class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(const HttpSettings& settings) : settings_(settings) {
    InitOnce();
    multi_.reset(curl_multi_init());
    if (!multi_) throw std::runtime_error("libcurl cannot make a multi handle");
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(settings.connections));
  }

  ~CurlClient() override {
    for (const auto& [id, exchange] : exchanges_)
      curl_multi_remove_handle(multi_.get(), exchange->easy.get());
  }

  HttpId Start(HttpRequest request) override {
    auto exchange = std::make_unique<Exchange>();
    exchange->id = ++last_id_;
    exchange->request = std::move(request);
    exchange->easy = TakeEasy();
    Arrange(*exchange);
    Check(curl_multi_add_handle(multi_.get(), exchange->easy.get()));
    exchanges_.emplace(last_id_, std::move(exchange));
    return last_id_;
  }

  std::vector<HttpDone> Wait(milliseconds most) override {
    const milliseconds end = clock_.Steady() + most;
    while (true) {
      int running = 0;
      Check(curl_multi_perform(multi_.get(), &running));
      std::vector<HttpDone> done = Collect();
      const milliseconds left = end - clock_.Steady();
      if (!done.empty() || woken_.exchange(false) || left <= 0ms) return done;
      const auto pause = static_cast<int>(std::min<milliseconds>(left, 1h).count());
      Check(curl_multi_poll(multi_.get(), nullptr, 0, pause, nullptr));
    }
  }

  void Abort(HttpId id) override {
    const auto found = exchanges_.find(id);
    if (found == exchanges_.end()) return;
    Release(*found->second);
    exchanges_.erase(found);
  }

  bool Answering(HttpId id) const override {
    const auto found = exchanges_.find(id);
    return found != exchanges_.end() && found->second->header_bytes > 0;
  }

  void Wake() override {
    woken_ = true;
    curl_multi_wakeup(multi_.get());
  }

 private:
  static void Check(CURLMcode code) {
    if (code != CURLM_OK) throw std::runtime_error(fmt::format("libcurl: {}", curl_multi_strerror(code)));
  }

  Easy TakeEasy() {
    if (idle_.empty()) return MakeEasy();
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }

  // What holds for every exchange.
  Easy MakeEasy() const {
    Easy easy(curl_easy_init());
    if (!easy) throw std::runtime_error("libcurl cannot make a handle");
    CURL* const raw = easy.get();
    Set(raw, CURLOPT_NOSIGNAL, 1L);
    Set(raw, CURLOPT_QUICK_EXIT, 1L);  // else an abort waits for a name lookup that hangs
    Set(raw, CURLOPT_PROTOCOLS_STR, "http,https");
    Set(raw, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    Set(raw, CURLOPT_FOLLOWLOCATION, 0L);
    Set(raw, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    Set(raw, CURLOPT_TCP_KEEPALIVE, 1L);
    Set(raw, CURLOPT_POST, 1L);
    Set(raw, CURLOPT_USERAGENT, ("tmc-agent/" + Version()).c_str());
    Set(raw, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings_.connect_timeout.count()));
    Set(raw, CURLOPT_WRITEFUNCTION, &TakeBody);
    Set(raw, CURLOPT_HEADERFUNCTION, &TakeHeader);
    if (!settings_.ca_file.empty()) Set(raw, CURLOPT_CAINFO, settings_.ca_file.c_str());
    return easy;
  }

  void Arrange(Exchange& exchange) const {
    CURL* const raw = exchange.easy.get();
    const HttpRequest& request = exchange.request;
    const auto url = ParseUrl(request.url);
    const bool local = url && IsLoopback(url->host);
    const auto low_speed = std::chrono::ceil<std::chrono::seconds>(settings_.low_speed_time);
    curl_slist* headers = curl_slist_append(nullptr, ("Content-Type: " + request.content_type).c_str());
    exchange.headers.reset(curl_slist_append(headers, "Expect:"));
    Set(raw, CURLOPT_URL, request.url.c_str());
    // The environment's proxy holds for other machines only; nullptr lets libcurl read it.
    Set(raw, CURLOPT_PROXY, local ? "" : static_cast<const char*>(nullptr));
    Set(raw, CURLOPT_HTTPHEADER, exchange.headers.get());
    Set(raw, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    Set(raw, CURLOPT_POSTFIELDS, request.body.data());
    Set(raw, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<milliseconds>(request.timeout, 1ms).count()));
    Set(raw, CURLOPT_LOW_SPEED_LIMIT, request.idle_allowed ? 0L : kLowSpeedBytes);
    Set(raw, CURLOPT_LOW_SPEED_TIME, request.idle_allowed ? 0L : static_cast<long>(low_speed.count()));
    Set(raw, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.max_body));
    Set(raw, CURLOPT_ERRORBUFFER, exchange.error);
    Set(raw, CURLOPT_WRITEDATA, &exchange);
    Set(raw, CURLOPT_HEADERDATA, &exchange);
    Set(raw, CURLOPT_PRIVATE, &exchange);
  }

  std::vector<HttpDone> Collect() {
    std::vector<HttpDone> done;
    int queued = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &queued)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      char* user = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
      auto& exchange = *reinterpret_cast<Exchange*>(user);
      code == CURLE_OK ? ReadHead(exchange) : Fail(exchange, code);
      Release(exchange);
      const auto node = exchanges_.extract(exchange.id);
      done.push_back({node.key(), std::move(node.mapped()->response)});
    }
    return done;
  }

  static void ReadHead(Exchange& exchange) {
    CURL* const raw = exchange.easy.get();
    HttpResponse& response = exchange.response;
    long status = 0;
    const char* type = nullptr;
    curl_header* date = nullptr;
    curl_easy_getinfo(raw, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(raw, CURLINFO_CONTENT_TYPE, &type);
    response.status = static_cast<int>(status);
    if (type != nullptr) response.content_type = type;
    if (curl_easy_header(raw, "Date", 0, CURLH_HEADER, -1, &date) != CURLHE_OK) return;
    const time_t seconds = curl_getdate(date->value, nullptr);
    if (seconds != -1) response.date = FromMillis(int64_t{seconds} * 1000);
  }

  void Fail(Exchange& exchange, CURLcode code) const {
    HttpResponse failed;
    failed.transport = FailureText(exchange, settings_).For(code);
    failed.too_large = exchange.response.too_large || code == CURLE_FILESIZE_EXCEEDED;
    exchange.response = std::move(failed);
  }

  // The handle goes back to the idle ones; one in mid-air loses its connection.
  void Release(Exchange& exchange) {
    curl_multi_remove_handle(multi_.get(), exchange.easy.get());
    if (idle_.size() < settings_.connections) idle_.push_back(std::move(exchange.easy));
  }

  const HttpSettings settings_;
  const SystemClock clock_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::vector<Easy> idle_;
  std::unordered_map<HttpId, std::unique_ptr<Exchange>> exchanges_;
  HttpId last_id_ = 0;
  std::atomic<bool> woken_{false};
};

}  // namespace

std::string HttpLibrary() {
  return curl_version();
}

std::unique_ptr<HttpClient> MakeCurlClient(const HttpSettings& settings) {
  return std::make_unique<CurlClient>(settings);
}

}  // namespace tmc
