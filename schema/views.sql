-- What people and monitoring look at (agent/views). Reading only.

-- name: kByState
SELECT state, count(*) FROM inbound_message WHERE state IN ('received', 'enriching', 'failed') GROUP BY state

-- name: kOldestOpen
SELECT received_at, published_at, msg_id, last_error FROM inbound_message
WHERE state IN ('received', 'enriching', 'failed')
ORDER BY received_at LIMIT 1

-- name: kSettledSince
SELECT count(*) FROM inbound_message WHERE settled_at >= :since

-- name: kLastError
SELECT last_error, msg_id FROM inbound_message
WHERE state IN ('received', 'enriching', 'failed') AND last_error IS NOT NULL
ORDER BY received_at DESC LIMIT 1

-- name: kRefusedConfirms
SELECT count(*) FROM inbound_message WHERE confirm_owed = 2

-- name: kAnyRow
SELECT EXISTS (SELECT 1 FROM inbound_message) OR EXISTS (SELECT 1 FROM order_snapshot) OR
       EXISTS (SELECT 1 FROM dead_letter) OR EXISTS (SELECT 1 FROM cursor)

-- name: kMaybeMissed
SELECT count(*) FROM inbound_message WHERE missed = 1

-- name: kOwedConfirms
SELECT count(*) FROM inbound_message WHERE confirm_owed = 1

-- name: kShortSlices
SELECT shop, kind, from_at, to_at, seen, expected, taken_at FROM short_slice ORDER BY taken_at DESC LIMIT 20

-- name: kMessage
SELECT id, msg_id, channel, shop, topic, subject_kind, subject_id, order_id, state, attempts, deliveries, last_error,
       published_at, received_at, due_at, settled_at, confirmed_at, waits_for, body
FROM inbound_message WHERE msg_id = :msg_id

-- name: kMessagesOfOrder
SELECT id, msg_id, channel, shop, topic, subject_kind, subject_id, order_id, state, attempts, deliveries, last_error,
       published_at, received_at, due_at, settled_at, confirmed_at, waits_for, body
FROM inbound_message WHERE order_id = :order_id ORDER BY received_at, id

-- name: kHistoryOfOrder
SELECT status, status_version, source, msg_id, applied_at FROM order_history
WHERE platform = :platform AND order_id = :order_id ORDER BY status_version

-- name: kEventsOfOrder
SELECT event_id, type, status, status_version, source, msg_id, created_at FROM outbox_event
WHERE event_id >= :from AND event_id < :to ORDER BY status_version

-- name: kOrder
SELECT platform, order_id, shop, status, status_version, paid_amount, total_amount, post_fee, refund_amount, currency,
       refund_status, modified_at, source, updated_at, raw
FROM order_snapshot WHERE platform = :platform AND order_id = :order_id

-- name: kOrders
SELECT platform, order_id, shop, status, status_version, paid_amount, total_amount, post_fee, refund_amount, currency,
       refund_status, modified_at, source, updated_at, ''
FROM order_snapshot
WHERE platform = :platform AND order_id > :after AND (:status IS NULL OR status = :status) AND modified_at >= :since
ORDER BY order_id
LIMIT :most
