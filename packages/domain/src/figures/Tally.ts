// Holds a process's counts of app calls and webhook attempts from one write to the next. Decision figures-1.
import type { AppId } from "../shared/Ids.js"
import { HOUR, make as timestamp, SECOND, type Timestamp } from "../shared/Timestamp.js"
import { add, type LoggedCall, type AppCounts, type AppHour, countsOf, hourOf, NOTHING } from "./AppFigures.js"
import { type AttemptCount, boundOf, type MadeAttempt } from "./EndpointFigures.js"

/** The rows that one write stores. */
export interface FiguresBatch {
  readonly hours: ReadonlyArray<AppHour>
  readonly calls: ReadonlyArray<LoggedCall>
  readonly attempts: ReadonlyArray<AttemptCount>
}

/**
 * The recorder, to which programs report their calls, firings and attempts. Every function returns immediately and
 * never fails, because figures for developers must neither slow a request down nor refuse it.
 */
export interface FiguresRecorder {
  /**
   * Records a call. `ratePercent` is the share of the rate limit that the call's connection has used; null when no rate
   * limit applies to the call.
   */
  readonly called: (call: LoggedCall, ratePercent: number | null) => void
  /** Records that a rule fired at `at`. */
  readonly fired: (appId: AppId, at: Timestamp) => void
  /** Records an attempt that has ended. */
  readonly attempted: (attempt: MadeAttempt) => void
}

export interface Tally extends FiguresRecorder {
  /** Returns the counts since the last call of `take`, and removes them. Undefined: nothing was reported. */
  readonly take: () => FiguresBatch | undefined
}

/** The interval, in milliseconds, at which a process stores its counts. */
export const WRITTEN_EVERY = SECOND

/**
 * The maximum number of calls of one app that enter the request log between two writes. Further calls are only counted.
 */
export const LISTED_OF_APP = 50
/**
 * After this many listed calls of one app between two writes, the log lists only calls whose answer has an error code,
 * up to `LISTED_OF_APP`. Developers look for errors, so the last places are for calls with an error code.
 */
export const LISTED_ANSWERS = 30
/** The maximum number of calls of all apps that enter the request log between two writes. */
export const LISTED = 2_000
/**
 * The maximum number of rows of `hours`, and of rows of `attempts`, between two writes. When the maximum is reached,
 * counts that need a further row are dropped, so that memory stays limited.
 */
export const ROWS = 5_000
/** The maximum number of characters of an error text that is stored. */
const ERROR_MAX = 200

/** An empty tally. */
export const make = (): Tally => {
  let hours = new Map<string, AppHour>()
  let listed = new Map<AppId, number>()
  let calls: Array<LoggedCall> = []
  let attempts = new Map<string, AttemptCount>()

  const count = (appId: AppId, at: Timestamp, counts: AppCounts) => {
    const hour = hourOf(at)
    const key = `${appId} ${hour / HOUR}`
    const before = hours.get(key)
    if (before === undefined && hours.size >= ROWS) return
    hours.set(key, { appId, hour, ...add(before ?? NOTHING, counts) })
  }

  const isListed = ({ appId, error }: LoggedCall): boolean => {
    const own = listed.get(appId) ?? 0
    if (calls.length >= LISTED || own >= (error === null ? LISTED_ANSWERS : LISTED_OF_APP)) return false
    listed.set(appId, own + 1)
    return true
  }

  return {
    called: (call, ratePercent) => {
      const counts = countsOf(call, ratePercent)
      const isInLog = isListed(call)
      if (isInLog) calls.push(call)
      count(call.appId, call.at, isInLog ? counts : { ...counts, unlisted: 1 })
    },
    fired: (appId, at) => count(appId, at, { ...NOTHING, firings: 1 }),
    attempted: ({ appId, endedAt, endpointId, error, tookMillis }) => {
      const [hour, upToMillis, isSuccess] = [hourOf(endedAt), boundOf(tookMillis), error === null]
      const key = `${appId} ${endpointId} ${hour / HOUR} ${isSuccess} ${upToMillis}`
      const before = attempts.get(key)
      if (before === undefined && attempts.size >= ROWS) return
      const isNewest = before === undefined || endedAt >= before.lastAt
      attempts.set(key, {
        appId,
        endpointId,
        hour,
        isSuccess,
        upToMillis,
        attempts: (before?.attempts ?? 0) + 1,
        lastAt: timestamp(Math.max(endedAt, before?.lastAt ?? 0)),
        error: isNewest ? (error?.slice(0, ERROR_MAX) ?? null) : before.error
      })
    },
    take: () => {
      if (hours.size === 0 && attempts.size === 0) return undefined
      const batch = { hours: [...hours.values()], calls, attempts: [...attempts.values()] }
      hours = new Map()
      listed = new Map()
      calls = []
      attempts = new Map()
      return batch
    }
  }
}
