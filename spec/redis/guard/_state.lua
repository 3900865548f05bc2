-- What lines remember in the hash `:m` is read at most once, and written once, when the script is done: by `keep`, which all give their answer to.
-- Where nobody is, none of it counts.
local fields = { 'used', 'token', 'seq', 'looker', 'due' }
local known, changed = nil, {}
local function read(field)
  if not known then
    known = {}
    for i, value in ipairs(isQuiet and {} or redis.call('HMGET', state, unpack(fields))) do
      known[fields[i]] = value
    end
  end
  return known[field]
end
local function number(field)
  return tonumber(read(field) or nil)
end
local function write(field, value)
  if read(field) ~= value then
    known[field], changed[field] = value, true
  end
end
-- It stays as long as sessions may live.
local function keep(answer)
  local set = {}
  for field in pairs(changed) do
    set[#set + 1], set[#set + 2] = field, known[field]
  end
  if set[1] then
    redis.call('HSET', state, unpack(set))
  end
  if lasts then
    expire(state, isQuiet and lasts or math.max(lasts, 2 * lease))
  end
  return answer
end
