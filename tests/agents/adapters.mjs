// Drives a generated adapter as its client would, and prints what reached the model as one JSON object.
//
// usage: node adapters.mjs opencode|pi FILE

import { pathToFileURL } from 'node:url';

const [client, file] = process.argv.slice(2);
const adapter = await import(pathToFileURL(file).href);
const result = {};

if (client === 'opencode') {
  const hooks = await adapter.Waypost({ directory: process.cwd(), worktree: process.cwd() });
  await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'S1' } } } });
  await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'SUB', parentID: 'S1' } } } });
  const prompt = { message: { id: 'msg_1', sessionID: 'S1' }, parts: [{ type: 'text', text: 'hello' }] };
  await hooks['chat.message']({ sessionID: 'S1' }, prompt);
  const child = { message: { id: 'msg_2', sessionID: 'SUB' }, parts: [] };
  await hooks['chat.message']({ sessionID: 'SUB' }, child);
  const text = { title: '', output: 'the output', metadata: {} };
  await hooks['tool.execute.after']({ tool: 'bash', sessionID: 'S1', callID: 'c' }, text);
  const mcp = { content: [{ type: 'text', text: 'from a server' }] };
  await hooks['tool.execute.after']({ tool: 'x_y', sessionID: 'S1', callID: 'd' }, mcp);
  await hooks.event({ event: { type: 'session.compacted', properties: { sessionID: 'S1' } } });
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 'S1' } } } });
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 'NEVER-SEEN' } } } });
  await hooks.event({ event: { type: 'unknown.event' } });
  Object.assign(result, { prompt, child, text, mcp });
} else {
  const handlers = {};
  const tools = [];
  await adapter.default({ on: (name, handler) => (handlers[name] = handler), registerTool: (tool) => tools.push(tool) });
  const ctx = { cwd: process.cwd(), sessionManager: { getSessionId: () => 'P1' } };
  await handlers.session_start({ reason: 'startup' }, ctx);
  result.turn = await handlers.before_agent_start({ prompt: 'hello' }, ctx);
  await handlers.session_compact({}, ctx);
  result.tools = tools.map(({ name, description, parameters }) => ({ name, described: !!description, type: parameters.type }));
  const list = tools.find(({ name }) => name === 'message_list');
  if (list) result.listed = await list.execute('1', process.env.ARGUMENTS ? JSON.parse(process.env.ARGUMENTS) : {});
  await handlers.session_shutdown({}, ctx);
}
process.stdout.write(`${JSON.stringify(result)}\n`);
