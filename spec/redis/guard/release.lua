#!lua flags=allow-oom
-- uses: _time guard/_state guard/_entries guard/_lines
-- Gives places back, or leaves the queue; what isn't there any more does no harm. Then those who wait are let in.
-- KEYS: base. ARGV: those of `_state`, tickets.
-- Answer: {how many of them were there, looks}.
purge()
local count, own = 0, isKnown() and #ARGV or 0
for i = 9, own do
  local ticket = ARGV[i]
  if redis.call('HDEL', heldBy(session), ticket) == 1 then
    use(-placesOf(ticket))
    count = count + 1
  elseif redis.call('SREM', waitingOf(session), ticket) == 1 then
    leave(session, ticket)
    count = count + 1
  end
end
if redis.call('EXISTS', heldBy(session), waitingOf(session)) == 0 then
  redis.call('ZREM', sessions, session)
end
letIn()
if redis.call('EXISTS', sessions) == 0 then
  if rate then
    reset()
    expire(state, rest())
  else
    redis.call('DEL', queue, several, entering, state)
  end
end
return { count, looks() }
