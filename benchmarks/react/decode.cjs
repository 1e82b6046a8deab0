'use strict';
// A Flight stream on standard input, decoded by React's client until nothing in it is lazy.
//
//   NODE_ENV=production node decode.cjs < STREAM
//
// Prints one line of JSON: {"ms", "elements"}. Must not run under the react-server condition.

const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { PassThrough } = require('node:stream');
const { createFromNodeStream } = require('react-server-dom-webpack/client.node');
const { medianOfPasses } = require('./passes.cjs');

const CHUNK_BYTES = 64 * 1024;
const ELEMENT = Symbol.for('react.transitional.element');
const LAZY = Symbol.for('react.lazy');
const NO_MODULES = { moduleMap: {}, moduleLoading: null, serverModuleMap: null };

// A row is parsed when somebody looks at it, so everything is looked at.
function countElements(root) {
  let elements = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value !== 'object') continue;
    if (value.$$typeof === LAZY) {
      open.push(value._init(value._payload));
    } else if (value.$$typeof === ELEMENT) {
      elements += 1;
      open.push(value.props);
    } else {
      open.push(...Object.values(value));
    }
  }
  return elements;
}

async function decode(bytes) {
  const source = new PassThrough({ highWaterMark: 2 ** 30 });
  const root = createFromNodeStream(source, NO_MODULES);
  const ended = once(source, 'end');
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    source.write(bytes.subarray(at, at + CHUNK_BYTES));
  }
  source.end();
  // The root may be there before the rows it refers to.
  await ended;
  return countElements(await root);
}

async function main() {
  const bytes = readFileSync(0);
  const { ms, last } = await medianOfPasses(() => decode(bytes));
  process.stdout.write(`${JSON.stringify({ ms, elements: last })}\n`);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
