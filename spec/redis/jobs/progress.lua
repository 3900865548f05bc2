#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- How far a job is.
-- KEYS: base
-- ARGV: time, id, token, JSON
-- Answers: 1; 0 if the lease was lost
local _, id, token, progress = unpack(ARGV)
if not isHeldBy(id, token) then
  return 0
end
redis.call('HSET', job(id), 'progress', progress)
return 1
