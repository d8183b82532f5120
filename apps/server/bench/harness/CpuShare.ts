import { access, mkdir, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Bench } from "./Bench.js"
import type { Running } from "./Program.js"

/**
 * Limits processes to a share of one core, so that several processes fit on a machine with two cores. The kernel does
 * this with a control group for each process: in every period the group runs for its quota, and then it waits.
 */

/**
 * The period of a quota, in microseconds. A process that has used its quota waits until the period ends. The kernel's
 * default is 100 ms; the shorter period makes requests wait less.
 */
const PERIOD_MICROS = 20_000

/** A version of the kernel's control groups: the folder in which groups are made, and the files that set a quota. */
interface Kind {
  readonly root: string
  readonly mark: string
  readonly files: (quotaMicros: number) => Readonly<Record<string, string>>
}

const KINDS: ReadonlyArray<Kind> = [
  {
    root: "/sys/fs/cgroup/cpu",
    mark: "cpu.cfs_quota_us",
    files: (quota) => ({ "cpu.cfs_period_us": String(PERIOD_MICROS), "cpu.cfs_quota_us": String(quota) })
  },
  { root: "/sys/fs/cgroup", mark: "cpu.max", files: (quota) => ({ "cpu.max": `${quota} ${PERIOD_MICROS}` }) }
]

/**
 * Until the benchmark ends, each of the processes gets at most `share` of a core. Fails when this user has no
 * permission to make control groups.
 */
export const limit = async (bench: Bench, processes: ReadonlyArray<Running>, share: number): Promise<void> => {
  for (const { pid } of processes) {
    const { folder, kind } = await group(`place-access-bench-${pid}`)
    bench.defer(async () => {
      await writeFile(join(kind.root, "cgroup.procs"), String(pid)).catch(() => undefined)
      await rmdir(folder)
    })
    for (const [file, text] of Object.entries(kind.files(share * PERIOD_MICROS))) {
      await writeFile(join(folder, file), text)
    }
    await writeFile(join(folder, "cgroup.procs"), String(pid))
  }
}

const group = async (name: string): Promise<{ readonly folder: string; readonly kind: Kind }> => {
  for (const kind of KINDS) {
    const folder = join(kind.root, name)
    try {
      await mkdir(folder)
    } catch {
      continue
    }
    try {
      await access(join(folder, kind.mark))
      return { folder, kind }
    } catch {
      await rmdir(folder)
    }
  }
  throw new Error("This row needs a kernel with control groups of processors, and a user who may make them.")
}
