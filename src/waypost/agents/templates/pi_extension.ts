// written by `waypost setup`, which makes it anew after an upgrade; `waypost setup --remove` takes it out.
// Pi speaks no MCP: the tools of `waypost mcp` are registered here, and `waypost hook` is asked before each turn. Silent where that fails.
import { spawn } from "node:child_process";

const PROGRAM = "__WAYPOST__";
const PATIENCE_MS = 2000;
const LOADING_MS = 15000;

// What the hook prints for an event, empty for nothing and for every failure.
function ask(event: string, payload: Record<string, unknown>): Promise<string> {
	return new Promise((resolve) => {
		let text = "";
		let done = false;
		let child: any;
		const end = (answer: string) => {
			if (done) return;
			done = true;
			clearTimeout(timer);
			resolve(answer);
		};
		const timer = setTimeout(() => {
			child?.kill();
			end("");
		}, PATIENCE_MS);
		try {
			child = spawn(PROGRAM, ["hook", "pi", event], { stdio: ["pipe", "pipe", "ignore"] });
			child.on("error", () => end(""));
			child.stdin.on("error", () => {});
			child.stdout.on("data", (piece: unknown) => (text += piece));
			child.on("close", (status: number) => end(status === 0 ? text.trim() : ""));
			child.stdin.end(JSON.stringify(payload));
		} catch {
			end("");
		}
	});
}

// One `waypost mcp` for the life of this process; `call` answers a request's result or throws its error.
class Bridge {
	private child: any;
	private next = 1;
	private waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
	private rest = "";

	constructor(cwd: string) {
		this.child = spawn(PROGRAM, ["mcp"], { stdio: ["pipe", "pipe", "ignore"], cwd });
		this.child.on("error", () => this.fail());
		this.child.on("close", () => this.fail());
		this.child.stdin.on("error", () => {});
		this.child.stdout.on("data", (piece: unknown) => this.take(String(piece)));
		this.hold();
	}

	// Keeps this process alive while an answer is awaited, and only then.
	private hold() {
		const change = this.waiting.size ? "ref" : "unref";
		for (const part of [this.child, this.child.stdin, this.child.stdout]) part?.[change]?.();
	}

	call(method: string, params: unknown, signal?: AbortSignal): Promise<any> {
		const id = this.next++;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			this.hold();
			signal?.addEventListener("abort", () => {
				this.write({ method: "notifications/cancelled", params: { requestId: id } });
				this.waiting.delete(id);
				this.hold();
				reject(new Error("cancelled"));
			});
			this.write({ id, method, params });
		});
	}

	write(message: Record<string, unknown>) {
		this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	end() {
		this.child.stdin.end();
	}

	private take(piece: string) {
		const lines = (this.rest + piece).split("\n");
		this.rest = lines.pop() ?? "";
		for (const line of lines) {
			if (!line.trim()) continue;
			const answer = JSON.parse(line);
			const waiting = this.waiting.get(answer.id);
			if (!waiting) continue;
			this.waiting.delete(answer.id);
			this.hold();
			if (answer.error) waiting.reject(new Error(answer.error.message));
			else waiting.resolve(answer.result);
		}
	}

	private fail() {
		for (const { reject } of this.waiting.values()) reject(new Error("waypost mcp ended"));
		this.waiting.clear();
		this.hold();
	}
}

async function registerTools(pi: any, bridge: Bridge) {
	await bridge.call("initialize", {
		protocolVersion: "2025-06-18",
		capabilities: {},
		clientInfo: { name: "pi", version: "1" },
	});
	bridge.write({ method: "notifications/initialized" });
	const { tools } = await bridge.call("tools/list", {});
	for (const tool of tools) {
		pi.registerTool({
			name: tool.name,
			label: tool.title ?? tool.name,
			description: tool.description,
			parameters: tool.inputSchema,
			async execute(_id: string, params: unknown, signal?: AbortSignal) {
				const result = await bridge.call("tools/call", { name: tool.name, arguments: params }, signal);
				const text = result.content.map((part: any) => part.text ?? "").join("\n");
				if (result.isError) throw new Error(text);
				return { content: [{ type: "text", text }], details: result.structuredContent ?? {} };
			},
		});
	}
}

export default async function (pi: any) {
	let bridge: Bridge | undefined;
	try {
		bridge = new Bridge(process.cwd());
		let timer: any;
		const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("late")), LOADING_MS)));
		await Promise.race([registerTools(pi, bridge), late]).finally(() => clearTimeout(timer));
	} catch {
		bridge?.end(); // the agent works without the tools
	}

	const payload = (ctx: any, more: Record<string, unknown> = {}) => ({
		session_id: ctx?.sessionManager?.getSessionId?.(),
		cwd: ctx?.cwd ?? process.cwd(),
		...more,
	});

	pi.on("session_start", async (event: any, ctx: any) => {
		await ask("session_start", payload(ctx, { source: event?.reason, previous_session_id: event?.previousSessionId }));
	});
	pi.on("before_agent_start", async (_event: any, ctx: any) => {
		const text = await ask("before_agent_start", payload(ctx));
		if (!text) return undefined;
		return { message: { customType: "waypost", content: text, display: false } };
	});
	pi.on("session_compact", async (_event: any, ctx: any) => {
		await ask("session_compact", payload(ctx));
	});
	// The place of an idle session's wake: a timer that begins at session_start. Nothing is woken today.
	pi.on("session_shutdown", async (_event: any, ctx: any) => {
		await ask("session_shutdown", payload(ctx));
		bridge?.end();
	});
}
