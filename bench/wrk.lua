-- What wrk has counted, as one line of JSON. With the variable ONLY, answers with another status are counted as wrong:
-- wrk itself counts only those from 400 on.
local only = tonumber(os.getenv("ONLY"))
local threads = {}
wrong = 0

function setup(thread) table.insert(threads, thread) end

if only then
    function response(status)
        if status ~= only then wrong = wrong + 1 end
    end
end

function done(summary, latency)
    local others = 0
    for _, thread in ipairs(threads) do others = others + thread:get("wrong") end
    local errors = summary.errors
    print(string.format('\n{"requests": %d, "seconds": %f, "bytes": %d, "wrong": %d, "late": %d, "refused": %d, '
        .. '"p99": %f, "slowest": %f}', summary.requests, summary.duration / 1e6, summary.bytes,
        only and others or errors.status, errors.timeout, errors.connect + errors.read + errors.write,
        latency:percentile(99) / 1e3, latency.max / 1e3))
end
