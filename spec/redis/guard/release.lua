#!lua flags=allow-oom
-- uses: guard/_keys guard/_entries guard/_state guard/_session guard/_alone guard/_lines
-- Gives places back, or leaves the queue; what isn't there any more does no harm. Then those who wait are let in.
-- KEYS: base. ARGV: those of `_keys`, tickets.
-- Answer: {how many of them were there, looks}.
purge()
if not isAlone and isKnown() then
  giveBack()
end
use(-freed)
for _, ticket in ipairs(left) do
  leave(session, ticket)
end
if hasNothing() then
  redis.call('ZREM', sessions, session)
end
letIn()
if redis.call('EXISTS', sessions) == 0 then
  reset()
end
return keep({ count, looks() })
