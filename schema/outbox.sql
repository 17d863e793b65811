-- Statements of agent/outbox.

-- name: kAdd
INSERT INTO outbox_event (event_id, type, platform, subject_kind, subject_id, order_id, status, status_version,
                          source, msg_id, payload, created_at)
VALUES (:event_id, :type, :platform, :subject_kind, :subject_id, :order_id, :status, :status_version, :source,
        :msg_id, :payload, :now)
ON CONFLICT (event_id) DO NOTHING

-- name: kPurge
DELETE FROM outbox_event
WHERE id IN (SELECT id FROM (SELECT id, event_id, created_at FROM outbox_event ORDER BY id LIMIT :most) e
             WHERE e.created_at < :before
               AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = e.event_id AND d.state <> 'delivered'))
