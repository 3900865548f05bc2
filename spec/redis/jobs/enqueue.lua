#!lua
-- uses: _time jobs/_queue
-- Adds a job, once however often it's called with one id.
-- KEYS: base
-- ARGV: time, id, payload, order key, idempotency key, how long that is kept when the job has ended (ms), delay (ms),
--       deadline from now (ms; empty: none), version, how many jobs there may be
-- Answers: the id of the job, which is another one if the idempotency key is known; empty if there are too many
local _, id, payload, key, unique, keep, delay, deadline, version, most = unpack(ARGV)
if unique ~= '' then
  local known = redis.call('GET', base .. ':unique:' .. unique)
  if known then
    return known
  end
end
if redis.call('EXISTS', job(id)) == 1 then
  return id
end
if number(redis.call('GET', base .. ':size')) >= tonumber(most) then
  return ''
end
local at = time + number(delay)
redis.call('HSET', job(id), 'v', 1, 'payload', payload, 'key', key, 'unique', unique, 'keep', keep, 'at', time, 'due', at,
  'deadline', deadline ~= '' and time + number(deadline) or '', 'version', version, 'attempts', 0, 'losses', 0,
  'causes', '[]')
redis.call('INCR', base .. ':size')
if unique ~= '' then
  redis.call('SET', base .. ':unique:' .. unique, id)
end
if key == '' then
  place(id, at)
elseif redis.call('HSETNX', base .. ':lanes', key, id) == 1 then
  place(id, at)
else
  redis.call('RPUSH', base .. ':lane:' .. key, id)
end
return id
