-- A service: calls of its methods, which wait for a server, and who has which. KEYS[1] is the base of its keys:
--
--   BASE:queue           sorted set: calls that wait, by when they came
--   BASE:call:ID         hash: method, args (JSON), deadline (empty: none), traceparent, seq; of one that was taken: server, and by
--                        which of its takes
--   BASE:sessions        sorted set: callers and servers, by when their lease ends
--   BASE:has:SESSION     set: of a caller, its calls; of a server, those that it has taken
--   BASE:replies:CALLER  hash: of each call that was answered, the answer, until the caller says that it has it
--   BASE:idle            sorted set: servers that have room, by when they looked
--   BASE:seq             the number of the call that came last
--   BASE:to:SESSION      channel. A caller is told `ID REPLY`, or `ID` alone: the reply is long, and fetched by `renew`.
--                        A server is told `ID`: nobody waits for that call any more; or nothing, an empty text: it is to look
--
-- An ID is `CALLER/NUMBER`. A reply is `+` and the JSON of a value, which may be empty; or `-` and a JSON list of errors, each with code, info
-- and path: the first is the error, the others its causes.
-- All scripts have the same first arguments. ARGV: time, session, lease in ms.
local base, session, lease = KEYS[1], ARGV[2], tonumber(ARGV[3])
local queue, sessions, idle, seq = base .. ':queue', base .. ':sessions', base .. ':idle', base .. ':seq'
local at = now()
-- A script does so much at most; `more` says that another one has to go on.
local budget, more = 500, false
local mostTold = 65536

local function callOf(id)
  return base .. ':call:' .. id
end

local function hasOf(one)
  return base .. ':has:' .. one
end

local function repliesOf(caller)
  return base .. ':replies:' .. caller
end

local function callerOf(id)
  return id:match('^(.+)/') or ''
end

local function number(text)
  return tonumber(text or '') or 0
end

local function whole(number)
  return string.format('%.0f', number)
end

-- If all processes are killed nothing stays for ever. Time that is given isn't the server's: nothing expires then.
local function expire(key)
  if ARGV[1] == '' then
    redis.call('PEXPIRE', key, whole(2 * lease))
  end
end

local function isAlive(one)
  local ends = redis.call('ZSCORE', sessions, one)
  return ends and tonumber(ends) > at
end

-- The session goes on to live.
local function live()
  redis.call('ZADD', sessions, at + lease, session)
  for _, key in ipairs({ sessions, queue, seq, idle, hasOf(session), repliesOf(session) }) do
    expire(key)
  end
end

local function tell(one, text)
  return redis.call('PUBLISH', base .. ':to:' .. one, text) > 0
end

-- One server that has room looks. Who doesn't hear has gone, or looks when it is connected again.
local function wake()
  while true do
    local server = redis.call('ZPOPMIN', idle)[1]
    if not server or tell(server, '') then
      return
    end
  end
end

local function wakeIfAnyWaits()
  if redis.call('EXISTS', queue) == 1 then
    wake()
  end
end

-- What anybody may have written there is none.
local function serverOf(id)
  local server = redis.pcall('HGET', callOf(id), 'server')
  return type(server) == 'string' and server or nil
end

-- The call is over. Gives the server that has it.
local function free(id)
  local server = serverOf(id)
  redis.call('ZREM', queue, id)
  redis.call('DEL', callOf(id))
  redis.call('SREM', hasOf(callerOf(id)), id)
  if server then
    redis.call('SREM', hasOf(server), id)
  end
  return server
end

-- Nobody waits for it any more.
local function drop(id)
  local server = free(id)
  if server then
    tell(server, id)
  end
end

local function answer(id, reply)
  free(id)
  local caller = callerOf(id)
  if not isAlive(caller) then
    return
  end
  redis.call('HSET', repliesOf(caller), id, reply)
  expire(repliesOf(caller))
  tell(caller, #reply <= mostTold and id .. ' ' .. reply or id)
end

local function refuse(id, code, info)
  answer(id, '-' .. cjson.encode({ { code = code, info = info, path = '' } }))
end

-- It waits, in the place where it was before.
local function wait(id, place)
  redis.call('ZADD', queue, place, id)
  expire(queue)
end

-- It was taken and not begun: as if it had not been taken.
local function back(id)
  if serverOf(id) == session then
    redis.call('SREM', hasOf(session), id)
    redis.call('HDEL', callOf(id), 'server', 'take')
    wait(id, number(redis.call('HGET', callOf(id), 'seq')))
    wake()
  end
end

-- Of a session that has ended: its calls are dropped; those that it has taken are lost.
local function over(one, id)
  if callerOf(id) == one then
    drop(id)
  elseif serverOf(id) == one then
    refuse(id, 'CallLost', 'the server was lost')
  end
end

local function finish(one)
  local found = redis.call('SPOP', hasOf(one), budget)
  for _, id in ipairs(found) do
    over(one, id)
  end
  budget = budget - #found
  if budget <= 0 then
    more = true
    return
  end
  redis.call('ZREM', sessions, one)
  redis.call('ZREM', idle, one)
  redis.call('DEL', repliesOf(one))
end

-- Sessions whose lease is over have nothing any more.
local function purge()
  for _, one in ipairs(redis.call('ZRANGEBYSCORE', sessions, '-inf', at, 'LIMIT', 0, 16)) do
    finish(one)
    if more then
      return
    end
  end
end

-- The caller has these replies.
local function forget(first, last)
  for i = first, last do
    redis.call('HDEL', repliesOf(session), ARGV[i])
  end
end
