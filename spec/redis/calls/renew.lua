#!lua flags=allow-oom
-- uses: _time calls/_service
-- A session goes on to live. A caller names calls that it waits for, some hundred at most; a server all that it has.
-- KEYS: base. ARGV: those of `_service`; of a server the number of the last take that is settled, so that it names all that it has by that (else
--       empty); how many ids come next of calls whose replies the caller has, these, then the ids
-- Answers: 1 if it's to be sent again at once; when the next other session may end in ms (-1: there is none); then a list: of each call of which
--   there is something to say the id, and its reply, or an empty text: nothing is known of the call
local settled, replied = tonumber(ARGV[4]), tonumber(ARGV[5])
local mostAtOnce = 8 * 1048576
purge()
forget(6, 5 + replied)
live()
local named, said, bytes = {}, {}, 0
for i = 6 + replied, #ARGV do
  local id = ARGV[i]
  named[id] = true
  local isOwn = callerOf(id) == session
  local reply = isOwn and redis.call('HGET', repliesOf(session), id)
  if reply and bytes >= mostAtOnce then
    more = true
  elseif reply then
    bytes = bytes + #reply
    said[#said + 1] = id
    said[#said + 1] = reply
  elseif isOwn and redis.call('EXISTS', callOf(id)) == 1 then
    expire(callOf(id))
  elseif isOwn or serverOf(id) ~= session then
    said[#said + 1] = id
    said[#said + 1] = ''
  end
end
-- The answer that gave them never came. What a later take has given isn't named yet: commands may come in another order.
for _, id in ipairs(settled and redis.call('SMEMBERS', hasOf(session)) or {}) do
  if not named[id] and number(redis.call('HGET', callOf(id), 'take')) <= settled then
    back(id)
  end
end
local ends = -1
local two = redis.call('ZRANGE', sessions, 0, 1, 'WITHSCORES')
for i = 1, #two, 2 do
  if two[i] ~= session and ends < 0 then
    ends = math.max(0, two[i + 1] - at)
  end
end
return { more and 1 or 0, ends, said }
