// What Gemini CLI's own loader and policy engine say about commands: a line with the commands in,
// a line with the decisions and the loader's complaints out. The policies are those of the home
// directory, read anew for each line. The first argument is the package's directory.

import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

for (const name of ["log", "debug", "info", "warn", "error"]) console[name] = () => {}
const source = (name) => import(pathToFileURL(`${process.argv[2]}/dist/src/${name}.js`).href)
const { createPolicyEngineConfig } = await source("policy/config")
const { PolicyEngine } = await source("policy/policy-engine")
const { loadPoliciesFromToml } = await source("policy/toml-loader")
const { Storage } = await source("config/storage")
const { initializeShellParsers } = await source("utils/shell-utils")

await initializeShellParsers()
for await (const line of createInterface({ input: process.stdin })) {
  const { errors } = await loadPoliciesFromToml([Storage.getUserPoliciesDir()], () => 4)
  const engine = new PolicyEngine(await createPolicyEngineConfig({}, "default", undefined, true))
  const decisions = []
  for (const command of JSON.parse(line)) {
    const call = { name: "run_shell_command", args: { command } }
    decisions.push((await engine.check(call, undefined)).decision)
  }
  process.stdout.write(JSON.stringify({ decisions, errors: errors.map((e) => e.errorType) }) + "\n")
}
