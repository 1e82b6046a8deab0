// An official TypeScript client calls a server over stdio, a mixture of everything, and prints what
// it saw as JSON.
//
//     node client.mjs v1|v2|modern CALLS COMMAND...
//
// Of twenty calls one reports progress, two are cancelled while they wait, two fail, one lists, one
// names a tool that does not exist, and thirteen add.  A call that is cancelled waits for ever, so
// any answer to it is wrong.  Memory is read from /proc after a fifth of the calls and at the end.
import { readFileSync } from "node:fs";

const [which, count, command, ...args] = process.argv.slice(2);
const calls = Number(count);
const LANES = 16;
const seen = {
  calls: 0, progress: 0, cancelled: 0, errors: [], answered: [], wrong: [], early_kib: 0, late_kib: 0,
};

async function connect() {
  const info = { name: "benchmark", version: "1" };
  const [{ Client }, { StdioClientTransport }] =
    which === "v1"
      ? [
          await import("@modelcontextprotocol/sdk/client/index.js"),
          await import("@modelcontextprotocol/sdk/client/stdio.js"),
        ]
      : [await import("@modelcontextprotocol/client"), await import("@modelcontextprotocol/client/stdio")];
  const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
  const options = which === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
  const client = new Client(info, options);
  client.onerror = (error) => seen.errors.push(String(error));
  await client.connect(transport);
  return [client, transport];
}

const [client, transport] = await connect();

// Which ids were cancelled, and whether one of them was answered, is seen on the wire only.
const cancelled = new Set();
const send = transport.send.bind(transport);
transport.send = (message, ...rest) => {
  if (message.method === "notifications/cancelled") cancelled.add(message.params.requestId);
  return send(message, ...rest);
};
const deliver = transport.onmessage;
transport.onmessage = (message, ...rest) => {
  if (cancelled.has(message.id)) seen.answered.push(message.id);
  deliver(message, ...rest);
};

function call(name, parameters, options = {}) {
  const request = { name, arguments: parameters };
  return which === "v1" ? client.callTool(request, undefined, options) : client.callTool(request, options);
}

function expect(what, expected, received) {
  if (received !== expected) seen.wrong.push(`${what}: expected ${expected}, received ${received}`);
}

async function add(index) {
  const result = await call("add", { a: index, b: 2 });
  expect("add", String(index + 2), result.content[0].text);
}

async function report() {
  const reports = [];
  const result = await call("count", { steps: 3 }, { onprogress: (one) => reports.push(one.progress) });
  expect("count", "3", result.content[0].text);
  seen.progress += reports.length;
  if (!reports.length || reports.some((one, at) => at && one <= reports[at - 1])) {
    seen.wrong.push(`progress of one call: ${reports}`);
  }
}

async function cancel(index) {
  const controller = new AbortController();
  const waiting = call("wait", {}, { signal: controller.signal });
  const delay = index % 5;
  if (delay) setTimeout(() => controller.abort("enough"), delay);
  else setImmediate(() => controller.abort("enough"));
  await waiting.then(
    () => seen.wrong.push("a cancelled call was answered"),
    () => (seen.cancelled += 1),
  );
}

async function fail() {
  const result = await call("fail", {});
  expect("fail", true, result.isError);
}

async function list() {
  expect("list", 4, (await client.listTools()).tools.length);
}

async function miss() {
  await call("no_such_tool", {}).then(
    () => seen.wrong.push("an unknown tool was called"),
    (error) => expect("an unknown tool", -32602, error.code),
  );
}

const MIXTURE = [report, cancel, fail, list, miss, cancel, fail];

function resident() {
  const status = readFileSync(`/proc/${transport.pid}/status`, "ascii");
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]);
}

let next = 0;
async function work(end) {
  while (next < end) {
    const index = next++;
    await (MIXTURE[index % 20] ?? add)(index);
    seen.calls += 1;
  }
}

for (const [end, name] of [[calls / 5, "early_kib"], [calls, "late_kib"]]) {
  await Promise.all(Array.from({ length: LANES }, () => work(end)));
  seen[name] = resident();
}
// What comes too late to be seen comes now.
await new Promise((resolve) => setTimeout(resolve, 200));
await client.close();
console.log(JSON.stringify({ ...seen, cancelled_ids: cancelled.size }));
