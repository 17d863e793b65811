-- Statements of agent/inbox. `confirm_owed` is 1 only for channels that are confirmed.

-- name: kAccept
INSERT INTO inbound_message (msg_id, channel, platform, shop, topic, body, state, attempts, published_at, received_at,
                             due_at, claim, grace_from)
VALUES (:msg_id, :channel, :platform, :shop, :topic, :body, :state, :attempts, :published_at, :now, :due_at, :claim, :now)
ON CONFLICT (msg_id) DO NOTHING

-- name: kRedelivered
UPDATE inbound_message
SET deliveries = deliveries + 1,
    confirm_owed = CASE WHEN state IN ('applied', 'dlq') THEN 1 ELSE confirm_owed END,
    confirm_refusals = 0,
    confirmed_at = CASE WHEN state IN ('applied', 'dlq') THEN NULL ELSE confirmed_at END
WHERE msg_id = :msg_id

-- name: kKnown
SELECT 1 FROM inbound_message WHERE msg_id = :msg_id

-- name: kAcceptSynthetic
INSERT INTO inbound_message (msg_id, channel, platform, shop, topic, subject_kind, subject_id, order_id, body, state,
                             published_at, received_at, due_at, grace_from, announced_at, source)
VALUES (:msg_id, :channel, :platform, :shop, :topic, 'order', :order_id, :order_id, :body, 'received',
        :published_at, :now, :due_at, :now, :announced_at, 'reconcile')
ON CONFLICT (msg_id) DO NOTHING

-- name: kReopenSynthetic
UPDATE inbound_message
SET state = 'received', due_at = :now, settled_at = NULL, grace_from = :now, failing_since = NULL, failures = 0,
    attempts = 0, claim = 0, reopened = reopened + 1
WHERE msg_id = :msg_id AND state = 'applied'
  AND (reopened = 0 OR last_error IS NULL OR last_error NOT LIKE 'truth_lags%')

-- name: kAcceptDead
INSERT INTO inbound_message (msg_id, channel, platform, shop, topic, body, state, received_at, settled_at, grace_from,
                             confirm_owed, last_error, letter_id)
VALUES (:msg_id, :channel, :platform, :shop, :topic, :body, 'dlq', :now, :now, :now, 1, :last_error, :letter_id)
ON CONFLICT (msg_id) DO NOTHING

-- name: kEarliestDue
SELECT due_at FROM inbound_message WHERE due_at IS NOT NULL AND suspect <= :suspect ORDER BY due_at, id LIMIT 1

-- name: kDue
SELECT id, msg_id, channel, shop, topic, subject_id, order_id, body, attempts, failures, failing_since, grace_from,
       announced_rank, announced_at, source, suspect, published_at
FROM inbound_message
WHERE due_at <= :now AND suspect = :suspect
ORDER BY due_at, id
LIMIT :most

-- name: kCountDue
SELECT count(*) FROM (SELECT 1 FROM inbound_message WHERE due_at <= :now LIMIT :most)

-- name: kClaim
UPDATE inbound_message
SET state = 'enriching', claim = :claim, attempts = attempts + 1, due_at = NULL, waits_for = NULL
WHERE id = :id

-- name: kHolds
SELECT 1 FROM inbound_message WHERE id = :id AND claim = :claim

-- name: kApplied
UPDATE inbound_message
SET state = 'applied', claim = 0, attempts = max(attempts - 1, 0), settled_at = :now, due_at = NULL, failures = 0,
    failing_since = NULL, suspect = 0, last_error = :last_error, missed = :missed, subject_kind = :subject_kind,
    subject_id = :subject_id, order_id = :order_id, announced_rank = :announced_rank,
    confirm_owed = CASE WHEN confirmed_at IS NULL THEN :confirmed_channel ELSE 0 END
WHERE id = :id AND claim = :claim

-- name: kDead
UPDATE inbound_message
SET state = 'dlq', claim = 0, settled_at = :now, due_at = NULL, waits_for = NULL, suspect = 0, attempts = :attempts,
    last_error = :last_error, letter_id = :letter_id, subject_kind = :subject_kind, subject_id = :subject_id,
    order_id = :order_id,
    confirm_owed = CASE WHEN confirmed_at IS NULL THEN :confirmed_channel ELSE 0 END
WHERE id = :id AND claim = :claim

-- name: kRetry
UPDATE inbound_message
SET state = 'failed', claim = 0, due_at = :due_at, waits_for = :waits_for, attempts = max(attempts - :given_back, 0),
    failures = :failures, failing_since = :failing_since, suspect = 0, last_error = :last_error,
    subject_kind = :subject_kind, subject_id = :subject_id, order_id = :order_id, announced_rank = :announced_rank
