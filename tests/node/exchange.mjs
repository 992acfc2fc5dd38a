// Two clients of the official TypeScript SDK, each with its own stdio bridge in its own project, exchange a message. Steps are
// asked for by lines on standard input and answered by one line of JSON each, so that a test can end the server between them.
//
// usage: node exchange.mjs PYTHON ASKING_DIRECTORY ANSWERING_DIRECTORY

import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [python, ...directories] = process.argv.slice(2);

async function connect(cwd) {
  const client = new Client({ name: 'exchange', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: python,
    args: ['-P', '-m', 'waypost', 'mcp'],
    cwd,
    env: process.env,
    stderr: 'inherit',
  });
  await client.connect(transport);
  return client;
}

const clients = await Promise.all(directories.map(connect));

for await (const line of createInterface({ input: process.stdin })) {
  const { who, tool, ...rest } = JSON.parse(line);
  const client = clients[who];
  const answer = tool
    ? await client.callTool({ name: tool, ...rest })
    : { server: client.getServerVersion(), tools: (await client.listTools()).tools };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await Promise.all(clients.map((client) => client.close()));
