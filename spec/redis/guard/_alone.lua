-- Where no other session is, who gives all back leaves nothing: no more of the script is run.
local count, freed, left = 0, 0, {}
local function giveBack()
  for i = 9, #ARGV do
    local ticket = ARGV[i]
    if redis.call('HDEL', heldBy(session), ticket) == 1 then
      freed, count = freed + placesOf(ticket), count + 1
    elseif redis.call('SREM', waitingOf(session), ticket) == 1 then
      left[#left + 1], count = ticket, count + 1
    end
  end
end
local function hasNothing()
  return redis.call('EXISTS', heldBy(session), waitingOf(session)) == 0
end
local isAlone = firsts[1] == session and not firsts[3] and tonumber(firsts[2]) > at
if isAlone then
  giveBack()
  if hasNothing() then
    reset(sessions)
    return keep({ count, -1 })
  end
end
