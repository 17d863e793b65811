#include "tests/simulator/control.h"

#include <array>
#include <functional>

#include "agent/json.h"
#include "tests/simulator/generate.h"
#include "tests/simulator/input.h"
#include "tests/simulator/scenario.h"

namespace tmc::sim {
namespace {

struct Reply {
  int status = 200;
  std::string body = R"({"ok":true})";
};

Reply Bad(std::string_view sentence, int status = 400) {
  return {status, "{\"error\":" + Quote(sentence) + "}"};
}

// The objects of a body: one, or an array of them.
std::vector<std::string_view> Objects(std::string_view body) {
  return json::SliceElements(body, {});
}

Reply Each(const SimRequest& request, const std::function<Complaint(std::string_view)>& add) {
  json::Document document;
  if (const auto error = document.Parse(request.body)) return Bad(error->text);
  for (std::string_view object : Objects(request.body))
    if (const Complaint complaint = add(object)) return Bad(*complaint);
  return {};
}

template <Complaint (*add)(World&, std::string_view)>
Reply Simple(World& world, const SimRequest& request) {
  return Each(request, [&](std::string_view object) { return add(world, object); });
}

Reply PostMessages(World& world, const SimRequest& request) {
  json::Writer out;
  out.BeginObject().Key("ids").BeginArray();
  Reply reply = Each(request, [&](std::string_view object) {
    std::string id;
    const Complaint complaint = AddMessage(world, object, &id);
    if (!complaint) out.String(id);
    return complaint;
  });
  if (reply.status == 200) reply.body = out.EndArray().EndObject().Take();
  return reply;
}

Reply PostFaults(World& world, const SimRequest& request) {
  return Each(request, [&](std::string_view object) { return AddFault(world, object); });
}

Reply PostClock(World& world, const SimRequest& request) {
  return Each(request, [&](std::string_view object) {
    Reader in(object, {"offset", "advance"});
    milliseconds advance{0};
    in.Duration("offset", world.offset);
    in.Duration("advance", advance);
    world.offset += advance;
    return in.complaint;
  });
}

Reply PostRefuse(World& world, const SimRequest& request) {
  return Each(request, [&](std::string_view object) {
    Reader in(object, {"ids"});
    for (size_t i = 0; i < in["ids"].Size(); ++i)
      world.refused_ids.emplace(in["ids"].At(i).Text().value_or(""));
    return in.complaint;
  });
}

Reply PostScenario(World& world, const SimRequest& request) {
  if (const Complaint complaint = LoadScenario(world, request.body)) return Bad(*complaint);
  return {};
}

Reply PostRedeliver(World& world, const SimRequest&) {
  world.queue.Redeliver(world.Now());
  return {};
}

Reply DeleteFaults(World& world, const SimRequest&) {
  world.faults.Clear();
  return {};
}

Reply DeleteLimits(World& world, const SimRequest&) {
  world.limits.Clear();
  return {};
}

Reply DeleteRefuse(World& world, const SimRequest&) {
  world.refused_ids.clear();
  return {};
}

Reply DeleteRecord(World& world, const SimRequest&) {
  world.record.Clear();
  return {};
}

Reply GetRecord(World& world, const SimRequest& request) {
  return {200, RecordText(world, request.query.find("summary") != std::string::npos)};
}
Reply GetQueue(World& world, const SimRequest&) {
  return {200, QueueText(world)};
}
Reply GetState(World& world, const SimRequest&) {
  return {200, StateText(world)};
}

struct Route {
  std::string_view method, path;
  Reply (*handle)(World&, const SimRequest&);
};

constexpr std::array kRoutes{
    Route{"POST", "/messages", PostMessages},
    Route{"POST", "/orders", Simple<AddOrder>},
    Route{"POST", "/shops", Simple<AddShop>},
    Route{"POST", "/sessions", Simple<ReviveOrKill>},
    Route{"POST", "/faults", PostFaults},
    Route{"DELETE", "/faults", DeleteFaults},
    Route{"POST", "/limits", Simple<SetLimits>},
    Route{"DELETE", "/limits", DeleteLimits},
    Route{"POST", "/switches", Simple<SetSwitches>},
    Route{"POST", "/clock", PostClock},
    Route{"POST", "/redeliver", PostRedeliver},
    Route{"POST", "/refuse", PostRefuse},
    Route{"DELETE", "/refuse", DeleteRefuse},
    Route{"POST", "/generate", Simple<Generate>},
    Route{"POST", "/scenario", PostScenario},
    Route{"GET", "/record", GetRecord},
    Route{"DELETE", "/record", DeleteRecord},
    Route{"GET", "/queue", GetQueue},
    Route{"GET", "/state", GetState},
};

Reply Dispatch(World& world, const SimRequest& request) {
  std::string known;
  for (const Route& route : kRoutes) {
    if (route.path == request.path && route.method == request.method) return route.handle(world, request);
    known.append(known.empty() ? "" : ", ").append(route.method).append(" ").append(route.path);
  }
  return Bad("no such call; there are " + known, 404);
}

}  // namespace

SimResponse Control::Handle(const SimRequest& request) {
  Reply reply = Dispatch(heart_.world(), request);
  SimResponse response;
  response.status = reply.status;
  response.body = std::move(reply.body) + "\n";
  response.date = HttpDate(heart_.world().clock.Now());
  return response;
}

}  // namespace tmc::sim
