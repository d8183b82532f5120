// Checks the rules for rooms. .ci/fences.mjs calls this script with the modules that it has read. A room is a folder
// right below a package's src (and below packages/domain/testing). It has the code about one noun.
import { readFileSync } from "node:fs"
import { dirname, relative } from "node:path"

/**
 * The most files at the top of a src. A newcomer reads these files first, so they must show what the package is about.
 */
const TOP_FILES_MAX = 12
/** The most files of a room, and of each folder in a room. A folder with more files is probably about two nouns. */
const ROOM_FILES_MAX = 20
/** The most lines of a file. A longer file is probably about two things, and nobody reads it in one go. */
const FILE_LINES_MAX = 400
/** Files that may be longer, each with the reason. */
const LONG_ON_PURPOSE = {
  "packages/domain/testing/simulation/oracles/support/Knowledge.ts":
    "one pass over a trace: each method changes the same maps, and a part of them alone says nothing"
}
/** Folders without a limit: every change of the schema adds a file and none is ever removed. */
const GROWS_FOREVER = ["packages/adapters-pg/src/schema/migrations"]
/** Whether a module is an index. An index only exports what its own room has, so its imports do not count. */
const isIndex = (path) => path.endsWith("/index.ts")

const rootOf = (path) => /^((?:packages|apps)\/[^/]+\/src|packages\/domain\/testing)\//.exec(path)?.[1]

/**
 * The room of a file, such as `packages/domain/src/rules`; undefined for files at the top of a src and for files that
 * are in no src.
 */
const roomOf = (path) => {
  const root = rootOf(path)
  if (root === undefined) return undefined
  const [first, ...rest] = relative(root, path).split("/")
  return rest.length === 0 ? undefined : `${root}/${first}`
}

/** Returns the problems, one text each. `modules` are the modules as dependency-cruiser lists them. */
export const problemsOfRooms = (modules, sources) => [
  ...crowded(sources),
  ...long(sources),
  ...circles(arrowsOf(modules))
]

const long = (sources) => [
  ...sources.flatMap((path) => {
    const lines = rootOf(path) === undefined ? 0 : readFileSync(path, "utf8").split("\n").length - 1
    const isAllowed = lines <= FILE_LINES_MAX || path in LONG_ON_PURPOSE
    return isAllowed ? [] : [`${path}: ${lines} lines, at most ${FILE_LINES_MAX}: split it by thought`]
  }),
  ...Object.keys(LONG_ON_PURPOSE)
    .filter((path) => !sources.includes(path))
    .map((path) => `${path}: allowed to be long, and does not exist`)
]

const crowded = (sources) => {
  const counts = new Map()
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].flatMap(([folder, count]) => {
    if (GROWS_FOREVER.includes(folder)) return []
    if (rootOf(`${folder}/x`) === folder) {
      return count > TOP_FILES_MAX
        ? [`${folder}: ${count} files at the top, at most ${TOP_FILES_MAX}: give them rooms`]
        : []
    }
    return count > ROOM_FILES_MAX ? [`${folder}: ${count} files, at most ${ROOM_FILES_MAX}: it holds two nouns`] : []
  })
}

/** For each room a map: the rooms that it imports, each with one import as an example. */
const arrowsOf = (modules) => {
  const arrows = new Map()
  for (const { dependencies, source } of modules) {
    const from = roomOf(source)
    if (from === undefined || isIndex(source)) continue
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved)
      if (to === undefined || to === from || rootOf(resolved) !== rootOf(source)) continue
      const known = arrows.get(from) ?? new Map()
      if (!known.has(to)) known.set(to, `${source} → ${resolved}`)
      arrows.set(from, known)
    }
  }
  return arrows
}

/** The circles of imports between rooms: for each room the shortest way back to itself. Each circle is listed once. */
const circles = (arrows) => {
  const found = new Map()
  for (const room of arrows.keys()) {
    const way = wayBack(arrows, room)
    if (way === undefined) continue
    const name = [...way].sort().join(" ")
    if (!found.has(name)) found.set(name, way)
  }
  return [...found.values()].map((way) => {
    const steps = way.map((room, index) => `    ${arrows.get(room).get(way[(index + 1) % way.length])}`)
    return `rooms that need each other are one room, or need a third:\n${steps.join("\n")}`
  })
}

const wayBack = (arrows, room) => {
  const queue = [[room]]
  const seen = new Set()
  for (const way of queue) {
    for (const next of arrows.get(way.at(-1))?.keys() ?? []) {
      if (next === room) return way
      if (seen.has(next)) continue
      seen.add(next)
      queue.push([...way, next])
    }
  }
  return undefined
}
