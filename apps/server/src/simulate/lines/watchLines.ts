import { Effect, type Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { Session, type Profiler } from "node:inspector"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"
import { Blocks } from "./Blocks.js"

/** Finds out which source lines of the service's programs the runs reach. V8 counts them in this process. */
export interface LineWatch {
  /**
   * The first lines of the functions and branches whose first run was after the last call of this function, as texts
   * such as `line rules/RuleEvaluation.ts:90`.
   */
  readonly fresh: () => ReadonlySet<string>
  /**
   * The lines that never ran and begin a function or a branch, in ascending order, by file. Files of which no line ran
   * are left out.
   */
  readonly missing: () => ReadonlyMap<string, ReadonlyArray<number>>
}

/**
 * The paths of the files that are watched: the programs and decisions of the domain. The code of the simulation is left
 * out, because every run reaches it.
 */
const PROGRAMS = /packages\/domain\/src\/(.+)$/

/** A file that V8 ran: its blocks, and the source line of each offset. */
interface WatchedFile {
  readonly blocks: Blocks
  readonly source: (offset: number) => SourceLine | undefined
}

interface SourceLine {
  readonly file: string
  readonly line: number
}

/**
 * Starts to watch which source lines run. This costs a run only a few milliseconds, because V8 records whether a block
 * ran, and not how often.
 */
export const watchLines: Effect.Effect<LineWatch, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const session = new Session()
    session.connect()
    session.post("Profiler.enable")
    session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: true })
    return session
  }),
  (session) => Effect.sync(() => session.disconnect())
).pipe(Effect.map((session) => watchOf(session)))

const watchOf = (session: Session): LineWatch => {
  const files = new Map<string, WatchedFile | undefined>()
  const fileOf = (url: string): WatchedFile | undefined => {
    if (!files.has(url)) files.set(url, open(url))
    return files.get(url)
  }
  return {
    fresh: () => {
      const found = new Set<string>()
      for (const { functions, url } of take(session)) {
        const file = fileOf(url)
        if (file === undefined) continue
        const own = functions.filter(({ ranges }) => file.source(ranges[0]?.startOffset ?? 0) !== undefined)
        for (const offset of file.blocks.add(own)) {
          const at = file.source(offset)
          if (at !== undefined) found.add(`line ${at.file}:${at.line}`)
        }
      }
      return found
    },
    missing: () => {
      const byFile = new Map<string, Set<number>>()
      for (const file of files.values()) {
        for (const offset of file?.blocks.missing ?? []) {
          const at = file?.source(offset)
          if (at !== undefined) byFile.set(at.file, (byFile.get(at.file) ?? new Set()).add(at.line))
        }
      }
      return new Map(
        [...byFile]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([file, lines]) => [file, [...lines].sort((a, b) => a - b)])
      )
    }
  }
}

/** `post` calls its callback before it returns, because the session is connected to this thread. */
const take = (session: Session): ReadonlyArray<Profiler.ScriptCoverage> => {
  let result: ReadonlyArray<Profiler.ScriptCoverage> = []
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error === null) result = answer.result
  })
  return result
}

/** Opens the file at a URL; undefined for a file that is not of this project or has no source map. */
const open = (url: string): WatchedFile | undefined => {
  if (!url.startsWith("file:") || url.includes("/node_modules/")) return undefined
  const path = fileURLToPath(url)
  if (!existsSync(`${path}.map`)) return undefined
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")))
  const starts = [0]
  const text = readFileSync(path, "utf8")
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  const known = new Map<number, SourceLine | undefined>()
  const lookUp = (offset: number): SourceLine | undefined => {
    let low = 0
    for (let high = starts.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const entry = map.findEntry(low, offset - (starts[low] ?? 0))
    const file = "originalSource" in entry ? PROGRAMS.exec(entry.originalSource)?.[1] : undefined
    return file === undefined || !("originalLine" in entry) ? undefined : { file, line: entry.originalLine + 1 }
  }
  const source = (offset: number): SourceLine | undefined => {
    if (!known.has(offset)) known.set(offset, lookUp(offset))
    return known.get(offset)
  }
  return { blocks: new Blocks(), source }
}
