// A pause of a connection. Decisions connection-4 and connection-5.
import { Schema } from "effect"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * The last pause of a connection, which may be over. While it lasts, the app learns nothing about where the user is or
 * was, and no rule of the app is evaluated. It ends at `until` without a worker, because every check compares times.
 */
export interface Pause {
  readonly from: Timestamp
  /** Exclusive; null: until the user resumes. */
  readonly until: Timestamp | null
}

/** How long a user can pause an app for. */
export const PauseLength = Schema.Literal("hour", "day", "until_resumed")
export type PauseLength = typeof PauseLength.Type

const MILLIS: Readonly<Record<PauseLength, number | null>> = { hour: HOUR, day: DAY, until_resumed: null }

/** Whether the connection is paused at `now`. */
export const isOn = (pause: Pause | null, now: Timestamp): boolean =>
  pause !== null && (pause.until === null || now < pause.until)

/** When the last pause ended; null while it lasts, and when there was none. Rules start over at this time. */
export const endedAt = (pause: Pause | null, now: Timestamp): Timestamp | null =>
  pause !== null && !isOn(pause, now) ? pause.until : null

/** Whether a rule's event is withheld: during the pause, and later when it occurred before the pause ended. */
export const silences = (pause: Pause | null, occurredAt: Timestamp, now: Timestamp): boolean => {
  const ended = endedAt(pause, now)
  return isOn(pause, now) || (ended !== null && occurredAt < ended)
}

/** The pause that begins now. A pause that is on already keeps its beginning and gets the new end. */
export const begin = (pause: Pause | null, length: PauseLength, now: Timestamp): Pause => {
  const millis = MILLIS[length]
  return {
    from: pause !== null && isOn(pause, now) ? pause.from : now,
    until: millis === null ? null : plus(now, millis)
  }
}

/** The pause after "Resume"; it does not change when it is over already. */
export const end = (pause: Pause | null, now: Timestamp): Pause | null =>
  pause !== null && isOn(pause, now) ? { ...pause, until: now } : pause

/** Whether `pause` lasts longer than `other`. "Pause all" must not shorten a longer pause. */
export const isLonger = (pause: Pause, other: Pause): boolean =>
  other.until !== null && (pause.until === null || pause.until > other.until)
