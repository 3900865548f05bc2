#!lua flags=allow-oom
-- uses: _time mutex/_places
-- A session goes on to live. Then those who wait are let in, as another one may have died.
-- KEYS: base. ARGV: time, session, max, lease in ms.
-- Answer: {1 if it was there, when the next other session may end in ms (-1: none), how many of it wait, ticket, token, ticket, token ...}: what it has.
local session, max = ARGV[2], tonumber(ARGV[3])
local at = now()
purge(at)
local known = 0
if redis.call('ZSCORE', sessions, session) then
  known = 1
  redis.call('ZADD', sessions, at + ARGV[4], session)
end
letIn(max, at)
local ends = -1
local first = redis.call('ZRANGE', sessions, 0, 1, 'WITHSCORES')
for i = 1, #first, 2 do
  if first[i] ~= session and ends < 0 then
    ends = first[i + 1] - at
  end
end
local answer = { known, ends, redis.call('SCARD', waitersOf(session)) }
for _, each in ipairs(redis.call('HGETALL', placesOf(session))) do
  answer[#answer + 1] = each
end
return answer
