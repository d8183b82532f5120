// Checks where the code uses private parts of libraries ("hooks"), which a library may change in any version. Each hook
// belongs to one or more rooms, or is forbidden everywhere. A room's README says why its hooks are worth the risk and
// what an upgrade could break, and a canary test of the room fails when a hook changes. This check fails when
// - a hook is used in any other place;
// - a hook has no canary test, or no row in the README;
// - the installed version of a library is not the version that the README names.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

const ENGINE = "packages/adapters-http/src/engine/"
const DRIVER = "packages/adapters-pg/src/driver/"
const SIMULATION = "packages/domain/testing/simulation/engine/"
const PROCESS = "apps/worker/src/process/"
const MAP = "packages/adapters-http/src/pages/kit/scripts/mapScript.ts"

/** Rooms with hooks: the README that lists the hooks, and the files of canary tests, which fail when a hook changes. */
const ROOMS = [
  { room: ENGINE, readme: `${ENGINE}README.md`, canaries: ["packages/adapters-http/test/engine/hooks.test.ts"] },
  { room: DRIVER, readme: `${DRIVER}README.md`, canaries: ["packages/adapters-pg/test/driver/hooks.pg.test.ts"] },
  {
    room: SIMULATION,
    readme: `${SIMULATION}README.md`,
    canaries: [
      "packages/domain/test/testing/simulation/engine/hooks.test.ts",
      "packages/domain/test/testing/simulation/guardInBundle.test.ts"
    ]
  },
  { room: PROCESS, readme: `${PROCESS}README.md`, canaries: ["apps/worker/test/process/hooks.test.ts"] },
  {
    room: MAP,
    readme: "packages/adapters-http/src/pages/kit/README.md",
    canaries: ["packages/adapters-http/test/pages/kit/mapHooks.test.ts"]
  }
]

/**
 * The hooks. A README names each hook as it is written here.
 *
 * `uses` has the rooms that may use a hook, and for each room words from the titles of the canary tests for its use.
 * Without `uses`, no room may use the hook. A hook without a `pattern` is a behaviour that has no name in the code.
 */
