#!lua
-- uses: guard/_keys guard/_entries guard/_entry guard/_state guard/_session guard/_nobody guard/_lines
-- Asks for a place, an entry, or both, or, if it was asked before, what has become of that.
-- KEYS: base. ARGV: those of `_keys`, ticket, the most that may wait (empty: any number), 1 if lines around it have places (else empty).
-- Answer: {1, looks, token}: it's in; without a place it has no token. {0, looks}: it waits. {-1, ms till an entry, or -1}: the queue is full.
local ticket, most, isInside = ARGV[9], tonumber(ARGV[10]), ARGV[11] == '1'
local places = placesOf(ticket)
if firsts[1] then
  -- Without an end and without a time nothing has changed since those were let in who could be.
  if purge() or rate then
    letIn()
  end
  if isKnown() then
    local token = redis.call('HGET', heldBy(session), ticket)
    if token then
      live()
      return keep({ 1, looks(), token })
    end
    if redis.call('SISMEMBER', waitingOf(session), ticket) == 1 then
      live()
      return keep({ 0, looks() })
    end
  end
end
local function isFull()
  return most and redis.call('ZCARD', queue) + redis.call('ZCARD', entering) >= most
end
local member = session .. '/' .. ticket
local function wait()
  redis.call('SADD', waitingOf(session), ticket)
  expire(waitingOf(session), 2 * lease)
  live()
  return keep({ 0, looks() })
end
-- Whoever wants several waits for the lines around, too, if these don't end: who is inside of them goes first.
local function isFirst()
  local one = redis.call('ZRANGE', queue, 0, 0)[1]
  return not one or (isInside and placesOf(one) > 1)
end
if places == 0 or max == nil or (isFree(places) and isFirst()) then
  if not rate or (redis.call('EXISTS', entering) == 0 and enter()) then
    if places == 0 then
      return keep({ 1, looks() })
    end
    use(places)
    local token = admit(session, ticket)
    live()
    return keep({ 1, looks(), token })
  end
  if isFull() then
    return keep({ -1, math.max(0, delay()) })
  end
  use(places)
  toEntries(session, ticket)
  return wait()
end
if isFull() then
  return keep({ -1, -1 })
end
write('seq', whole((number('seq') or 0) + 1))
local score = read('seq')
local before = isInside and redis.call('ZRANGE', several, 0, 0, 'WITHSCORES')
if before and before[1] then
  local last = redis.call('ZRANGE', queue, '(' .. before[2], '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
  local low = tonumber(last[2] or before[2] - 1)
  score = string.format('%.17g', low + (before[2] - low) / 64)
end
redis.call('ZADD', queue, score, member)
expire(queue, 2 * lease)
if places > 1 then
  redis.call('ZADD', several, score, member)
  expire(several, 2 * lease)
end
return wait()
