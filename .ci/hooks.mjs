// Checks where the code uses private parts of libraries ("hooks"), which a library may change in any version. Each hook
// belongs to one or more rooms, or is forbidden everywhere. A room's README says why its hooks are worth the risk and
// what an upgrade could break, and a canary test of the room fails when a hook changes. This check fails on a hook that
// is used in any other place, and when the installed version of a library is not the version that the README says it
// was written for.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

const ENGINE = "packages/adapters-http/src/engine/"
const DRIVER = "packages/adapters-pg/src/driver/"
const SIMULATION = "packages/domain/testing/simulation/engine/"
const PROCESS = "apps/worker/src/process/"
const MAP = "packages/adapters-http/src/pages/kit/scripts/mapScript.ts"

/** Rooms with hooks: the README that lists the hooks, and the canary tests that fail when an upgrade changes a hook. */
const ROOMS = [
  { room: ENGINE, readme: `${ENGINE}README.md`, canary: "packages/adapters-http/test/engine/hooks.test.ts" },
  { room: DRIVER, readme: `${DRIVER}README.md`, canary: "packages/adapters-pg/test/driver/hooks.pg.test.ts" },
  {
    room: SIMULATION,
    readme: `${SIMULATION}README.md`,
    canary: "packages/domain/test/testing/simulation/engine/hooks.test.ts"
  },
  { room: PROCESS, readme: `${PROCESS}README.md`, canary: "apps/worker/test/process/hooks.test.ts" },
  {
    room: MAP,
    readme: "packages/adapters-http/src/pages/kit/README.md",
    canary: "packages/adapters-http/test/pages/kit/mapHooks.test.ts"
  }
]

/**
 * The hooks. `uses` are the rooms that may use a hook; left out: none may. A README names each hook as it is written
 * here.
 */
const HOOKS = [
  { name: "HttpApiBuilder.group", pattern: /\bHttpApiBuilder\.group\b/, uses: [ENGINE] },
  { name: "RouteContextTypeId", pattern: /\bRouteContextTypeId\b/, uses: [ENGINE] },
  { name: "unsafeMap", pattern: /\bunsafeMap\b/, uses: [ENGINE] },
  { name: "Context.unsafeMake", pattern: /\bContext\.unsafeMake\b/, uses: [ENGINE] },
  { name: "FiberRef.currentContext", pattern: /\bFiberRef\.currentContext\b/, uses: [ENGINE, DRIVER] },
  { name: "_getActiveQuery", pattern: /\b_getActiveQuery\b/, uses: [DRIVER] },
  { name: "processID", pattern: /\bprocessID\b/, uses: [DRIVER] },
  { name: "prepareValue", pattern: /\bprepareValue\b/, uses: [DRIVER] },
  { name: "pg.Query", pattern: /\bpg\.Query\b/, uses: [DRIVER] },
  { name: "Object.create", pattern: /\bObject\.create\(/, uses: [DRIVER] },
  { name: "effect/FiberScope/Global", pattern: /effect\/FiberScope/, uses: [SIMULATION, PROCESS] },
  { name: "file names of effect", pattern: /effect\\\/\(/, uses: [SIMULATION] },
  { name: "_abortLoading", pattern: /\b_abortLoading\b/, uses: [MAP] },
  { name: "_removeTile", pattern: /\b_removeTile\b/, uses: [MAP] },
  { name: "attachListeners", pattern: /\battachListeners\b/ },
  { name: "pg-protocol", pattern: /["']pg-protocol/ },
  { name: "generated code", pattern: /\bcompileFunction\b|\bnew Function\(|["'](?:node:)?vm["']/ },
  { name: "a prototype of somebody else's", pattern: /\bgetPrototypeOf\(|\bsetPrototypeOf\(|\b__proto__\b/ },
  {
    name: "a file inside a library",
    pattern: /(?:from|import|import\()\s*["'](?:@[\w-]+\/)?[\w-]+\/(?:dist|lib|src|internal|build)\//
  }
]

/** Whether a line is code. A comment may name a hook, which does not count as a use of the hook. */
const isCode = (line) => !/^\s*(?:\/\/|\/?\*)/.test(line)

const problems = []
const say = (problem) => problems.push(problem)
const read = (path) => readFileSync(path, "utf8")

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /^(?:packages|apps)\/[^/]+\/(?:src|testing)\/.*\.m?ts$/.test(path) && existsSync(path))
if (tracked.length < 500) say(`only ${tracked.length} source files were looked at: is this a git checkout?`)

const used = new Set()
for (const path of tracked) {
  for (const [index, line] of read(path).split("\n").entries()) {
    if (!isCode(line)) continue
    for (const { name, pattern, uses = [] } of HOOKS) {
      if (!pattern.test(line)) continue
      const room = uses.find((one) => path.startsWith(one))
      if (room !== undefined) used.add(`${room} ${name}`)
      else {
        const where = uses.length === 0 ? "nobody may use it" : `it belongs to ${uses.join(" and ")}`
        say(`${path}:${index + 1}: ${name} is a private hook; ${where}`)
      }
    }
  }
}

/** The installed versions of libraries, as the packages of this repository pin them. */
const pinned = new Map(
  execFileSync("git", ["ls-files", "*package.json"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .flatMap((path) => Object.entries(JSON.parse(read(path)).dependencies ?? {}))
)

for (const { canary, readme, room } of ROOMS) {
  if (!existsSync(readme) || !existsSync(canary)) {
    say(`${room}: ${existsSync(readme) ? canary : readme} is missing`)
    continue
  }
  const text = read(readme)
  if (!text.includes(canary.split("/").at(-1))) say(`${readme} does not name its canary tests, ${canary}`)
  for (const { name, uses = [] } of HOOKS.filter((hook) => hook.uses?.includes(room))) {
    if (!used.has(`${room} ${name}`))
      say(`${room} does not use ${name} any more: take it off the list in .ci/hooks.mjs`)
    if (!text.includes(`\`${name}\``))
      say(`${readme} does not list \`${name}\`, which belongs to ${uses.join(" and ")}`)
  }
  // The line of a README such as "Read in: effect 3.22.4, @effect/platform 0.97.2."
  const versions = /^Read in: (.+)\.$/m.exec(text)?.[1]?.split(", ") ?? []
  if (versions.length === 0) say(`${readme} does not say in which versions the libraries were read`)
  for (const entry of versions) {
    const [library = "", version] = entry.split(" ")
    if (pinned.get(library) !== version) {
      say(`${readme} was read in ${entry}, installed is ${pinned.get(library)}: run the canaries, read the hooks again`)
    }
  }
}

for (const problem of problems) console.log(problem)
console.log(`${HOOKS.length} hooks, ${tracked.length} source files: ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
