-- Who is in, who waits, and who is let in. A script drops and lets in a few at a time: `more` says that another one has to go on.
local budget, more = 500, false
-- When the leases of those end that are known to be there.
local ends = { [firsts[1] or 0] = firsts[2], [firsts[3] or 0] = firsts[4] }
local function isFree(places)
  return max == nil or places == 0 or (number('used') or 0) + places <= max
end
local function isAlive(id)
  local time = ends[id] or redis.call('ZSCORE', sessions, id)
  return time and tonumber(time) > at
end
local function tell(id, text)
  local process, number = id:match('^(.+)%.(%d+)$')
  redis.call('PUBLISH', base:match('^{[^:]+') .. ':c:' .. process .. '}', number .. ' ' .. text)
end
-- One that isn't in its session's set any more leaves the queues.
local function leave(id, ticket)
  local member, places = id .. '/' .. ticket, placesOf(ticket)
  if redis.call('ZREM', queue, member) == 1 then
    if places > 1 then
      redis.call('ZREM', several, member)
    end
  elseif rate and redis.call('ZREM', entering, member) == 1 then
    use(-places)
  end
end
-- Sessions whose lease is over have nothing any more. Gives whether there were any.
local function purge()
  if not firsts[1] or tonumber(firsts[2]) > at then
    return false
  end
  local ended = redis.call('ZRANGEBYSCORE', sessions, '-inf', at, 'LIMIT', 0, 16)
  for _, id in ipairs(ended) do
    local held = redis.call('HRANDFIELD', heldBy(id), budget)
    for _, ticket in ipairs(held) do
      redis.call('HDEL', heldBy(id), ticket)
      use(-placesOf(ticket))
    end
    budget = budget - #held
    local waiting = budget > 0 and redis.call('SPOP', waitingOf(id), budget) or {}
    for _, ticket in ipairs(waiting) do
      leave(id, ticket)
    end
    budget = budget - #waiting
    if budget <= 0 then
      more = true
      return true
    end
    redis.call('ZREM', sessions, id)
    ends[id] = nil
  end
  more = #ended == 16
  return true
end
-- Whether the session is there. If not, it has nothing, also if a key of it is left.
local function isKnown()
  if ends[session] or (firsts[3] and redis.call('ZSCORE', sessions, session)) then
    return true
  end
  redis.call('DEL', heldBy(session), waitingOf(session))
  return false
end
-- Who is the first: one that lives.
local function first(among)
  while true do
    local member = redis.call('ZRANGE', among, 0, 0)[1]
    if not member then
      return nil
    end
    if budget <= 0 then
      more = true
      return nil
    end
    local id, ticket = member:match('^(.+)/(.+)$')
    if isAlive(id) then
      return id, ticket
    end
    budget = budget - 1
    redis.call('SREM', waitingOf(id), ticket)
    leave(id, ticket)
  end
end
local function grant(id, ticket)
  redis.call('SREM', waitingOf(id), ticket)
  tell(id, ticket .. ' ' .. admit(id, ticket))
  budget = budget - 1
end
local function toEntries(id, ticket)
  write('seq', whole((number('seq') or 0) + 1))
  redis.call('ZADD', entering, read('seq'), id .. '/' .. ticket)
  expire(entering, 2 * lease)
end
local function letInEntering()
  if not rate or redis.call('EXISTS', entering) == 0 then
    return
  end
  tick()
  while true do
    local id, ticket = first(entering)
    if not id or not enter() then
      return
    end
    redis.call('ZREM', entering, id .. '/' .. ticket)
    grant(id, ticket)
  end
end
-- As long as there are places, and entries, for those who wait: first for entries, as who gets a place now comes behind these.
local function letIn()
  letInEntering()
  while isFree(1) do
    local id, ticket = first(queue)
    if not id or not isFree(placesOf(ticket)) then
      return
    end
    leave(id, ticket)
    use(placesOf(ticket))
    if not rate or (redis.call('EXISTS', entering) == 0 and enter()) then
      grant(id, ticket)
    else
      toEntries(id, ticket)
      budget = budget - 1
    end
  end
end
-- In how many ms this session has to look; -1: it needn't. One session looks for all, one that waits itself. If it doesn't in time, who comes along does.
local function looks()
  if more then
    return 0
  end
  if not rate or redis.call('EXISTS', entering) == 0 then
    return -1
  end
  local looker, due = read('looker'), number('due') or 0
  local waits = function(id)
    return redis.call('EXISTS', waitingOf(id)) == 1
  end
  if looker and looker ~= session and at <= due + 100 and waits(looker) then
    return -1
  end
  local ms = math.max(0, delay())
  looker = waits(session) and session or first(entering)
  if not looker then
    return more and 0 or -1
  end
  write('looker', looker)
  write('due', whole(at + ms))
  if looker == session then
    return ms
  end
  tell(looker, '! ' .. whole(ms))
  return -1
end
