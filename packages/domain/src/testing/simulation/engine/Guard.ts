import { Effect, Hash } from "effect"

/** What a program of the domain may not ask the host for, because a replay would get another answer. */
interface Host {
  Date: DateConstructor
  Math: Math
  crypto?: Record<string, (...args: ReadonlyArray<unknown>) => unknown>
  performance?: Record<string, (...args: ReadonlyArray<unknown>) => unknown>
  setTimeout?: Function
  setInterval?: Function
  setImmediate?: Function
}

/** A run read the host's clock, randomness or timers. Names what, and who. */
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

/** Libraries have uses of their own for the host, such as when a fibre began, which no program sees. */
const LIBRARY = /node_modules|^node:/
/** These of `effect` hand it on to whoever called them. */
const HANDS_ON =
  /effect\/(?:dist\/[a-z]+|src)\/(?:internal\/)?(?:dateTime|DateTime|clock|Clock|Cron|random|Random)\.[jt]s/

type Prepare = (error: Error, sites: ReadonlyArray<Site>) => unknown

/** Set while we look who called: the frames as the engine knows them, because looking names up takes long. */
let isLooking = false

const looking =
  (usual: unknown): Prepare =>
  (error, sites) =>
    isLooking
      ? sites
      : typeof usual === "function"
        ? (usual as Prepare)(error, sites)
        : [`${error.name}: ${error.message}`, ...sites.map((site) => `    at ${String(site)}`)].join("\n")

/** Who called `ours`, the nearest first. Our own frames are left out by the function: in a bundle every frame has one file name. */
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

/** Where `effect` reads the host for itself. A bundle has these reads and those of programs in one file. */
const known = new Set<string>()
/** Set while `effect` shows us these places. */
let isLearning = false

/** Has `effect` read the host as it does in a run: when a fibre begins, ends or waits for ever, and for the hash of an object. */
const learn = (): void => {
  isLearning = true
  try {
    Effect.runSync(Effect.raceFirst(Effect.never, Effect.yieldNow()))
    Hash.random({})
  } finally {
    isLearning = false
  }
}

/** Whoever asked; undefined for a library that asks for itself. */
const culprit = (ours: Function): string | undefined => {
  const [first] = callers(ours, 1)
  if (first === undefined || known.has(positionOf(first))) return undefined
  if (LIBRARY.test(fileOf(first))) {
    if (!HANDS_ON.test(fileOf(first))) return undefined
    return show(callers(ours, FAR).find((site) => !LIBRARY.test(fileOf(site))) ?? first)
  }
  // In a bundle the first may be a library that hands the read on: whoever called it stands behind it.
  const isBundle = [...known].some((position) => position.startsWith(`${fileOf(first)}:`))
  return isBundle ? callers(ours, NEAR).map(show).join(" < ") : show(first)
}

const NEAR = 4
const FAR = 40

export interface Guard {
  /** Throws when there was a read. */
  readonly check: () => void
  /** Gives the host back what it had. */
  readonly release: () => void
  /** The run's own steps. What the host does for it in between, such as asking a database, may read what it likes. */
  readonly inside: <A>(work: () => A) => A
}

interface Watcher {
  readonly reads: Array<string>
}

/** Several runs over databases may be under way at once, each in its turn: those that are, and whose turn it is. */
const watching = new Set<Watcher>()
let awake: Watcher | undefined
/** Gives the host back what it had before the first of them came. */
let restore: () => void = () => undefined

/** `ours`: the function that stands in the place of what was read. */
const note = (what: string, ours: Function): void => {
  if (isLearning) for (const site of callers(ours, 1)) known.add(positionOf(site))
  if (awake === undefined) return
  const who = culprit(ours)
  if (who !== undefined) awake.reads.push(`${what} ${who}`)
}

/** Watches the host's clock, randomness and timers until it is released. */
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

/** Puts what tells us in the place of what the host has. Gives what takes it back. */
const replaceAll = (): (() => void) => {
  // oxlint-disable-next-line no-restricted-globals -- to see who else reads it
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
      // A fibre that waits for ever keeps an interval; one that is killed would never give it back.
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

/** No proxy: `effect` asks of whatever it compares whether it is a date. */
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
