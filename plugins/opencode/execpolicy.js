// Puts execpolicy in front of opencode, both of its generations.
//
// Generation 1 calls this function and gets hooks: a forbidden call throws, an allowed one answers
// the host's own question with "once", and for all else the host goes its own way. A call that the
// policy asks about goes on only where the host itself asks, so the list of rules that is in force
// is sent along. Generation 2 reads `id` and `setup`: the effect of a permission is set directly.
// Where there is no verdict nothing is granted.

import { spawn } from "node:child_process"

const PROGRAM = ["execpolicy"]
// By a shell, as other hosts start a hook: a session of `wrap` has this program by no other way.
const LINE = [...PROGRAM, "hook", "opencode"].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
const MILLISECONDS = 2500
const KEPT = 200

const undecided = (reason) => ({ decision: "prompt", reason: `execpolicy could not decide: ${reason}` })

function ask(call) {
  return new Promise((resolve) => {
    let child
    try {
      child = spawn("/bin/sh", ["-c", LINE], { stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      return resolve(undecided(String(error)))
    }
    const out = []
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      resolve(undecided("it did not answer in time"))
    }, MILLISECONDS)
    child.on("error", (error) => {
      clearTimeout(timer)
      resolve(undecided(String(error)))
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      const text = Buffer.concat(out).toString("utf8").trim()
      if (!text) return resolve(code === 0 ? null : undecided(`it ended with ${code}`))
      try {
        resolve(JSON.parse(text))
      } catch (error) {
        resolve(undecided(String(error)))
      }
    })
    child.stdout.on("data", (data) => out.push(data))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(call))
  })
}

// What the host asks for each tool; any other tool goes by its own name.
const PERMISSIONS = { write: "edit", patch: "edit", apply_patch: "edit", multiedit: "edit" }
const permissionOf = (tool) => PERMISSIONS[tool] ?? tool

// The host runs and changes things unasked wherever it is told nothing. A person's own word stays.
const asking = (said) => {
  if (said === undefined) return "ask"
  if (said && typeof said === "object" && said["*"] === undefined) return { "*": "ask", ...said }
  return said
}

function makeItAsk(config) {
  if (typeof config.permission === "string" || config.permission?.["*"] !== undefined) return
  const permission = (config.permission ??= {})
  for (const name of ["bash", "webfetch"]) permission[name] = asking(permission[name])
  if (permission.edit !== undefined) permission.edit = asking(permission.edit)
  // For all agents these would give back what the host refuses to those that plan and explore.
  const wanted = permission.edit === undefined ? { edit: "ask" } : {}
  for (const server of Object.keys(config.mcp ?? {})) {
    const prefix = server.replace(/[^a-zA-Z0-9_-]/g, "_") + "_"
    if (!Object.keys(permission).some((name) => name.startsWith(prefix))) wanted[prefix + "*"] = "ask"
  }
  config.agent ??= {}
  for (const name of ["build", "general"]) {
    const agent = (config.agent[name] ??= {})
    if (typeof agent.permission === "string" || agent.permission?.["*"] !== undefined) continue
    agent.permission = { ...wanted, ...agent.permission }
    if (wanted.edit) agent.permission.edit = asking(agent.permission.edit)
  }
}

const remember = (map, key, value) => {
  map.set(key, value)
  if (map.size > KEPT) map.delete(map.keys().next().value)
}

const execpolicy = async ({ client, directory, worktree }) => {
  const verdicts = new Map() // by call
  const agents = new Map() // by session
  const asked = new Map() // by question
  const always = [] // what the person answered for good, as rules
  const mode = process.argv.includes("--auto") ? "auto" : "default"
  let known

  // The rules in force for a session: nothing where the host does not tell them.
  const rules = async (session) => {
    const name = agents.get(session)
    try {
      known ??= (await client.app.agents()).data
      const agent = known?.find((one) => one.name === name)
      if (!Array.isArray(agent?.permission)) return undefined
      return [...agent.permission.map((r) => [r.permission, r.pattern, r.action]), ...always]
    } catch {
      return undefined
    }
  }

  return {
    config: async (config) => makeItAsk(config),
    "chat.params": async (input) => {
      remember(agents, input.sessionID, typeof input.agent === "string" ? input.agent : input.agent?.name)
    },
    "tool.execute.before": async (input, output) => {
      const verdict = await ask({
        event: "before",
        tool: input.tool,
        args: output.args ?? {},
        cwd: directory,
        root: worktree && worktree !== "/" ? worktree : directory,
        session: input.sessionID,
        rules: await rules(input.sessionID),
        mode,
      })
      if (!verdict) return
      if (verdict.decision !== "allow") throw new Error(verdict.reason)
      remember(verdicts, input.callID, input.tool)
    },
    event: async ({ event }) => {
      const request = event.properties
      if (event.type === "permission.replied") {
        const question = asked.get(request.requestID ?? request.permissionID)
        if ((request.reply ?? request.response) !== "always" || !question) return
        for (const pattern of question.always ?? []) always.push([question.permission, pattern, "allow", "always"])
        return
      }
      if (event.type !== "permission.asked" && event.type !== "permission.updated") return
      remember(asked, request.id, request)
      const tool = verdicts.get(request.tool?.callID ?? request.callID)
      // Only the question about the call itself: a folder outside is another question.
      if (tool === undefined || permissionOf(tool) !== (request.permission ?? request.type)) return
      await client.postSessionIdPermissionsPermissionId({
        path: { id: request.sessionID, permissionID: request.id },
        body: { response: "once" },
      })
    },
  }
}

const TOOLS = { bash: "bash", shell: "bash", edit: "edit", write: "write", patch: "patch", webfetch: "webfetch" }
const KEYS = { bash: "command", webfetch: "url", patch: "patchText" }
const STRICTNESS = { allow: 0, ask: 1, deny: 2 }
const EFFECTS = { allow: "allow", prompt: "ask", forbidden: "deny" }

execpolicy.id = "execpolicy"
execpolicy.setup = async (ctx) => {
  if (!ctx.permission?.hook) {
    throw new Error("execpolicy: this opencode lets no plugin decide about permissions; use another version")
  }
  const root = ctx.directory ?? process.cwd()
  const about = (event, tool, args, session, rules) =>
    ask({ event, tool, args, cwd: root, root, session, rules })
  await ctx.permission.hook("evaluate", async (event) => {
    const tool = TOOLS[event.action]
    if (!tool) return
    const theirs = event.effect
    const rules = [[permissionOf(tool), "*", theirs]]
    let effect = "allow"
    let message
    for (const resource of event.resources) {
      const args = { [KEYS[tool] ?? "filePath"]: resource }
      const verdict = await about("evaluate", tool, args, event.sessionID, rules)
      const said = verdict ? (EFFECTS[verdict.decision] ?? "ask") : theirs
      if ((STRICTNESS[said] ?? 1) >= STRICTNESS[effect]) {
        effect = said
        message = verdict?.reason
      }
    }
    if (event.resources.length === 0) effect = theirs === "deny" ? theirs : "ask"
    event.effect = effect
    if (effect === "deny") event.message = message
  })
  // Some commands never come to "evaluate" (anomalyco/opencode#47356): what is forbidden ends here too.
  await ctx.tool?.hook?.("execute.before", async (event) => {
    const tool = TOOLS[event.tool] ?? event.tool
    const verdict = await about("evaluate", tool, event.input ?? {}, event.sessionID)
    if (verdict?.decision === "forbidden") throw new Error(verdict.reason)
  })
}

export default execpolicy
