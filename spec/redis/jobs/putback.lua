#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- A worker that ends gives back a job that it hasn't done: as if it had not begun.
-- KEYS: base
-- ARGV: time, id, token
-- Answers: 1; 0 if the lease was lost
local id, token = ARGV[2], ARGV[3]
if not isHeldBy(id, token) then
  return 0
end
letGo(id, redis.call('HGET', job(id), 'entry'))
place(id, 0)
return 1
