-- Statements of agent/orders.

-- name: kFind
SELECT order_id, shop, status, status_version, modified_at, paid_amount, total_amount, refund_amount, refund_status,
       digest, rank, final
FROM order_snapshot WHERE platform = :platform AND order_id = :order_id

-- name: kPut
INSERT INTO order_snapshot (platform, order_id, shop, status, status_version, paid_amount, total_amount, post_fee,
                            refund_amount, currency, refund_status, modified_at, digest, raw, source, updated_at,
                            paid_minor, total_minor, refund_minor, rank, final)
VALUES (:platform, :order_id, :shop, :status, :status_version, :paid_amount, :total_amount, :post_fee,
        :refund_amount, :currency, :refund_status, :modified_at, :digest, :raw, :source, :now,
        :paid_minor, :total_minor, :refund_minor, :rank, :final)
ON CONFLICT (platform, order_id) DO UPDATE SET
  shop = CASE WHEN excluded.shop = '' THEN shop ELSE excluded.shop END,
  status = excluded.status, status_version = excluded.status_version, paid_amount = excluded.paid_amount,
  total_amount = excluded.total_amount, post_fee = excluded.post_fee, refund_amount = excluded.refund_amount,
  currency = excluded.currency, refund_status = excluded.refund_status, modified_at = excluded.modified_at,
  digest = excluded.digest, raw = excluded.raw, source = excluded.source, updated_at = excluded.updated_at,
  paid_minor = excluded.paid_minor, total_minor = excluded.total_minor, refund_minor = excluded.refund_minor,
  rank = excluded.rank, final = excluded.final
WHERE excluded.status_version > status_version

-- name: kOldest
SELECT rowid, order_id, updated_at FROM order_snapshot WHERE rowid > :after ORDER BY rowid LIMIT :most

-- name: kDelete
DELETE FROM order_snapshot WHERE platform = :platform AND order_id = :order_id

-- name: kDeleteHistory
DELETE FROM order_history WHERE platform = :platform AND order_id = :order_id

-- name: kRecord
INSERT INTO order_history (platform, order_id, status, status_version, source, msg_id, applied_at)
VALUES (:platform, :order_id, :status, :status_version, :source, :msg_id, :now)
