-- Where nobody is, who wants a place has it, if there is no rate: no more of the script is run.
if isQuiet then
  reset(heldBy(session), waitingOf(session))
  if not rate then
    use(placesOf(ARGV[9]))
    local token = admit(session, ARGV[9])
    live()
    return keep({ 1, -1, token })
  end
end
