import { readFileSync } from "node:fs"

/** Reads the kernel's figures about a process and its children. */

/** Linux counts processor time in hundredths of a second, on every machine that Node supports. */
const MICROS_PER_TICK = 10_000

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const children = (pid: number): ReadonlyArray<number> =>
  (read(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number)

/**
 * The processor time in microseconds that the process and its children have used, in user and in system mode. Children
 * that have ended count, too.
 */
export const cpuMicros = (pid: number): number => {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return 0
  // The second field of /proc/<pid>/stat is a name in parentheses, which may contain spaces, so the fields are counted
  // from the last parenthesis. Fields 14 to 17 are utime, stime, cutime and cstime.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const own = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * MICROS_PER_TICK
  return children(pid).reduce((sum, child) => sum + cpuMicros(child), own)
}

/** The highest resident memory of the process, without its children, in MB. */
export const peakMB = (pid: number): number | null => {
  const kB = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1]
  return kB === undefined ? null : Number(kB) / 1024
}
