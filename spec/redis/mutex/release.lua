#!lua flags=allow-oom
-- uses: _time mutex/_places
-- Gives places back, or leaves the queue; what isn't there any more does no harm. Then those who wait are let in.
-- KEYS: base. ARGV: time, session, max, tickets.
-- Answer: how many of them were there.
local session, max = ARGV[2], tonumber(ARGV[3])
local at = now()
local count = 0
for i = 4, #ARGV do
  local ticket = ARGV[i]
  if redis.call('HDEL', placesOf(session), ticket) == 1 then
    redis.call('HINCRBY', state, 'used', -1)
    count = count + 1
  elseif redis.call('SREM', waitersOf(session), ticket) == 1 then
    redis.call('ZREM', queue, session .. '/' .. ticket)
    count = count + 1
  end
end
if redis.call('EXISTS', placesOf(session), waitersOf(session)) == 0 then
  redis.call('ZREM', sessions, session)
end
purge(at)
letIn(max, at)
if redis.call('EXISTS', sessions) == 0 then
  redis.call('DEL', state, queue)
end
return count
