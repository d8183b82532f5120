// The lines in which first attempts wait for their endpoints while there is a backlog. A first attempt is the first
// attempt of a delivery.
import type { EndpointId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"

/**
 * When no attempt has begun at an endpoint for this time, in milliseconds, the endpoint is slow, and no further attempt
 * may join the line there.
 */
const STUCK = Timestamp.make(200)

/**
 * For each first attempt that this worker may have in flight at an endpoint, this number of attempts may wait in line
 * for the endpoint.
 */
const LINE_FACTOR = 3
/**
 * The length of one endpoint's line is at most this fraction of `enough`. A worker with a backlog reads further events
 * soon only while at most `enough` attempts wait in all lines together. Without this limit, one slow endpoint could
 * slow down the reading of events for all other endpoints.
 */
const LINE_PART = 1 / 4

/**
 * The first attempts that this worker makes or will make at one endpoint, each the first attempt of its delivery. Some
 * are in flight, others may wait in line. `A`: what the caller keeps for an attempt that waits.
 */
export interface WaitingLine<A> {
  /** How many fibers make attempts at the endpoint, at least one. Each fiber makes one attempt after the other. */
  fibers: number
  /** When the last attempt at the endpoint began. */
  movedAt: Timestamp.Timestamp
  readonly waiting: Array<A>
}

export interface AttemptLines<A> {
  /** Undefined while no first attempt is in flight at the endpoint. */
  readonly find: (id: EndpointId) => WaitingLine<A> | undefined
  /** Counts one more fiber at the endpoint. */
  readonly addFiber: (id: EndpointId, now: Timestamp.Timestamp) => WaitingLine<A>
  /** Counts one fiber less, and forgets the line after its last fiber. */
  readonly removeFiber: (id: EndpointId, line: WaitingLine<A>) => void
  readonly join: (line: WaitingLine<A>, attempt: A) => void
  /** Removes up to `most` attempts from the line and returns them, the first one first. */
  readonly takeFromLine: (line: WaitingLine<A>, most: number) => ReadonlyArray<A>
  /**
   * Whether one more attempt may wait in the line. `share` is the maximum number of first attempts that this worker may
   * have in flight at the line's endpoint.
   */
  readonly mayJoin: (line: WaitingLine<A>, share: number, now: Timestamp.Timestamp) => boolean
  /** The lines at endpoints where no attempt has begun for longer than `STUCK`. */
  readonly stuck: (now: Timestamp.Timestamp) => ReadonlyArray<WaitingLine<A>>
  readonly forgetWaiting: () => void
  /** Whether at most `enough` attempts wait in all lines together. */
  readonly hasFewInLine: () => boolean
}

/** `onEnough` runs when the number of waiting attempts falls to `enough`. */
export const make = <A>(enough: number, onEnough: () => void): AttemptLines<A> => {
  const lines = new Map<EndpointId, WaitingLine<A>>()
  let inLine = 0
  const takeFromLine = ({ waiting }: WaitingLine<A>, most: number): ReadonlyArray<A> => {
    const first = waiting.splice(0, most)
    const before = inLine
    inLine -= first.length
    if (before > enough && inLine <= enough) onEnough()
    return first
  }
  return {
    find: (id) => lines.get(id),
    addFiber: (id, now) => {
      const line = lines.get(id) ?? { fibers: 0, movedAt: now, waiting: [] }
      line.fibers++
      lines.set(id, line)
      return line
    },
    removeFiber: (id, line) => {
      line.fibers--
      if (line.fibers === 0) lines.delete(id)
    },
    join: (line, attempt) => {
      inLine++
      line.waiting.push(attempt)
    },
    takeFromLine,
    mayJoin: (line, share, now) =>
      !isStuck(line, now) && line.waiting.length < Math.min(LINE_FACTOR * share, Math.floor(LINE_PART * enough)),
    stuck: (now) => [...lines.values()].filter((line) => isStuck(line, now)),
    forgetWaiting: () => {
      for (const line of lines.values()) takeFromLine(line, Infinity)
    },
    hasFewInLine: () => inLine <= enough
  }
}

const isStuck = ({ movedAt }: { readonly movedAt: Timestamp.Timestamp }, now: Timestamp.Timestamp): boolean =>
  Math.abs(now - movedAt) > STUCK
