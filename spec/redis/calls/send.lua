#!lua
-- uses: _time calls/_service
-- A caller makes a call, once however often it's sent with one id.
-- KEYS: base. ARGV: those of `_service`, id, method, args (JSON), ms till its deadline (empty: none), traceparent (empty: none), how many
--       calls may wait (empty: any number), then ids of calls whose replies the caller has
-- Answers: 1; 0: too many wait
local id, method, args, left, traceparent, most = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
purge()
forget(10, #ARGV)
live()
if redis.call('EXISTS', callOf(id)) == 1 or redis.call('HEXISTS', repliesOf(session), id) == 1 then
  return 1
end
if most and redis.call('ZCARD', queue) >= most then
  return 0
end
local place = redis.call('INCR', seq)
redis.call('HSET', callOf(id), 'method', method, 'args', args, 'deadline', left ~= '' and whole(at + tonumber(left)) or '',
  'traceparent', traceparent, 'seq', place)
expire(callOf(id))
redis.call('SADD', hasOf(session), id)
expire(hasOf(session))
wait(id, place)
wake()
return 1
