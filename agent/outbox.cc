#include "agent/outbox.h"

#include "schema/outbox.sql.h"

namespace tmc {

namespace q = sql::outbox;

void Outbox::Add(const Event& event, Time now) {
  auto query = store_.Use(q::kAdd);
  query.Bind(":event_id", event.id).Bind(":type", event.type).Bind(":platform", platform_);
  query.Bind(":subject_kind", event.subject_kind).Bind(":subject_id", event.subject_id);
  query.Bind(":order_id", event.order_id).Bind(":status", event.status);
  query.Bind(":status_version", event.status_version).Bind(":source", event.cause.source);
  query.Bind(":msg_id", event.cause.msg_id).Blob(":payload", event.payload).Bind(":now", now).Run();
}

int64_t Outbox::Purge(Time before, int64_t most) {
  return store_.Use(q::kPurge).Bind(":before", before).Bind(":most", most).Run();
}

}  // namespace tmc
