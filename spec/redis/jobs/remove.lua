#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- Takes a job out of the queue that doesn't run, and frees its idempotency key. Its entry in the stream is dropped by who reads it.
-- KEYS: base
-- ARGV: time, id
-- Answers: 1; 0: it runs, or there is none
local id = ARGV[2]
local known = redis.call('HMGET', job(id), 'v', 'key')
if not known[1] or redis.call('ZSCORE', held, id) then
  return 0
end
redis.call('ZREM', due, id)
local key = known[2] or ''
if key ~= '' and redis.call('HGET', base .. ':lanes', key) ~= id then
  redis.call('LREM', base .. ':lane:' .. key, 1, id)
  redis.call('HDEL', job(id), 'key') -- it isn't its turn, so no other one's comes
end
finish(id, nil, true)
return 1
