#!lua flags=allow-oom
-- uses: _time calls/_service
-- A server has no room any more, or ends: others are told in its place. What one that ends has not answered is lost.
-- KEYS: base. ARGV: those of `_service`, 1 if it ends
-- Answers: 1
redis.call('ZREM', idle, session)
if ARGV[4] == '1' then
  finish(session)
end
wakeIfAnyWaits()
return 1