const HOOKS = [
  {
    name: "HttpApiBuilder.group",
    pattern: /\bHttpApiBuilder\.group\b/,
    uses: { [ENGINE]: ["takes the handlers of a group by name"] }
  },
  {
    name: "RouteContextTypeId",
    pattern: /\bRouteContextTypeId\b/,
    uses: { [ENGINE]: ["finds the route of a request in its services"] }
  },
  { name: "unsafeMap", pattern: /\bunsafeMap\b/, uses: { [ENGINE]: ["looks services up in that very map"] } },
  {
    name: "Context.unsafeMake",
    pattern: /\bContext\.unsafeMake\b/,
    uses: { [ENGINE]: ["makes a context of the map that it is given"] }
  },
  {
    name: "FiberRef.currentContext",
    pattern: /\bFiberRef\.currentContext\b/,
    uses: {
      [ENGINE]: ["leaves a context alone that equals the one", "runs an effect in the very context that is set for it"],
      [DRIVER]: ["finds a transaction in a context that a fiber sets for itself"]
    }
  },
  { name: "_getActiveQuery", pattern: /\b_getActiveQuery\b/, uses: { [DRIVER]: ["says which query is under way"] } },
  { name: "processID", pattern: /\bprocessID\b/, uses: { [DRIVER]: ["knows the server's process"] } },
  {
    name: "connection.stream",
    pattern: /\bconnection(?:Of\(\w+\))?\??\.stream\b/,
    uses: { [DRIVER]: ["has the socket that it reads from"] }
  },
  {
    name: "prepareValue",
    pattern: /\bprepareValue\b/,
    uses: { [DRIVER]: ["turns values into what the server reads"] }
  },
  { name: "pg.Query", pattern: /\bpg\.Query\b/, uses: { [DRIVER]: ["lets a subclass of pg.Query write"] } },
  {
    name: "Object.create",
    pattern: /\bObject\.create\(/,
    uses: { [DRIVER]: ["asks the client that a reserved connection has"] }
  },
  {
    name: "effect/FiberScope/Global",
    pattern: /effect\/FiberScope/,
    uses: {
      [SIMULATION]: ["effect keeps its root fibers in a global value"],
      [PROCESS]: ["keeps its root fibers in a global value"]
    }
  },
  {
    name: "file names of effect",
    pattern: /effect\\\/\(/,
    uses: {
      [SIMULATION]: ["reads the host in the file that the guard knows", "Random reads no randomness of the host"]
    }
  },
  { name: "reads of effect", uses: { [SIMULATION]: ["the guard reports nothing of `effect`'s own"] } },
  {
    name: "_abortLoading",
    pattern: /\b_abortLoading\b/,
    uses: { [MAP]: ["asks the layer's own _abortLoading", "loads an image from a data: address"] }
  },
  {
    name: "_removeTile",
    pattern: /\b_removeTile\b/,
    uses: {
      [MAP]: [
        "asks the layer's own _removeTile",
        "loads an image from a data: address",
        "drops a tile with _removeTile of GridLayer"
      ]
    }
  },
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
/** The code of a file, without the lines that are only a comment. */
const codeOf = (path) => read(path).split("\n").filter(isCode).join("\n")

/** The titles of the tests in a file that are run. A test that is skipped, such as `it.skip(…)`, does not count. */
const titlesOf = (code) =>
  Array.from(code.matchAll(/\bit(?:\.each\(\[[^]*?\]\))?\(\s*"(.*?)(?<!\\)"/g), ([, title]) => title)

/** The first cells of the rows of a README's tables of hooks. */
const rowsOf = (readme) =>
  Array.from(readme.matchAll(/^\| hook \|.*\n\|-.*\n((?:\|.*\n)*)/gm), ([, rows]) =>
    rows.split("\n").flatMap((row) => /^\| (.*?) \|/.exec(row)?.[1] ?? [])
  ).flat()

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /^(?:packages|apps)\/[^/]+\/(?:src|testing)\/.*\.m?ts$/.test(path) && existsSync(path))
if (tracked.length < 500) say(`only ${tracked.length} source files were looked at: is this a git checkout?`)

const used = new Set()
for (const path of tracked) {
  for (const [index, line] of read(path).split("\n").entries()) {
    if (!isCode(line)) continue
    for (const { name, pattern, uses = {} } of HOOKS) {
      if (!pattern?.test(line)) continue
      const rooms = Object.keys(uses)
      const room = rooms.find((one) => path.startsWith(one))
      if (room !== undefined) used.add(`${room} ${name}`)
      else {
        const where = rooms.length === 0 ? "nobody may use it" : `it belongs to ${rooms.join(" and ")}`
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

for (const { canaries, readme, room } of ROOMS) {
  const missing = [readme, ...canaries].filter((path) => !existsSync(path))
  for (const path of missing) say(`${room}: ${path} is missing`)
  if (missing.length > 0) continue
  const text = read(readme)
  for (const path of canaries) {
    if (!text.includes(path.split("/").at(-1))) say(`${readme} does not name its canary tests, ${path}`)
  }
  const tests = canaries.map(codeOf)
  const titles = tests.flatMap(titlesOf)
  const rows = rowsOf(text)
  const hooks = HOOKS.filter(({ uses = {} }) => room in uses)
  for (const { name, pattern, uses } of hooks) {
    if (pattern !== undefined && !used.has(`${room} ${name}`))
      say(`${room} does not use ${name} any more: take it off the list in .ci/hooks.mjs`)
    if (!rows.some((row) => row.includes(`\`${name}\``))) say(`${readme} has no row for the hook \`${name}\``)
    for (const words of uses[room]) {
      if (!titles.some((title) => title.includes(words)))
        say(`${canaries.join(" and ")}: no canary test for ${name} has "${words}" in its title`)
    }
    if (pattern !== undefined && !tests.some((test) => pattern.test(test)))
      say(`${canaries.join(" and ")}: no canary test uses ${name}`)
  }
  for (const row of rows) {
    if (!hooks.some(({ name }) => row.includes(`\`${name}\``)))
      say(
        `${readme}: the row "${row}" names no hook of .ci/hooks.mjs: add the hook there, or say that the part is public`
      )
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
