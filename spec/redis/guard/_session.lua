-- A session, and what it has.
local function placesOf(ticket)
  return tonumber(ticket:match('%.(%d+)$'))
end
-- It's in. The token grows, also when Redis has lost everything or nobody has been there, as long as its clock doesn't go back.
local function admit(id, ticket)
  local token = whole(math.max((number('token') or 0) + 1, micros))
  write('token', token)
  redis.call('HSET', heldBy(id), ticket, token)
  expire(heldBy(id), 2 * lease)
  return token
end
local function use(places)
  if places ~= 0 then
    write('used', whole((number('used') or 0) + places))
  end
end
-- The session goes on to live, and what belongs to it. Who has died is in `sessions` for less than another lease, so what he has is there as long, and is counted.
local function live()
  redis.call('ZADD', sessions, at + lease, session)
  expire(sessions, lease)
  isQuiet = false
  last(rest())
end
-- Without sessions nobody is in, and nobody waits, whatever is left.
local function reset(...)
  isQuiet, known, changed = true, {}, {}
  if rate then
    redis.call('DEL', queue, several, entering, ...)
    redis.call('HDEL', state, unpack(fields))
    last(rest())
  else
    redis.call('DEL', queue, several, entering, state, ...)
  end
end
