-- Places of a guard, and who waits for them, first come, first served. KEYS[1] is the base of its keys:
--   :m        hash: `used` places, the newest `token`, the number `seq` of who came last
--   :q        sorted set: who waits, `session/ticket`, by that number
--   :s        sorted set: sessions, by when their lease ends
--   :h:ID     hash of a session: ticket of each place that it has, its token
--   :w:ID     set of a session: tickets that wait
-- The channel :c:ID of a session is told `ticket token` of who waited and is let in.
local base = KEYS[1]
local state, queue, sessions = base .. ':m', base .. ':q', base .. ':s'
local function placesOf(session)
  return base .. ':h:' .. session
end
local function waitersOf(session)
  return base .. ':w:' .. session
end
-- It grows, also when Redis has lost everything or nobody has been there, as long as its clock doesn't go back.
local function take(session, ticket, at)
  local micros = at * 1000
  if ARGV[1] == '' then
    local clock = redis.call('TIME')
    micros = clock[1] * 1000000 + clock[2]
  end
  local token = math.max(tonumber(redis.call('HGET', state, 'token') or '0') + 1, micros)
  local text = string.format('%.0f', token)
  redis.call('HSET', state, 'token', text)
  redis.call('HINCRBY', state, 'used', 1)
  redis.call('HSET', placesOf(session), ticket, text)
  return text
end
local function used()
  return tonumber(redis.call('HGET', state, 'used') or '0')
end
-- Sessions whose lease is over have nothing any more: a few at a time.
local function purge(at)
  for _, session in ipairs(redis.call('ZRANGEBYSCORE', sessions, '-inf', at, 'LIMIT', 0, 16)) do
    local places = redis.call('HLEN', placesOf(session))
    if places > 0 then
      redis.call('HINCRBY', state, 'used', -places)
    end
    for _, ticket in ipairs(redis.call('SMEMBERS', waitersOf(session))) do
      redis.call('ZREM', queue, session .. '/' .. ticket)
    end
    redis.call('DEL', placesOf(session), waitersOf(session))
    redis.call('ZREM', sessions, session)
  end
end
-- As long as there are places for those who wait.
local function letIn(max, at)
  for _ = used() + 1, max do
    local first = redis.call('ZPOPMIN', queue)[1]
    if not first then
      return
    end
    local session, ticket = first:match('^([^/]+)/(.+)$')
    redis.call('SREM', waitersOf(session), ticket)
    local token = take(session, ticket, at)
    redis.call('PUBLISH', base .. ':c:' .. session, ticket .. ' ' .. token)
  end
end
