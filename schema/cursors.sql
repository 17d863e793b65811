-- Statements of agent/cursors.

-- name: kGet
SELECT position FROM cursor WHERE platform = :platform AND shop = :shop AND kind = :kind

-- name: kMove
INSERT INTO cursor (platform, shop, kind, position, updated_at)
VALUES (:platform, :shop, :kind, :position, :now)
ON CONFLICT (platform, shop, kind) DO UPDATE SET position = excluded.position, updated_at = excluded.updated_at

-- name: kRename
UPDATE OR IGNORE cursor SET shop = :shop WHERE platform = :platform AND shop = 'default'

-- name: kAll
SELECT shop, kind, position, updated_at FROM cursor WHERE platform = :platform ORDER BY shop, kind

-- name: kShortSlice
INSERT INTO short_slice (shop, kind, from_at, to_at, seen, expected, taken_at)
VALUES (:shop, :kind, :from_at, :to_at, :seen, :expected, :now)

-- name: kPurgeShortSlices
DELETE FROM short_slice WHERE taken_at < :before

-- name: kGetMeta
SELECT value FROM meta WHERE key = :key

-- name: kPutMeta
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: kGetTally
SELECT value FROM tally WHERE name = :name

-- name: kAddTally
INSERT INTO tally (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value

-- name: kPutTally
INSERT INTO tally (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: kTallies
SELECT name, value FROM tally ORDER BY name

-- name: kPutShop
INSERT INTO shop (user_id, nick) VALUES (:user_id, :nick)
ON CONFLICT (user_id) DO UPDATE SET nick = excluded.nick WHERE nick <> excluded.nick

-- name: kShops
SELECT user_id, nick FROM shop

-- name: kClearClosures
DELETE FROM closure

-- name: kPutClosure
INSERT INTO closure (scope, ban, until, since, detail) VALUES (:scope, :ban, :until, :since, :detail)
ON CONFLICT (scope) DO NOTHING

-- name: kClosures
SELECT scope, ban, until, since, detail FROM closure ORDER BY scope

-- name: kAsk
INSERT INTO request (kind, from_at, to_at, created_at) VALUES (:kind, :from_at, :to_at, :now)

-- name: kAsked
SELECT id, kind, from_at, to_at FROM request WHERE finished_at IS NULL AND created_at >= :since ORDER BY id LIMIT 1

-- name: kAnswer
UPDATE request SET finished_at = :now, exit_status = :exit_status, result = :result WHERE id = :id

-- name: kAnswered
SELECT exit_status, result FROM request WHERE id = :id AND finished_at IS NOT NULL

-- name: kPurgeRequests
DELETE FROM request WHERE created_at < :before
