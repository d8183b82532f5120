import { readFileSync } from "node:fs"

/** Where the processor time of a program went, from the profile that V8 wrote (`node --cpu-prof`). */

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }>
  readonly samples: ReadonlyArray<number>
  /** Microseconds since the sample before; of the first, since the start. */
  readonly timeDeltas: ReadonlyArray<number>
}

/** What takes less than this is not worth a word. */
const SHARE_MIN = 0.02
/** Of a program that did nothing nothing can be said. */
const BUSY_SECONDS_MIN = 1

const WRITES = /^(?:writev|write(?:Utf8|Latin1|Ascii)String|writeBuffer)$/

const groupOf = ({ functionName, url }: Profile["nodes"][number]["callFrame"]): string => {
  if (functionName === "(garbage collector)") return "garbage collector"
  if (url === "") return WRITES.test(functionName) ? "writing to sockets" : "V8 and the system"
  if (url.startsWith("node:")) return "node"
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  const [, own] = /\/((?:packages|apps)\/[^/]+)\//.exec(url) ?? []
  return library ?? own ?? "other"
}

/** Shares of the time in which it did anything, from `fromSeconds` after its start on; undefined when there was too little of it. */
export const shares = (
  { nodes, samples, timeDeltas }: Profile,
  fromSeconds: number
): ReadonlyArray<readonly [group: string, share: number]> | undefined => {
  const groups = new Map(nodes.map(({ callFrame, id }) => [id, groupOf(callFrame)]))
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id))
  const micros = new Map<string, number>()
  let [at, busy] = [0, 0]
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0
    at += delta
    if (at < fromSeconds * 1e6 || idle.has(id)) continue
    busy += delta
    const group = groups.get(id) ?? "other"
    micros.set(group, (micros.get(group) ?? 0) + delta)
  }
  if (busy < BUSY_SECONDS_MIN * 1e6) return undefined
  return [...micros].map(([group, time]) => [group, time / busy] as const).sort(([, a], [, b]) => b - a)
}

/** One line for people; undefined when there is nothing to say. */
export const read = (file: string, name: string, fromSeconds: number): string | undefined => {
  const all = shares(JSON.parse(readFileSync(file, "utf8")) as Profile, fromSeconds)
  if (all === undefined) return undefined
  const parts = all
    .filter(([, share]) => share >= SHARE_MIN)
    .map(([group, share]) => `${group} ${Math.round(share * 100)} %`)
  return `Where the ${name}'s processor time went once it was ready: ${parts.join(", ")} (${file})`
}
