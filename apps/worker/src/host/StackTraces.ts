import { Console, Context, DefaultServices } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"
import { formatWithOptions } from "node:util"

/**
 * Stack traces that name the lines which somebody wrote, where they are written out: in the log, and in the last words of a program. Not
 * where they are made: node asks for the trace of every connection that ends with an error, and nobody reads it, but to
 * read the maps for it takes a tenth of a second and 25 MB. For the same reason not `--enable-source-maps`, which reads the map of every file
 * as it is loaded, and keeps it.
 */

/** A trace, or any text with traces in it; what has no map, or no such line in it, stays. */
export const written = (text: string): string =>
  text.includes("file:")
    ? text.replace(POSITION, (found, file, line, column) => position(file, line, column) ?? found)
    : text

/** A path has no colon but that of a drive; so a long text is gone through once, whoever wrote it. */
const POSITION = /(file:\/\/(?:\/[A-Za-z]:)?[^\s:]+):(\d+):(\d+)/g

const position = (file: string, line: string, column: string): string | undefined => {
  const origin = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (origin === undefined || !("originalSource" in origin) || origin.originalSource === undefined) return undefined
  const source = new URL(origin.originalSource, file).href
  return `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`
}

/** Large, and seldom asked for twice: not kept when memory is short. */
const maps = new Map<string, WeakRef<SourceMap> | undefined>()
/** A program has a few files; a text may name any number. */
const MAPS_MAX = 100

const mapOf = (file: string): SourceMap | undefined => {
  const known = maps.get(file)
  const map = known?.deref()
  if (map !== undefined || (known === undefined && maps.has(file))) return map
  const read = readMap(file)
  if (maps.size >= MAPS_MAX) maps.clear()
  maps.set(file, read === undefined ? undefined : new WeakRef(read))
  return read
}

const readMap = (file: string): SourceMap | undefined => {
  try {
    const path = `${fileURLToPath(file)}.map`
    return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : undefined
  } catch {
    // A trace of what was built is better than none.
    return undefined
  }
}

/** For the whole program: a trace never throws when it is made, and an exception that nobody catches names its lines in its last words. */
export const install = (): void => {
  Error.prepareStackTrace = (error, frames) =>
    [titleOf(error), ...frames.map((frame) => `\n    at ${String(frame)}`)].join("")
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    // A frozen one keeps its own.
    if (error instanceof Error && typeof error.stack === "string") Reflect.set(error, "stack", written(error.stack))
  })
}

/** As V8 and node do it, whatever `toString` the error has; a name or a message may be something that throws. */
const titleOf = (error: unknown): string => {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return "Error"
  }
}

const host = globalThis.console

const said = (stream: NodeJS.WriteStream, values: ReadonlyArray<unknown>): string =>
  written(formatWithOptions({ colors: stream.isTTY && stream.hasColors() }, ...values))

/** What loggers write to. */
const mapping: Console.Console = {
  ...Context.get(DefaultServices.liveServices, Console.Console),
  unsafe: {
    ...host,
    log: (...values: ReadonlyArray<unknown>) => host.log(said(process.stdout, values)),
    error: (...values: ReadonlyArray<unknown>) => host.error(said(process.stderr, values))
  }
}

export const layer = Console.setConsole(mapping)
