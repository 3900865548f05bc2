#!lua flags=allow-oom
-- uses: _time calls/_service
-- Gives a server calls, in the order in which they came. One that gets fewer than it has room for is idle from then on, and is told when there are more.
-- KEYS: base. ARGV: those of `_service`, room, most bytes of args, the number of this take, which is larger than that of the session's last one
-- Answers: the calls; 1 if it's to look again at once: there may be more than one script gives
--   each call: id, method, args, ms till its deadline (-1: none), traceparent
local room, mostBytes, take = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local mostAtOnce, mostMethod, mostTrace = 8 * 1048576, 65536, 512
local calls, bytes = {}, 0

local function give(id)
  local known = redis.pcall('HMGET', callOf(id), 'method', 'args', 'deadline', 'traceparent')
  if known.err or not known[1] or not known[2] or not isAlive(callerOf(id)) then
    return drop(id)
  end
  if #known[1] > mostMethod then
    return refuse(id, 'InvalidCall', 'its method has ' .. #known[1] .. ' bytes')
  end
  if #known[2] > mostBytes then
    return refuse(id, 'InvalidCall', 'its arguments have ' .. #known[2] .. ' bytes')
  end
  local left = -1
  if known[3] and known[3] ~= '' then
    left = number(known[3]) - at
    if left <= 0 then
      return drop(id) -- its caller knows
    end
  end
  redis.call('HSET', callOf(id), 'server', session, 'take', take)
  redis.call('SADD', hasOf(session), id)
  bytes = bytes + #known[2]
  local trace = known[4] or ''
  calls[#calls + 1] = { id, known[1], known[2], left, #trace <= mostTrace and trace or '' }
end

purge()
while #calls < room and bytes < mostAtOnce and budget > 0 do
  local id = redis.call('ZPOPMIN', queue)[1]
  if not id then
    break
  end
  budget = budget - 1
  give(id)
end
if redis.call('EXISTS', queue) == 0 and #calls < room then
  redis.call('ZADD', idle, at, session)
else
  redis.call('ZREM', idle, session)
  more = more or #calls < room
  wakeIfAnyWaits()
end
live()
return { calls, more and 1 or 0 }
