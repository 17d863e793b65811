-- Statements of agent/dead_letters.

-- name: kWrite
INSERT INTO dead_letter (kind, msg_id, channel, platform, shop, topic, subject_kind, subject_id, order_id, reason,
                         detail, body, attempts, published_at, first_seen_at, dead_at)
VALUES ('message', :msg_id, :channel, :platform, :shop, :topic, :subject_kind, :subject_id, :order_id, :reason,
        :detail, :body, :attempts, :published_at, :first_seen_at, :now)

-- name: kWriteNameless
INSERT INTO dead_letter (kind, channel, platform, shop, topic, subject_kind, subject_id, order_id, reason, detail,
                         body, attempts, first_seen_at, dead_at, body_hash)
VALUES ('message', :channel, :platform, :shop, :topic, '', '', '', :reason, :detail, :body, 0, :now, :now, :body_hash)
ON CONFLICT (body_hash) WHERE body_hash IS NOT NULL DO UPDATE SET repeats = repeats + 1

-- name: kBodyOf
SELECT body, received_at FROM inbound_message WHERE id = :id

-- name: kOpenIllegal
SELECT id FROM dead_letter
WHERE reason = 'illegal_transition' AND resolution IS NULL AND subject_kind = :subject_kind AND subject_id = :subject_id

-- name: kRepeat
UPDATE dead_letter SET repeats = repeats + 1 WHERE id = :id

-- name: kFind
SELECT id, kind, msg_id, channel, platform, shop, topic, subject_kind, subject_id, order_id, subscriber, event_id,
       reason, detail, body, attempts, published_at, first_seen_at, dead_at, resolution, resolved_at, why, repeats
FROM dead_letter WHERE id = :id

-- name: kList
SELECT id, kind, msg_id, channel, platform, shop, topic, subject_kind, subject_id, order_id, subscriber, event_id,
       reason, detail, body, attempts, published_at, first_seen_at, dead_at, resolution, resolved_at, why, repeats
FROM dead_letter
WHERE id > :after AND (:all OR resolution IS NULL) AND (:reason IS NULL OR reason = :reason)
  AND (:order_id IS NULL OR order_id = :order_id) AND (:msg_id IS NULL OR msg_id = :msg_id)
ORDER BY id
LIMIT :most

-- name: kResolve
UPDATE dead_letter SET resolution = :resolution, resolved_at = :now, why = :why
WHERE id = :id AND resolution IS NULL

-- name: kByReason
SELECT reason, count(*) FROM dead_letter WHERE resolution IS NULL GROUP BY reason ORDER BY reason

-- name: kNewest
SELECT coalesce(max(id), 0) FROM dead_letter

-- name: kPurge
DELETE FROM dead_letter
WHERE id IN (SELECT id FROM dead_letter WHERE resolution IS NOT NULL AND resolved_at < :before LIMIT :most)
