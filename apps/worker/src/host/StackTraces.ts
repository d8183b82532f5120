import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

/**
 * Stack traces that name the lines which somebody wrote. `--enable-source-maps` would read the map of every file as it is loaded, and
 * keep it; these are read when the first trace is asked for.
 */
export const install = (): void => {
  Error.prepareStackTrace = (error, frames) =>
    [titleOf(error), ...frames.map((frame) => `\n    at ${written(frame)}`)].join("")
}

/** As V8 and node do it, whatever `toString` the error has; a name or a message may be something that throws. */
const titleOf = (error: unknown): string => {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return "Error"
  }
}

const written = (frame: NodeJS.CallSite): string => {
  const text = String(frame)
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  if (file === null || file === undefined || !file.startsWith("file:") || line === null || column === null) return text
  const origin = mapOf(file)?.findEntry(line - 1, column - 1)
  if (origin === undefined || !("originalSource" in origin) || origin.originalSource === undefined) return text
  const source = new URL(origin.originalSource, file).href
  const position = `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`
  return text.replace(`${file}:${line}:${column}`, () => position)
}

/** Large, and seldom asked for twice: not kept when memory is short. */
const maps = new Map<string, WeakRef<SourceMap> | undefined>()

const mapOf = (file: string): SourceMap | undefined => {
  const known = maps.get(file)
  const map = known?.deref()
  if (map !== undefined || (known === undefined && maps.has(file))) return map
  const read = readMap(`${fileURLToPath(file)}.map`)
  maps.set(file, read === undefined ? undefined : new WeakRef(read))
  return read
}

const readMap = (path: string): SourceMap | undefined => {
  try {
    return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : undefined
  } catch {
    // A trace of what was built is better than none.
    return undefined
  }
}
