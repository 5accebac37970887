-- What wrk has counted, as one line of JSON. With the variable STATUS an answer with another one is counted as wrong:
-- wrk itself counts only those from 400 on. Looking at each costs wrk time, so only the slower loads over TLS have it.
local status, threads = tonumber(os.getenv("STATUS")), {}
wrong = 0

function setup(thread) table.insert(threads, thread) end

if status then
    function response(answer) if answer ~= status then wrong = wrong + 1 end end
end

function done(summary, latency)
    local others, errors = 0, summary.errors
    for _, thread in ipairs(threads) do others = others + thread:get("wrong") end
    print(string.format('\n{"answers": %d, "seconds": %f, "bytes": %d, "wrong": %d, "lost": %d, "p99": %f}',
        summary.requests, summary.duration / 1e6, summary.bytes, status and others or errors.status,
        errors.timeout + errors.connect + errors.read + errors.write, latency:percentile(99) / 1e3))
end
