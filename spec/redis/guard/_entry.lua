-- Where nobody is, as mostly, who wants no place enters at once, or is refused: no more of the script is run.
if isQuiet and ARGV[9]:sub(-2) == '.0' then
  local isIn = enter()
  if isIn or ARGV[10] == '0' then
    if lasts then
      expire(state, lasts)
    end
    return { isIn and 1 or -1, isIn and -1 or math.max(0, delay()) }
  end
end