WHERE id = :id AND claim = :claim

-- name: kGiveBack
UPDATE inbound_message
SET state = 'received', claim = 0, due_at = :due_at, attempts = max(attempts - 1, 0)
WHERE id = :id AND claim = :claim

-- name: kDueAfter
SELECT 1 FROM inbound_message WHERE due_at > :far_off LIMIT 1

-- name: kPullBack
UPDATE inbound_message SET due_at = :now WHERE due_at > :far_off

-- name: kRelease
UPDATE inbound_message SET due_at = :now, waits_for = NULL
WHERE id IN (SELECT id FROM inbound_message WHERE waits_for = :scope ORDER BY id LIMIT :most)

-- name: kCountWaiting
SELECT count(*) FROM inbound_message WHERE waits_for IS NOT NULL

-- name: kWaitingScopes
SELECT waits_for, count(*) FROM inbound_message WHERE waits_for IS NOT NULL GROUP BY waits_for

-- name: kInterrupted
SELECT id, msg_id, channel, shop, topic, subject_kind, subject_id, order_id, attempts, published_at
FROM inbound_message
WHERE state IN ('received', 'enriching', 'failed') AND claim > 0

-- name: kSuspect
UPDATE inbound_message
SET state = 'failed', claim = 0, due_at = :now, suspect = 1, last_error = 'interrupted'
WHERE id = :id

-- name: kBuryInterrupted
UPDATE inbound_message
SET state = 'dlq', claim = 0, settled_at = :now, due_at = NULL, last_error = 'retry_exhausted', letter_id = :letter_id,
    confirm_owed = CASE WHEN confirmed_at IS NULL AND channel NOT IN ('reconcile', 'reread') THEN 1 ELSE 0 END
WHERE id = :id

-- name: kOwed
SELECT id, msg_id, deliveries FROM inbound_message
WHERE confirm_owed = 1 AND confirm_refusals = 0
ORDER BY settled_at, id
LIMIT :most

-- name: kOwedRefused
SELECT id, msg_id, deliveries FROM inbound_message
WHERE confirm_owed = 1 AND confirm_refusals > 0
ORDER BY settled_at, id
LIMIT 1

-- name: kOwedState
SELECT count(*), min(settled_at)
FROM (SELECT settled_at FROM inbound_message
      WHERE confirm_owed = 1 AND confirm_refusals = 0 ORDER BY settled_at, id LIMIT :most)

-- name: kConfirmed
UPDATE inbound_message SET confirm_owed = 0, confirmed_at = :now
WHERE id = :id AND deliveries = :deliveries AND confirm_owed = 1

-- name: kConfirmRefused
UPDATE inbound_message
SET confirm_refusals = confirm_refusals + 1,
    confirm_owed = CASE WHEN confirm_refusals + 1 >= 5 THEN 2 ELSE confirm_owed END
WHERE id = :id
RETURNING confirm_owed

-- name: kOpenCount
SELECT count(*) FROM inbound_message WHERE state IN ('received', 'enriching', 'failed')

-- name: kRetryable
SELECT count(*) FROM inbound_message WHERE state IN ('received', 'enriching', 'failed') AND due_at IS NOT NULL

-- name: kUntold
SELECT id, order_id, announced_at FROM inbound_message WHERE missed = 1 AND settled_at <= :before LIMIT :most

-- name: kToldBy
SELECT 1 FROM inbound_message
WHERE order_id = :order_id AND channel NOT IN ('reconcile', 'reread') AND published_at >= :since
LIMIT 1

-- name: kToldChecked
UPDATE inbound_message SET missed = :missed WHERE id = :id

-- name: kPurge
DELETE FROM inbound_message
WHERE id IN (SELECT m.id FROM inbound_message m
             WHERE m.settled_at < :before AND m.state IN ('applied', 'dlq') AND m.confirm_owed <> 1 AND m.missed <> 1
               AND NOT EXISTS (SELECT 1 FROM dead_letter d WHERE d.msg_id = m.msg_id AND d.resolution IS NULL)
             ORDER BY m.settled_at LIMIT :most)

-- name: kOpenAgain
UPDATE inbound_message
SET state = 'received', due_at = :now, waits_for = NULL, settled_at = NULL, claim = 0, attempts = 0, failures = 0,
    failing_since = NULL, grace_from = :now, suspect = 0, letter_id = NULL, last_error = NULL, source = :source,
    confirm_refusals = 0, confirm_owed = 0
WHERE msg_id = :msg_id AND state = 'dlq'
