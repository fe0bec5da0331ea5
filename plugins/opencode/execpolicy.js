// Puts execpolicy in front of opencode, both of its generations.
//
// Generation 1 calls this function and gets hooks: a forbidden call throws, an allowed one answers
// the host's own question with "once", and for all else that question is left to the person.
// Generation 2 reads `id` and `setup`: the effect of a permission is set directly.
// Where there is no verdict nothing is granted.

import { spawn } from "node:child_process"

const PROGRAM = ["execpolicy"]
const MILLISECONDS = 2500
const KEPT = 200

const undecided = (reason) => ({ decision: "prompt", reason: `execpolicy could not decide: ${reason}` })

function ask(tool, args, cwd, session, root) {
  return new Promise((resolve) => {
    let child
    try {
      child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
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
    child.on("close", () => {
      clearTimeout(timer)
      const text = Buffer.concat(out).toString("utf8").trim()
      if (!text) return resolve(null) // a tool that the engine has no say in
      try {
        resolve(JSON.parse(text))
      } catch (error) {
        resolve(undecided(String(error)))
      }
    })
    child.stdout.on("data", (data) => out.push(data))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ tool, args, cwd, session, root }))
  })
}

const TOOLS = { bash: "bash", shell: "bash", edit: "edit", write: "write", patch: "patch", webfetch: "webfetch" }

const execpolicy = async ({ client, directory }) => {
  const verdicts = new Map()
  return {
    // Without this the host would run commands unasked wherever it is not told otherwise.
    config: async (config) => {
      if (typeof config.permission === "string") return
      config.permission ??= {}
      if (config.permission["*"] === undefined) config.permission.bash ??= "ask"
    },
    "tool.execute.before": async (input, output) => {
      const verdict = await ask(input.tool, output.args ?? {}, directory, input.sessionID, directory)
      if (!verdict) return
      if (verdict.decision === "forbidden") throw new Error(verdict.reason)
      verdicts.set(input.callID, verdict)
      if (verdicts.size > KEPT) verdicts.delete(verdicts.keys().next().value)
    },
    event: async ({ event }) => {
      if (event.type !== "permission.asked" && event.type !== "permission.updated") return
      const request = event.properties
      const verdict = verdicts.get(request.tool?.callID ?? request.callID)
      // Only the question about the command itself: a folder outside is another question.
      const mine = (request.permission ?? request.type) === "bash"
      if (!mine || verdict?.decision !== "allow") return
      await client.postSessionIdPermissionsPermissionId({
        path: { id: request.sessionID, permissionID: request.id },
        body: { response: "once" },
      })
    },
  }
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 }
const EFFECTS = { allow: "allow", prompt: "ask", forbidden: "deny" }

execpolicy.id = "execpolicy"
execpolicy.setup = async (ctx) => {
  if (!ctx.permission?.hook) {
    throw new Error("execpolicy: this opencode lets no plugin decide about permissions; use another version")
  }
  const root = ctx.directory ?? process.cwd()
  await ctx.permission.hook("evaluate", async (event) => {
    const tool = TOOLS[event.action]
    if (!tool) return
    let effect = "allow"
    let message
    for (const resource of event.resources) {
      const key = { bash: "command", webfetch: "url", patch: "patchText" }[tool] ?? "filePath"
      const verdict = await ask(tool, { [key]: resource }, root, event.sessionID, root)
      const said = EFFECTS[verdict?.decision] ?? "ask"
      if (STRICTNESS[said] >= STRICTNESS[effect]) {
        effect = said
        message = verdict?.reason
      }
    }
    if (event.resources.length === 0) effect = "ask"
    event.effect = effect
    if (effect === "deny") event.message = message
  })
  // Some commands never come to "evaluate" (anomalyco/opencode#47356): what is forbidden ends here too.
  await ctx.tool?.hook?.("execute.before", async (event) => {
    const verdict = await ask(TOOLS[event.tool] ?? event.tool, event.input ?? {}, root, event.sessionID, root)
    if (verdict?.decision === "forbidden") throw new Error(verdict.reason)
  })
}

export default execpolicy
