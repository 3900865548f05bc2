#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- An attempt has failed: the job waits for another one, if there is time before its deadline, or it's dead.
-- KEYS: base
-- ARGV: time, id, token, how long to wait (ms; -1: no further attempt), code, info, path, causes (JSON), most bytes of a payload, most dead letters
-- Answers: 1 if it waits, 2 if it's dead; 0 if the lease was lost
local _, id, token, wait, code, info, path, causes, bytes, dead = unpack(ARGV)
if not isHeldBy(id, token) then
  return 0
end
local name = job(id)
local entry, deadline = unpack(redis.call('HMGET', name, 'entry', 'deadline'))
redis.call('HINCRBY', name, 'attempts', 1)
local at = time + number(wait)
if number(wait) >= 0 and (not deadline or deadline == '' or at < number(deadline)) then
  redis.call('HSET', name, 'causes', causes)
  letGo(id, entry)
  place(id, at)
  return 1
end
local limits = { bytes = tonumber(bytes), dead = tonumber(dead) }
bury(id, entry, limits, { code = code, info = info, path = path, causes = causes })
return 2
