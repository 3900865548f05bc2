#!lua flags=allow-oom
-- uses: _time calls/_service
-- A server answers a call that it has taken.
-- KEYS: base. ARGV: those of `_service`, id, reply
-- Answers: 1; 0: nobody waits for that any more
local id, reply = ARGV[4], ARGV[5]
purge()
if serverOf(id) ~= session then
  return 0
end
answer(id, reply)
return 1
