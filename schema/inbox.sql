-- Statements of agent/inbox.

-- name: kAccept
INSERT INTO inbound_message (msg_id, channel, shop, topic, body, state, attempts, published_at, received_at,
                             due_at, claim, grace_from)
VALUES (:msg_id, :channel, :shop, :topic, :body, :state, :attempts, :published_at, :now, :due_at, :claim, :now)
ON CONFLICT (msg_id) DO NOTHING

-- name: kRedelivered
UPDATE inbound_message
SET deliveries = deliveries + 1,
    confirm_owed = CASE WHEN state IN ('applied', 'dlq') THEN 1 ELSE confirm_owed END,
    confirm_refusals = 0,
    confirmed_at = CASE WHEN state IN ('applied', 'dlq') THEN NULL ELSE confirmed_at END
WHERE msg_id = :msg_id
