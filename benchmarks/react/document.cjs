'use strict';
// The tree of `document-10k` rendered by React's server, then decoded by React's client.
//
//   NODE_ENV=production node --conditions=react-server document.cjs [SECTIONS]
//
// Prints one line of JSON: {"ms", "render_ms", "decode_ms", "bytes", "elements"}; times are medians
// after a warm-up. Server and client need different export conditions, so the client is a process
// of its own (decode.cjs) that gets the stream through its standard input.

const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { Writable } = require('node:stream');
const { createElement } = require('react');
const { renderToPipeableStream } = require('react-server-dom-webpack/server.node');
const { medianOfPasses } = require('./passes.cjs');

const SECTIONS = Number(process.argv[2] ?? 2000);

// Keep in step with `_section` and `_sections` in benchmarks/documents.py.
function Section({ index }) {
  const book = `/library/books/${index}`;
  const facts = { id: index, ok: index % 7 !== 0, tags: ['a', 'b'], path: `${book}.mp3` };
  return createElement(
    'agent-result',
    null,
    createElement('agent-markdown', null, `## Section ${index}`),
    createElement('agent-text', null, 'Inspected ', index * 3, ` files in ${book}`),
    createElement('agent-json', { value: facts }),
    createElement('agent-text', null, 'done'),
  );
}

function tree() {
  const sections = Array.from({ length: SECTIONS }, (_, index) =>
    createElement(Section, { key: index, index }),
  );
  return createElement('agent-result', { metadata: { route: 'benchmark' } }, sections);
}

function render() {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const sink = new Writable({
      // React must never wait for its reader here.
      highWaterMark: 2 ** 30,
      write(chunk, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
    sink.on('finish', () => resolve(chunks));
    sink.on('error', reject);
    renderToPipeableStream(tree(), {}, { onError: reject }).pipe(sink);
  });
}

async function main() {
  const rendered = await medianOfPasses(render);
  const bytes = Buffer.concat(rendered.last);
  const client = path.join(__dirname, 'decode.cjs');
  const decoded = JSON.parse(execFileSync(process.execPath, [client], { input: bytes }));
  const expected = 5 * SECTIONS + 1;
  if (decoded.elements !== expected) {
    throw new Error(`expected ${expected} elements, the client found ${decoded.elements}`);
  }
  const figures = {
    ms: rendered.ms + decoded.ms,
    render_ms: rendered.ms,
    decode_ms: decoded.ms,
    bytes: bytes.length,
    elements: decoded.elements,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
