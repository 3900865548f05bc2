#!lua flags=allow-oom
-- uses: _time calls/_service
-- A caller waits for calls no more: each leaves the queue, or its server is told.
-- KEYS: base. ARGV: those of `_service`, ids
-- Answers: 1
for i = 4, #ARGV do
  drop(ARGV[i])
  redis.call('HDEL', repliesOf(session), ARGV[i])
end
return 1
