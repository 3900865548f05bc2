#!lua
-- uses: _time mutex/_places
-- Asks for a place, or, if it was asked before, what has become of that.
-- KEYS: base. ARGV: time, session, ticket, max, the most that may wait (empty: any number), lease in ms.
-- Answer: {1, token}: it's in. {0}: it waits. {-1}: the queue is full.
local session, ticket, max = ARGV[2], ARGV[3], tonumber(ARGV[4])
local at = now()
purge(at)
letIn(max, at)
local answer = { 1, redis.call('HGET', placesOf(session), ticket) }
if not answer[2] then
  local member = session .. '/' .. ticket
  if redis.call('ZSCORE', queue, member) then
    answer = { 0 }
  elseif used() < max then
    answer[2] = take(session, ticket, at)
  elseif ARGV[5] ~= '' and redis.call('ZCARD', queue) >= tonumber(ARGV[5]) then
    return { -1 }
  else
    redis.call('ZADD', queue, redis.call('HINCRBY', state, 'seq', 1), member)
    redis.call('SADD', waitersOf(session), ticket)
    answer = { 0 }
  end
end
redis.call('ZADD', sessions, at + ARGV[6], session)
return answer
