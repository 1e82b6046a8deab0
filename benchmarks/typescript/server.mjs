// The official TypeScript server with the same trivial tool: the low-level `Server`, as bare as
// the Python one in peers/low_level.py.
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const number = { type: "integer" };
const add = {
  name: "add",
  description: "Add two numbers.",
  inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
};

const server = new Server({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", async () => ({ tools: [add] }));
server.setRequestHandler("tools/call", async ({ params }) => ({
  content: [{ type: "text", text: String(params.arguments.a + params.arguments.b) }],
}));
await server.connect(new StdioServerTransport());
