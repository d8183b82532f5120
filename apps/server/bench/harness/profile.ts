import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

/** Reads a CPU profile that V8 wrote about a program (`node --cpu-prof`). */

interface CallFrame {
  readonly functionName: string
  readonly url: string
  /** Line numbers count from 0. */
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Profile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>
  readonly samples: ReadonlyArray<number>
  /** Microseconds since the previous sample; for the first sample, since the start. */
  readonly timeDeltas: ReadonlyArray<number>
}

/** The report leaves out groups of functions whose share of the busy time is smaller than this. */
const SHARE_MIN = 0.02
/** The report leaves out programs that were busy for a shorter time than this, in seconds. */
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

type SourceOf = (frame: CallFrame) => string

/** Looks functions up in the source maps of the built files. */
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

/**
 * The share of each group of functions in the busy time, counted from `fromSeconds` after the start; undefined when the
 * program was busy for less than `BUSY_SECONDS_MIN`.
 */
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

/** The profile as one line of text; undefined when there is nothing to report. */
export const read = (file: string, name: string, fromSeconds: number): string | undefined => {
  const all = shares(JSON.parse(readFileSync(file, "utf8")) as Profile, fromSeconds)
  if (all === undefined) return undefined
  const parts = all
    .filter(([, share]) => share >= SHARE_MIN)
    .map(([group, share]) => `${group} ${Math.round(share * 100)} %`)
  return `Where the ${name}'s processor time went once it was ready: ${parts.join(", ")} (${file})`
}
