#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- A job has ended well.
-- KEYS: base
-- ARGV: time, id, token
-- Answers: 1; 0 if the lease was lost
local id, token = ARGV[2], ARGV[3]
if not isHeldBy(id, token) then
  return 0
end
finish(id, redis.call('HGET', job(id), 'entry'))
return 1
