import { expect, it } from "vitest"
import { shares } from "../../bench/harness/profile.js"

const frames = [
  ["(idle)", ""],
  ["(garbage collector)", ""],
  ["writev", ""],
  ["(program)", ""],
  ["emit", "node:events"],
  ["evaluate", "file:///x/node_modules/effect/dist/esm/fiber.js"],
  ["submit", "file:///x/node_modules/@effect/sql/node_modules/pg/lib/query.js"],
  ["send", "file:///x/packages/adapters-http/src/engine/NodeServer.ts"]
] as const
const nodes = frames.map(([functionName, url], id) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9, columnNumber: id }
}))

it("time is shared out among libraries, our packages, node and V8; idling and the time before do not count", () => {
  const samples = [5, 0, 1, 2, 3, 4, 5, 6, 7]
  // The samples of the first second do not count: here only the first sample, after 0.9 s. Of the eight samples that
  // count, the first is idle time.
  const timeDeltas = [900_000, 5_000_000, 400_000, 300_000, 100_000, 100_000, 500_000, 200_000, 400_000]
  expect(shares({ nodes, samples, timeDeltas }, 1)).toEqual([
    ["effect", 0.25],
    ["garbage collector", 0.2],
    ["packages/adapters-http", 0.2],
    ["writing to sockets", 0.15],
    ["pg", 0.1],
    ["V8 and the system", 0.05],
    ["node", 0.05]
  ])
})

it("what was built into one file counts for where it was written", () => {
  const built = nodes.map(({ callFrame, id }) => ({
    id,
    callFrame: { ...callFrame, url: callFrame.url && "file:///x/bundle/main.js" }
  }))
  const sourceOf = ({ columnNumber }: { readonly columnNumber: number }) => frames[columnNumber]?.[1] ?? ""
  const found = shares({ nodes: built, samples: [6, 7, 7], timeDeltas: [1e6, 1e6, 2e6] }, 0, sourceOf)
  expect(found).toEqual([
    ["packages/adapters-http", 0.75],
    ["pg", 0.25]
  ])
})

it("of less than a second nothing is said", () => {
  expect(shares({ nodes, samples: [5, 0], timeDeltas: [900_000, 5_000_000] }, 0)).toBeUndefined()
})
