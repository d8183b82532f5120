import { Effect, Hash } from "effect"

/**
 * Functions of the host that a program of the domain must not call, because these functions return other values in a
 * repeated run.
 */
interface Host {
  Date: DateConstructor
  Math: Math
  crypto?: Record<string, (...args: ReadonlyArray<unknown>) => unknown>
  performance?: Record<string, (...args: ReadonlyArray<unknown>) => unknown>
  setTimeout?: Function
  setInterval?: Function
  setImmediate?: Function
}

/** A run used the host's clock, randomness or timers. The message names the function of the host and its caller. */
export class HostRead extends Error {
  override readonly name = "HostRead"
}

interface Site {
  readonly getFileName: () => string | null | undefined
  readonly getLineNumber: () => number | null
  readonly getColumnNumber: () => number | null
  readonly getFunctionName: () => string | null
}

interface WithTrace {
  stackTraceLimit?: number | undefined
  prepareStackTrace?: unknown
  captureStackTrace?: (into: object, above: Function) => void
}

/**
 * The files of libraries. A library may read the host for its own use, for example for the start time of a fiber,
 * because no program sees the value.
 */
const LIBRARY = /node_modules|^node:/
/**
 * Files of `effect` that return a value of the host to their caller. When one of these files reads the host, the guard
 * reports the caller of the file.
 */
const HANDS_ON = /effect\/(?:dist\/[a-z]+|src)\/(?:internal\/)?(?:dateTime|DateTime|clock|Clock|Cron|Utils)\.[jt]s/

type Prepare = (error: Error, sites: ReadonlyArray<Site>) => unknown

/**
 * True while `callers` takes a stack trace. `looking` then returns the frames without formatting, because formatting is
 * slow.
 */
let isLooking = false

const looking =
  (usual: unknown): Prepare =>
  (error, sites) =>
    isLooking
      ? sites
      : typeof usual === "function"
        ? (usual as Prepare)(error, sites)
        : [`${error.name}: ${error.message}`, ...sites.map((site) => `    at ${String(site)}`)].join("\n")

/**
 * The stack frames that called `ours`, nearest first, without the guard's own frames up to `ours`. A later check of the
 * file name could not recognise the guard's frames, because in a bundle all frames have the same file name.
 */
const callers = (ours: Function, depth: number): ReadonlyArray<Site> => {
  const errors = Error as unknown as WithTrace
  const { stackTraceLimit } = errors
  const seen: { readonly stack?: unknown } = {}
  errors.stackTraceLimit = depth
  isLooking = true
  errors.captureStackTrace?.(seen, ours)
  const { stack } = seen
  isLooking = false
  errors.stackTraceLimit = stackTraceLimit
  return Array.isArray(stack) ? stack : []
}

const fileOf = (site: Site): string => site.getFileName() ?? ""
const positionOf = (site: Site): string => `${fileOf(site)}:${site.getLineNumber() ?? 0}:${site.getColumnNumber() ?? 0}`
const show = (site: Site): string =>
  `${site.getFunctionName() ?? ""} ${fileOf(site)}:${site.getLineNumber() ?? 0}`.trim()

/**
 * The positions in the code at which `effect` reads the host for its own use. In a bundle, all code is in one file, so
 * only the position shows whether `effect` or a program reads the host.
 */
const known = new Set<string>()
/** True while `learn` fills `known`. */
let isLearning = false

/**
 * Makes the library `effect` do everything for which it reads the host during a run: a fiber begins, ends or waits
 * without end, and an object gets a hash. `note` stores the positions of these reads in `known`.
 */
const learn = (): void => {
  isLearning = true
  try {
    Effect.runSync(Effect.raceFirst(Effect.never, Effect.yieldNow()))
    Hash.random({})
  } finally {
    isLearning = false
  }
}

/**
 * The place in the code that the guard reports as the reader of the host; undefined when a library reads the host for
 * its own use.
 */
const culprit = (ours: Function): string | undefined => {
  const [first] = callers(ours, 1)
  if (first === undefined) return undefined
  const isLibrary = LIBRARY.test(fileOf(first))
  // Most reads of the host come from libraries. So the check of the file comes first, and often makes the second check
  // needless: the check of the position, which V8 takes long to compute.
  if (isLibrary && !HANDS_ON.test(fileOf(first))) return undefined
  if (known.has(positionOf(first))) return undefined
  if (isLibrary) {
    return show(callers(ours, FAR).find((site) => !LIBRARY.test(fileOf(site))) ?? first)
  }
  // In a bundle, the nearest stack frame may belong to a library that only returns the host's value to its caller,
  // because all code is in one file. So the message also lists the callers of this frame.
  const isBundle = [...known].some((position) => position.startsWith(`${fileOf(first)}:`))
  return isBundle ? callers(ours, NEAR).map(show).join(" < ") : show(first)
}

const NEAR = 4
const FAR = 40

