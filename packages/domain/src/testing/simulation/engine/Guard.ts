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
  readonly getFunctionName: () => string | null
}

interface WithTrace {
  stackTraceLimit?: number | undefined
  prepareStackTrace?: unknown
}

/** Libraries have uses of their own for the host, such as when a fibre began, which no program sees. */
const LIBRARY = /node_modules|^node:/
/** These of `effect` hand it on to whoever called them. */
const HANDS_ON =
  /effect\/(?:dist\/[a-z]+|src)\/(?:internal\/)?(?:dateTime|DateTime|clock|Clock|Cron|random|Random)\.[jt]s/
const NEVER = /effect\/(?:dist\/[a-z]+|src)\/internal\/core\.[jt]s/
const OWN = /simulation\/engine\/(?:Guard|Engine)\.[jt]s/

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

/** Who called, the nearest first, without ourselves. */
const callers = (depth?: number): ReadonlyArray<Site> => {
  const errors = Error as unknown as WithTrace
  const { stackTraceLimit } = errors
  if (depth !== undefined) errors.stackTraceLimit = depth
  isLooking = true
  const { stack } = new Error("read")
  isLooking = false
  if (depth !== undefined) errors.stackTraceLimit = stackTraceLimit
  return Array.isArray(stack) ? stack.filter((site: Site) => !OWN.test(fileOf(site))) : []
}

const fileOf = (site: Site): string => site.getFileName() ?? ""
const show = (site: Site): string =>
  `${site.getFunctionName() ?? ""} ${fileOf(site)}:${site.getLineNumber() ?? 0}`.trim()

/** Whoever asked; undefined for a library that asks for itself. */
const culprit = (): string | undefined => {
  const [first] = callers(NEAR)
  if (first === undefined) return undefined
  if (!LIBRARY.test(fileOf(first))) return show(first)
  if (!HANDS_ON.test(fileOf(first))) return undefined
  return show(callers(FAR).find((site) => !LIBRARY.test(fileOf(site))) ?? first)
}

/** Our own frames and the first that is not: each fibre that begins or ends reads the time, and each frame costs. */
const NEAR = 6
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

const note = (what: string): void => {
  const who = awake === undefined ? undefined : culprit()
  if (who !== undefined) awake?.reads.push(`${what} ${who}`)
}

/** Watches the host's clock, randomness and timers until it is released. */
export const watch = (): Guard => {
  const watcher: Watcher = { reads: [] }
  if (watching.size === 0) restore = replaceAll()
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
    function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
      note(what)
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
    const watched = noted("setInterval")(was)
    // A fibre that waits for ever keeps an interval; one that is killed would never give it back.
    return (...args: ReadonlyArray<unknown>) => (awake !== undefined && isEffectNever() ? undefined : watched(...args))
  })
  return () => {
    for (const restore of undo.toReversed()) restore()
    errors.prepareStackTrace = usual
  }
}

const isEffectNever = (): boolean => {
  const [first] = callers(NEAR)
  return first !== undefined && NEVER.test(fileOf(first))
}

/** No proxy: `effect` asks of whatever it compares whether it is a date. */
const watchedDate = (was: DateConstructor): DateConstructor => {
  const watched = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    if (new.target === undefined) {
      note("Date()")
      return was()
    }
    if (args.length === 0) note("new Date()")
    return Reflect.construct(was, args, (new.target as Function) === watched ? was : new.target)
  }
  const now = () => {
    note("Date.now")
    return was.now()
  }
  Object.defineProperties(watched, {
    ...Object.getOwnPropertyDescriptors(was),
    now: { configurable: true, writable: true, value: now }
  })
  return watched as unknown as DateConstructor
}
