// written by `waypost setup`, which makes it anew after an upgrade; `waypost setup --remove` takes it out.
// Asks the `waypost hook` command at prompts and after tools, and puts what it prints before the model. Silent where that fails.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"

const PROGRAM = "__WAYPOST__"
const PATIENCE_MS = 2000

// What the hook prints for an event, empty for nothing and for every failure.
function ask(event, payload) {
  return new Promise((resolve) => {
    let text = ""
    let done = false
    const end = (answer) => {
      if (done) return
      done = true
      clearTimeout(timer)
      resolve(answer)
    }
    let child
    const timer = setTimeout(() => {
      child?.kill()
      end("")
    }, PATIENCE_MS)
    try {
      child = spawn(PROGRAM, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"], cwd: payload.directory })
      child.on("error", () => end(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => (text += piece))
      child.on("close", (status) => end(status === 0 ? text.trim() : ""))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      end("")
    }
  })
}

export const Waypost = async ({ directory }) => {
  const children = new Set() // sessions of subagents, whose context is not the user's session
  const seen = new Set() // sessions that this process served; only they may ever be woken

  const tell = (event, sessionID) => {
    if (!sessionID || children.has(sessionID)) return Promise.resolve("")
    seen.add(sessionID)
    return ask(event, { sessionID, directory })
  }

  const happened = {
    "session.created": ({ info }) => (info?.parentID ? children.add(info.id) : tell("session.created", info?.id)),
    "session.compacted": ({ sessionID }) => tell("session.compacted", sessionID),
    "session.deleted": ({ info }) => {
      const known = seen.delete(info?.id)
      children.delete(info?.id)
      return known ? ask("session.deleted", { sessionID: info.id, directory }) : undefined
    },
    // The place of an idle session's wake. Nothing is woken today.
    "session.idle": () => undefined,
  }

  return {
    event: async ({ event }) => {
      await happened[event?.type]?.(event.properties ?? {})
    },
    "chat.message": async (input, output) => {
      const sessionID = input?.sessionID ?? output?.message?.sessionID
      const text = await tell("chat.message", sessionID)
      if (!text || !Array.isArray(output?.parts)) return
      const id = `prt_${randomBytes(13).toString("hex")}`
      output.parts.push({ id, sessionID, messageID: output.message?.id, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async (input, output) => {
      const text = await tell("tool.execute.after", input?.sessionID)
      if (!text || !output) return
      // A tool of an MCP server answers an object with content, every other one a text.
      if (Array.isArray(output.content)) output.content.push({ type: "text", text })
      else if (typeof output.output === "string") output.output += `\n\n${text}`
    },
  }
}
