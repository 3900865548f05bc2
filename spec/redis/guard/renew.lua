#!lua flags=allow-oom
-- uses: guard/_keys guard/_entries guard/_state guard/_session guard/_lines
-- A session goes on to live. Then those who wait are let in, as another one may have died.
-- KEYS: base. ARGV: those of `_keys`, the largest token that it was told here (empty: none): entries up to that are forgotten.
-- Answer: {1 if it was there, looks, when the next other session may end in ms (-1: none), how many of it wait, ticket, token, ticket, token ...}: what it has.
local told = tonumber(ARGV[9])
purge()
local isThere = isKnown()
if isThere then
  live()
  for _, key in ipairs({ queue, several, entering, heldBy(session), waitingOf(session) }) do
    expire(key, 2 * lease)
  end
end
letIn()
local soonest = -1
local two = redis.call('ZRANGE', sessions, 0, 1, 'WITHSCORES')
for i = 1, #two, 2 do
  if two[i] ~= session and soonest < 0 then
    soonest = two[i + 1] - at
  end
end
local answer = { isThere and 1 or 0, looks(), soonest, redis.call('SCARD', waitingOf(session)) }
local held = redis.call('HGETALL', heldBy(session))
for i = 1, #held, 2 do
  if told and placesOf(held[i]) == 0 and tonumber(held[i + 1]) <= told then
    redis.call('HDEL', heldBy(session), held[i])
  else
    answer[#answer + 1] = held[i]
    answer[#answer + 1] = held[i + 1]
  end
end
return keep(answer)
