// Counts of the attempts at an endpoint, for each hour. Decisions figures-1 and figures-3.
import type { AppId, EndpointId } from "../shared/Ids.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"

/** One attempt to send to an endpoint. When a fault of the service prevents the sending, there is no attempt. */
export interface MadeAttempt {
  readonly appId: AppId
  readonly endpointId: EndpointId
  readonly endedAt: Timestamp
  readonly tookMillis: number
  /** Why the attempt failed, as in the delivery log; null after a success. */
  readonly error: string | null
}

/**
 * One count: how many attempts at one endpoint ended in the same hour, with the same outcome, and with a duration
 * between the same two neighbors in `BOUNDS_MILLIS`.
 */
export interface AttemptCount {
  readonly appId: AppId
  readonly endpointId: EndpointId
  readonly hour: Timestamp
  readonly isSuccess: boolean
  /**
   * The attempts took at most this many milliseconds, and longer than the next smaller of the `BOUNDS_MILLIS`. Attempts
   * that took longer than the last bound count under the last bound.
   */
  readonly upToMillis: number
  readonly attempts: number
  /** When the newest of these attempts ended. `error` is the error of that attempt. */
  readonly lastAt: Timestamp
  readonly error: string | null
}

/** How long the counts are kept, in milliseconds: for the seven days that a page shows, and one more day. */
export const ATTEMPTS_KEPT = 8 * DAY

/**
 * The upper bounds, in milliseconds, by which durations are counted. An attempt is cut off after five seconds
 * (`Delivery.ANSWER_DEADLINE`). The last bound is for attempts that took longer, for example because the process was
 * slow.
 */
export const BOUNDS_MILLIS = [
  10, 25, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 10_000
] as const
const LAST_BOUND = BOUNDS_MILLIS[BOUNDS_MILLIS.length - 1] ?? 0

/** The smallest bound that is not below the duration; the last bound for a longer duration. */
export const boundOf = (tookMillis: number): number => BOUNDS_MILLIS.find((bound) => tookMillis <= bound) ?? LAST_BOUND

export interface AttemptSummary {
  readonly attempts: number
  readonly succeeded: number
  /**
   * The 95th percentile: 95 of 100 attempts took at most this many milliseconds. One of `BOUNDS_MILLIS`; null without
   * attempts. The last bound says only that more than 5 of 100 attempts took longer than the bound before it.
   */
  readonly p95Millis: number | null
}

/** Sums up the counts of hours that begin at `from` or later. */
export const summary = (counts: ReadonlyArray<AttemptCount>, from: Timestamp): AttemptSummary => {
  const those = counts.filter(({ hour }) => hour >= from)
  const attempts = total(those)
  return {
    attempts,
    succeeded: total(those.filter(({ isSuccess }) => isSuccess)),
    p95Millis: percentile(those, attempts, 95)
  }
}

const total = (counts: ReadonlyArray<AttemptCount>): number => counts.reduce((sum, { attempts }) => sum + attempts, 0)

const percentile = (counts: ReadonlyArray<AttemptCount>, attempts: number, percent: number): number | null => {
  if (attempts === 0) return null
  const wanted = Math.ceil((attempts * percent) / 100)
  let seen = 0
  for (const bound of BOUNDS_MILLIS) {
    seen += total(counts.filter(({ upToMillis }) => upToMillis === bound))
    if (seen >= wanted) return bound
  }
  return LAST_BOUND
}

/** The health of an endpoint: whether the newest attempt succeeded. */
export type EndpointHealth =
  /** No attempt is known. */
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Healthy"; readonly at: Timestamp }
  /** `succeededAt`: the newest success; null: none is known. */
  | {
      readonly _tag: "Failing"
      readonly at: Timestamp
      readonly error: string | null
      readonly succeededAt: Timestamp | null
    }

export const UNKNOWN: EndpointHealth = { _tag: "Unknown" }

/** The newest success and the newest failure of an endpoint. `error` is the error of that failure. */
export interface NewestAttempts {
  readonly endpointId: EndpointId
  readonly succeededAt: Timestamp | null
  readonly failedAt: Timestamp | null
  readonly error: string | null
}

/** The health of an endpoint. The endpoint is failing when its newest failure is later than its newest success. */
export const health = ({ error, failedAt, succeededAt }: Omit<NewestAttempts, "endpointId">): EndpointHealth => {
  if (failedAt !== null && failedAt > (succeededAt ?? 0)) {
    return { _tag: "Failing", at: failedAt, error, succeededAt }
  }
  return succeededAt === null ? UNKNOWN : { _tag: "Healthy", at: succeededAt }
}
