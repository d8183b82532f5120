import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

/** Where the processor time of a program went, from the profile that V8 wrote (`node --cpu-prof`). */

interface CallFrame {
  readonly functionName: string
  readonly url: string
  /** From 0. */
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Profile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>
  readonly samples: ReadonlyArray<number>
  /** Microseconds since the sample before; of the first, since the start. */
  readonly timeDeltas: ReadonlyArray<number>
}

/** What takes less than this is not worth a word. */
const SHARE_MIN = 0.02
/** Of a program that did nothing nothing can be said. */
const BUSY_SECONDS_MIN = 1

const WRITES = /^(?:writev|write(?:Utf8|Latin1|Ascii)String|writeBuffer)$/

const groupOf = (frame: CallFrame, sourceOf: SourceOf): string => {
  const { functionName, url } = frame
  if (functionName === "(garbage collector)") return "garbage collector"
  if (url === "") return WRITES.test(functionName) ? "writing to sockets" : "V8 and the system"
  if (url.startsWith("node:")) return "node"
  const source = sourceOf(frame)
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? []
  const [, own] = /\/((?:packages|apps)\/[^/]+)\//.exec(source) ?? []
  return library ?? own ?? "other"
}

/** Where a function was written. */
type SourceOf = (frame: CallFrame) => string

/** By the source maps of the files that it is built into. */
const byMaps = (): SourceOf => {
  const maps = new Map<string, SourceMap | undefined>()
  const mapOf = (url: string): SourceMap | undefined => {
    if (maps.has(url)) return maps.get(url)
    const path = url.startsWith("file:") ? `${fileURLToPath(url)}.map` : ""
    const map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : undefined
    maps.set(url, map)
    return map
  }
  return ({ columnNumber, lineNumber, url }) => {
    const origin = mapOf(url)?.findEntry(lineNumber, columnNumber)
    return origin !== undefined && "originalSource" in origin ? new URL(origin.originalSource, url).href : url
  }
}

/** Shares of the time in which it did anything, from `fromSeconds` after its start on; undefined when there was too little of it. */
export const shares = (
  { nodes, samples, timeDeltas }: Profile,
  fromSeconds: number,
  sourceOf: SourceOf = byMaps()
): ReadonlyArray<readonly [group: string, share: number]> | undefined => {
  const groups = new Map(nodes.map(({ callFrame, id }) => [id, groupOf(callFrame, sourceOf)]))
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
