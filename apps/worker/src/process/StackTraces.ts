import { Console, Context, DefaultServices } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"
import { formatWithOptions } from "node:util"

/**
 * Translates the positions in stack traces from built files to source files, when a trace is written to the log, or as
 * the last output of a program. A translation when the error is made would cost too much: Node makes a trace for every
 * connection that ends with an error, and nobody reads these traces. Reading the source maps takes a tenth of a
 * second and 25 MB. `--enable-source-maps` is off for the same reason: it reads and keeps the map of every file.
 */

/**
 * Translates the positions in a stack trace, or in a text that contains stack traces. A position stays as it is when
 * its file has no source map, or when the map does not contain the position.
 */
export const written = (text: string): string =>
  text.includes("file:")
    ? text.replace(POSITION, (found, file, line, column) => position(file, line, column) ?? found)
    : text

/**
 * A position in a file. The path must have no colon except after a drive letter, so that the search stays fast in any
 * long text, even in one that a client wrote to slow it down.
 */
const POSITION = /(file:\/\/(?:\/[A-Za-z]:)?[^\s:]+):(\d+):(\d+)/g

const position = (file: string, line: string, column: string): string | undefined => {
  const origin = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (origin === undefined || !("originalSource" in origin) || origin.originalSource === undefined) return undefined
  const source = new URL(origin.originalSource, file).href
  return `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`
}

/** Source maps are large and rarely needed twice, so the garbage collector may remove them. */
const maps = new Map<string, WeakRef<SourceMap> | undefined>()
/**
 * The most files in the cache. The program's own traces name few files. But the log may also contain a text of a client
 * that looks like a trace and names any number of files. Without this limit such texts could fill the memory.
 */
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
    // When the source map cannot be read, the stack trace stays untranslated, which is better than no stack trace.
    return undefined
  }
}

/**
 * Installs two hooks for the whole process: making a trace never throws, and the trace of an uncaught exception is
 * printed with the positions in the source files.
 */
export const install = (): void => {
  Error.prepareStackTrace = (error, frames) =>
    [titleOf(error), ...frames.map((frame) => `\n    at ${String(frame)}`)].join("")
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    // The stack of a frozen error cannot be set, so its trace stays untranslated.
    if (error instanceof Error && typeof error.stack === "string") Reflect.set(error, "stack", written(error.stack))
  })
}

/**
 * The first line of a trace, as V8 and Node write it: without a call of the error's own `toString`. Reading the error's
 * name or message may throw.
 */
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

/** The console to which the loggers write. It translates the positions in stack traces. */
const mapping: Console.Console = {
  ...Context.get(DefaultServices.liveServices, Console.Console),
  unsafe: {
    ...host,
    log: (...values: ReadonlyArray<unknown>) => host.log(said(process.stdout, values)),
    error: (...values: ReadonlyArray<unknown>) => host.error(said(process.stderr, values))
  }
}

export const layer = Console.setConsole(mapping)