export interface Guard {
  /** Throws when the run has read the host. */
  readonly check: () => void
  /** Ends this watch. When the last watch ends, the host gets its own functions back. */
  readonly release: () => void
  /**
   * Runs steps of the run, and records each read of the host. Work outside this function, such as a database query, may
   * read the host.
   */
  readonly inside: <A>(work: () => A) => A
}

interface Watcher {
  readonly reads: Array<string>
}

/**
 * The runs that are watched. Several runs over databases may be in progress at the same time, and their steps
 * alternate. `awake` is the run whose step is being executed.
 */
const watching = new Set<Watcher>()
let awake: Watcher | undefined
/** Gives the host its own functions back. The guard calls this function when the last watched run has ended. */
let restore: () => void = () => undefined

/**
 * Records a read of the host for the run whose step is being executed. `ours` is the replacement function that was
 * called.
 */
const note = (what: string, ours: Function): void => {
  if (isLearning) for (const site of callers(ours, 1)) known.add(positionOf(site))
  if (awake === undefined) return
  const who = culprit(ours)
  if (who !== undefined) awake.reads.push(`${what} ${who}`)
}

/** Watches the host's clock, randomness and timers until `release` is called. */
export const watch = (): Guard => {
  const watcher: Watcher = { reads: [] }
  if (watching.size === 0) restore = replaceAll()
  if (known.size === 0) learn()
  watching.add(watcher)
  return {
    check: () => {
      const [first, ...more] = [...new Set(watcher.reads)]
      if (first === undefined) return
      throw new HostRead(`The run read the host: ${[first, ...more.slice(0, 4)].join("; ")}`)
    },
    inside: (work) => {
      const before = awake
      awake = watcher
      try {
        return work()
      } finally {
        awake = before
      }
    },
    release: () => {
      if (watching.delete(watcher) && watching.size === 0) restore()
    }
  }
}

/**
 * Replaces the host's functions by functions that report each call. Returns a function that gives the host its own
 * functions back.
 */
const replaceAll = (): (() => void) => {
  // oxlint-disable-next-line no-restricted-globals -- the guard replaces global functions to report their callers
  const host = globalThis as unknown as Host
  const errors = Error as unknown as WithTrace
  const usual = errors.prepareStackTrace
  errors.prepareStackTrace = looking(usual)
  const undo: Array<() => void> = []
  const replace = <T extends object>(owner: T | undefined, name: keyof T & string, by: (was: never) => unknown) => {
    const was = owner?.[name]
    if (owner === undefined || typeof was !== "function") return
    const descriptor = Object.getOwnPropertyDescriptor(owner, name)
    Object.defineProperty(owner, name, { configurable: true, writable: true, value: by(was as never) })
    undo.push(() => {
      if (descriptor === undefined) Reflect.deleteProperty(owner, name)
      else Object.defineProperty(owner, name, descriptor)
    })
  }
  const noted = (what: string) => (was: (...args: ReadonlyArray<unknown>) => unknown) =>
    function ours(this: unknown, ...args: ReadonlyArray<unknown>): unknown {
      note(what, ours)
      return Reflect.apply(was, this, args)
    }

  replace(host, "Date", (was: DateConstructor) => watchedDate(was))
  replace(host.Math, "random", noted("Math.random"))
  replace(host.performance, "now", noted("performance.now"))
  replace(host.crypto, "randomUUID", noted("crypto.randomUUID"))
  replace(host.crypto, "getRandomValues", noted("crypto.getRandomValues"))
  replace(host, "setTimeout", noted("setTimeout"))
  replace(host, "setImmediate", noted("setImmediate"))
  replace(host, "setInterval", (was: (...args: ReadonlyArray<unknown>) => unknown) => {
    const ours = (...args: ReadonlyArray<unknown>): unknown => {
      // For a fiber that waits without end, `effect` sets an interval on the host. The guard does not pass this call
      // on, because a killed fiber would never clear the interval.
      const isNever = awake !== undefined && callers(ours, 1).some((site) => known.has(positionOf(site)))
      if (isNever) return undefined
      note("setInterval", ours)
      return was(...args)
    }
    return ours
  })
  return () => {
    for (const restore of undo.toReversed()) restore()
    errors.prepareStackTrace = usual
  }
}

/**
 * Returns a `Date` that reports reads of the clock. This `Date` is a function and not a proxy: when `effect` compares
 * two values, it tests whether they are dates, and with a proxy each test would be slow.
 */
const watchedDate = (was: DateConstructor): DateConstructor => {
  const watched = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    if (new.target === undefined) {
      note("Date()", watched)
      return was()
    }
    if (args.length === 0) note("new Date()", watched)
    return Reflect.construct(was, args, (new.target as Function) === watched ? was : new.target)
  }
  const now = () => {
    note("Date.now", now)
    return was.now()
  }
  Object.defineProperties(watched, {
    ...Object.getOwnPropertyDescriptors(was),
    now: { configurable: true, writable: true, value: now }
  })
  return watched as unknown as DateConstructor
}
