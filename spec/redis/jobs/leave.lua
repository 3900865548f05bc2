#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- A worker has no room any more, or ends: others are told in its place.
-- KEYS: base
-- ARGV: time, worker, 1 if it ends
-- Answers: 1
local worker = ARGV[2]
redis.call('ZREM', idle, worker)
if redis.call('GET', keeper) == worker then
  redis.call('DEL', keeper)
end
wake()
if ARGV[3] == '1' then
  forget(worker)
end
return 1
