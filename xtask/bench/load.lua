-- Sends lead.http, the second argument, with the next number in place of {HIGH} and {LOW}, its halves of four digits.
-- The first argument is the first number. Prints the result as a line of JSON.

local parts, places, number = {}, {}, 0

function init(arguments)
  number = tonumber(arguments[1])
  local template, from = arguments[2], 1
  for at, half, after in template:gmatch("(){(%u+)}()") do
    parts[#parts + 1] = template:sub(from, at - 1)
    parts[#parts + 1] = ""
    places[#places + 1] = { index = #parts, is_high = half == "HIGH" }
    from = after
  end
  parts[#parts + 1] = template:sub(from)
end

function request()
  local high, low = string.format("%04d", math.floor(number / 10000)), string.format("%04d", number % 10000)
  for _, place in ipairs(places) do
    parts[place.index] = place.is_high and high or low
  end
  number = number + 1
  return table.concat(parts)
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  local accepted = summary.requests - errors.status
  local result = '{"accepted":%d,"failed":%d,"per_second":%f,"p50":%f,"p99":%f}\n'
  io.write(string.format(result, accepted, failed, accepted / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
