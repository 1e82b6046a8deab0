'use strict';
// How the React side is timed: many passes, so that the JIT is warm, and the median of the later half.

const WARM_UP = 12;
const PASSES = 15;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

// The smaller of processor and elapsed time counts: neither a busy machine nor V8's helper threads
// are held against React.
async function timePass(act) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const outcome = await act();
  const elapsed = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return [Math.min(elapsed, (user + system) / 1000), outcome];
}

async function medianOfPasses(act) {
  let last;
  for (let pass = 0; pass < WARM_UP; pass += 1) await act();
  const taken = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    const [ms, outcome] = await timePass(act);
    taken.push(ms);
    last = outcome;
  }
  return { ms: median(taken), last };
}

module.exports = { medianOfPasses };
