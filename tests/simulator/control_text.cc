#include <map>

#include "agent/json.h"
#include "tests/simulator/control.h"

namespace tmc::sim {
namespace {

json::Writer& Moment(json::Writer& out, Time at) {
  return out.Member("at", PlatformTime(at)).Member("at_ms", ToMillis(at));
}

void Summary(json::Writer& out, const World& world) {
  const Record& record = world.record;
  out.Key("calls_by_api").BeginObject();
  for (const auto& [api, count] : record.counts) out.Member(api, static_cast<int64_t>(count));
  out.EndObject();
  out.Member("calls", static_cast<int64_t>(record.calls.size()));
  out.Member("handed_out", static_cast<int64_t>(record.handed.size()));
  int64_t ids = 0;
  for (const auto& confirm : record.confirms) ids += static_cast<int64_t>(confirm.ids.size());
  out.Member("ids_confirmed", ids);
  out.Member("order_reads", static_cast<int64_t>(record.reads.size()));
  out.Member("window_lists", static_cast<int64_t>(record.windows.size()));
  out.Member("wrong", static_cast<int64_t>(record.violations.size()));
}

void Violations(json::Writer& out, const Record& record) {
  out.Key("violations").BeginArray();
  for (const auto& row : record.violations)
    Moment(out.BeginObject(), row.at)
        .Member("what", row.what)
        .Member("api", row.api)
        .Member("detail", row.detail)
        .EndObject();
  out.EndArray();
}

void Calls(json::Writer& out, const Record& record) {
  out.Key("call_list").BeginArray();
  for (const auto& row : record.calls)
    Moment(out.BeginObject(), row.at).Member("api", row.api).Member("outcome", row.outcome).EndObject();
  out.EndArray();
}

void Handed(json::Writer& out, const World& world) {
  out.Key("handed").BeginArray();
  for (const auto& row : world.record.handed) {
    const Message& message = world.queue.at(row.message);
    Moment(out.BeginObject(), row.at).Member("id", message.id).Member("topic", message.topic);
    out.Member("nth", row.nth).Member("after_confirm", row.after_confirm).EndObject();
  }
  out.EndArray();
}

void Confirms(json::Writer& out, const Record& record) {
  out.Key("confirms").BeginArray();
  for (const auto& row : record.confirms) {
    Moment(out.BeginObject(), row.at).Member("group", row.group).Key("ids").BeginArray();
    for (const std::string& id : row.ids) out.String(id);
    out.EndArray().Member("outcome", row.outcome).Member("fresh", row.fresh).Member("again", row.again);
    out.Member("unknown", row.unknown).Member("foreign", row.foreign).EndObject();
  }
  out.EndArray();
}

void Reads(json::Writer& out, const Record& record) {
  out.Key("reads").BeginArray();
  for (const auto& row : record.reads) {
    Moment(out.BeginObject(), row.at)
        .Member("tid", row.tid)
        .Member("shop", row.shop)
        .Member("outcome", row.outcome);
    out.Member("status", row.status).Member("modified", row.modified);
    out.Member("delay_ms", int64_t{row.delay.count()}).EndObject();
  }
  out.EndArray();
}

void Windows(json::Writer& out, const Record& record) {
  out.Key("windows").BeginArray();
  for (const auto& row : record.windows) {
    Moment(out.BeginObject(), row.at).Member("shop", row.shop).Member("from", row.from).Member("to", row.to);
    out.Member("page", row.page).Member("page_size", row.page_size).Member("has_next", row.has_next);
    out.Member("total", static_cast<int64_t>(row.total)).Member("rows", static_cast<int64_t>(row.rows));
    out.Member("outcome", row.outcome).EndObject();
  }
  out.EndArray();
}

void Count(json::Writer& out, const Backlog& count) {
  out.Member("messages", static_cast<int64_t>(count.total));
  out.Member("confirmed", static_cast<int64_t>(count.confirmed));
  out.Member("unconfirmed", static_cast<int64_t>(count.total - count.confirmed));
  out.Member("lost", static_cast<int64_t>(count.lost));
  out.Member("never_handed_out", static_cast<int64_t>(count.never_handed));
}

}  // namespace

std::string RecordText(const World& world, bool summary) {
  json::Writer out;
  out.BeginObject();
  Summary(out, world);
  Violations(out, world.record);
  if (!summary) {
    Calls(out, world.record);
    Handed(out, world);
    Confirms(out, world.record);
    Reads(out, world.record);
    Windows(out, world.record);
  }
  return out.EndObject().Take();
}

std::string QueueText(World& world) {
  json::Writer out;
  out.BeginObject();
  Count(out, world.queue.Count());
  out.Key("open").BeginArray();
  for (const Message& message : world.queue.messages()) {
    if (message.confirmed) continue;
    out.BeginObject().Member("id", message.id).Member("topic", message.topic).Member("group", message.group);
    out.Member("handed", message.handed).Member("lost", message.lost).EndObject();
  }
  return out.EndArray().EndObject().Take();
}

std::string StateText(World& world) {
  json::Writer out;
  out.BeginObject()
      .Member("now", PlatformTime(world.Now()))
      .Member("clock_offset_ms", int64_t{world.offset.count()});
  out.Member("app_key", world.app.key).Key("groups").BeginArray();
  for (const std::string& name : world.app.groups) out.String(name);
  out.EndArray().Key("shops").BeginArray();
  for (const Shop& shop : world.shops.all()) {
    out.BeginObject()
        .Member("user_id", shop.user_id)
        .Member("nick", shop.nick)
        .Member("dead", shop.dead)
        .Key("topics")
        .BeginArray();
    for (const std::string& topic : shop.topics) out.String(topic);
    out.EndArray().EndObject();
  }
  out.EndArray().Member("orders", static_cast<int64_t>(world.trades.orders().size()));
  out.Key("queue").BeginObject();
  Count(out, world.queue.Count());
  out.EndObject().Member("held_calls", static_cast<int64_t>(world.held_calls)).Key("faults").BeginArray();
  for (const Fault& fault : world.faults.all())
    out.BeginObject()
        .Member("id", fault.id)
        .Member("api", fault.api)
        .Member("times", fault.times)
        .Member("hits", fault.hits)
        .EndObject();
  return out.EndArray().EndObject().Take();
}

}  // namespace tmc::sim
