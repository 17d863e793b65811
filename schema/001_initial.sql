-- Times are milliseconds since the epoch, UTC. Ids are text. Money is the platform's own text, and in the
-- …_minor columns hundredths (null where the amount is not a whole number of them).

-- What this database is: platform, app_key, group, and small facts that outlive a run.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Counters and last times, shown by `status`.
CREATE TABLE tally (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Shops seen, so that a nick in the session file finds its user id.
CREATE TABLE shop (
  user_id TEXT PRIMARY KEY,
  nick TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE inbound_message (
  id INTEGER PRIMARY KEY,
  msg_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  platform TEXT NOT NULL,
  shop TEXT NOT NULL,
  topic TEXT NOT NULL,
  subject_kind TEXT NOT NULL DEFAULT '',
  subject_id TEXT NOT NULL DEFAULT '',
  order_id TEXT,                              -- null until the content was parsed, or when it names no order
  body BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('received', 'enriching', 'applied', 'failed', 'dlq')),
  attempts INTEGER NOT NULL DEFAULT 0,
  deliveries INTEGER NOT NULL DEFAULT 1,
  last_error TEXT,
  published_at INTEGER,
  received_at INTEGER NOT NULL,
  due_at INTEGER,                             -- null: settled, in hand, or waiting for `waits_for`
  settled_at INTEGER,
  confirmed_at INTEGER,
  claim INTEGER NOT NULL DEFAULT 0,           -- generation of the claim that has it in hand; 0: none
  confirm_owed INTEGER NOT NULL DEFAULT 0,    -- 1: owed; 2: the platform refuses this id
  confirm_refusals INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,        -- in a row, whoever's fault: the exponent of its backoff
  failing_since INTEGER,                      -- start of an unbroken run of the outside's failures
  grace_from INTEGER NOT NULL,                -- reception, or the last replay
  waits_for TEXT,                             -- the closed scope (app, agent, api:…, shop:…) it waits for
  suspect INTEGER NOT NULL DEFAULT 0,         -- its handling was cut off by the end of a process
  announced_rank INTEGER NOT NULL DEFAULT 0,
  announced_at INTEGER,                       -- modified time that its truth must have reached
  source TEXT NOT NULL DEFAULT 'message',     -- message, reconcile, replay, operator: goes to what it changes
  reopened INTEGER NOT NULL DEFAULT 0,        -- times a reconciliation opened it again
  missed INTEGER NOT NULL DEFAULT 0,          -- 1: changed an order, messages still have time to tell of it
  letter_id INTEGER                           -- the dead letter it ended under
) STRICT;
CREATE UNIQUE INDEX uq_inbound_msg ON inbound_message (msg_id);
CREATE INDEX idx_order_type ON inbound_message (order_id, topic) WHERE order_id IS NOT NULL;
CREATE INDEX idx_inbound_due ON inbound_message (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX idx_inbound_open ON inbound_message (received_at) WHERE state IN ('received', 'enriching', 'failed');
CREATE INDEX idx_inbound_waits ON inbound_message (waits_for, id) WHERE waits_for IS NOT NULL;
CREATE INDEX idx_inbound_owed ON inbound_message (settled_at, id) WHERE confirm_owed = 1;
CREATE INDEX idx_inbound_refused ON inbound_message (id) WHERE confirm_owed = 2;
CREATE INDEX idx_inbound_missed ON inbound_message (settled_at) WHERE missed = 1;
CREATE INDEX idx_inbound_settled ON inbound_message (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE order_snapshot (
  platform TEXT NOT NULL,
  order_id TEXT NOT NULL,
  shop TEXT NOT NULL,
  status TEXT NOT NULL,
  status_version INTEGER NOT NULL,
  paid_amount TEXT NOT NULL,
  total_amount TEXT NOT NULL,
  post_fee TEXT NOT NULL,
  refund_amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  refund_status TEXT NOT NULL,
  modified_at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  raw BLOB NOT NULL,
  source TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  paid_minor INTEGER,
  total_minor INTEGER,
  refund_minor INTEGER,
  rank INTEGER NOT NULL,
  final INTEGER NOT NULL,
  PRIMARY KEY (platform, order_id)
) STRICT;

CREATE TABLE order_history (
  platform TEXT NOT NULL,
  order_id TEXT NOT NULL,
  status TEXT NOT NULL,
  status_version INTEGER NOT NULL,
  source TEXT NOT NULL,
  msg_id TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  PRIMARY KEY (platform, order_id, status_version)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_letter (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('message', 'delivery')),
  msg_id TEXT,
  channel TEXT NOT NULL,
  platform TEXT NOT NULL,
  shop TEXT NOT NULL,
  topic TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  subscriber TEXT,
  event_id TEXT,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  body BLOB NOT NULL,
  attempts INTEGER NOT NULL,
  published_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  dead_at INTEGER NOT NULL,
  resolution TEXT,                            -- null while it waits for a person; replayed, discarded
  resolved_at INTEGER,
  why TEXT,                                   -- what the person said
  repeats INTEGER NOT NULL DEFAULT 0,         -- how often the same came again and was counted here
  body_hash TEXT                              -- entries without msg_id: once a content
) STRICT;
CREATE INDEX idx_letter_open ON dead_letter (reason, id) WHERE resolution IS NULL;
CREATE INDEX idx_letter_msg ON dead_letter (msg_id);
CREATE INDEX idx_letter_order ON dead_letter (order_id);
CREATE UNIQUE INDEX uq_letter_hash ON dead_letter (body_hash) WHERE body_hash IS NOT NULL;
CREATE UNIQUE INDEX uq_letter_illegal ON dead_letter (subject_kind, subject_id)
  WHERE reason = 'illegal_transition' AND resolution IS NULL;

CREATE TABLE outbox_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,       -- never given twice: a reader may follow it
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  platform TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  status TEXT NOT NULL,
  status_version INTEGER NOT NULL,
  source TEXT NOT NULL,
  msg_id TEXT NOT NULL,
  payload BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX uq_outbox_event ON outbox_event (event_id);


CREATE TABLE delivery (
  event_id TEXT NOT NULL,
  subscriber TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  last_error TEXT,
  delivered_at INTEGER,
  PRIMARY KEY (event_id, subscriber)
) STRICT, WITHOUT ROWID;

-- How far reconciliation has come, for each shop ('default' while a bare session's shop is not known).
CREATE TABLE cursor (
  platform TEXT NOT NULL,
  shop TEXT NOT NULL,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (platform, shop, kind)
) STRICT, WITHOUT ROWID;

-- Slices whose rows never reached the platform's own count.
CREATE TABLE short_slice (
  id INTEGER PRIMARY KEY,
  shop TEXT NOT NULL,
  kind TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  expected INTEGER NOT NULL,
  taken_at INTEGER NOT NULL
) STRICT;

-- Bans and closed scopes: a restart does not call into a ban, and `status` shows both.
CREATE TABLE closure (
  scope TEXT PRIMARY KEY,
  ban INTEGER NOT NULL,
  until INTEGER NOT NULL,
  since INTEGER NOT NULL,
  detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a command asks the running agent to do.
CREATE TABLE request (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  exit_status INTEGER,
  result TEXT
) STRICT;
