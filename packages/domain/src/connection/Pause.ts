// A pause of a connection. Decisions connection-4 and connection-5.
import { Schema } from "effect"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * The last pause of a connection, which may be over. During the pause, the app learns nothing about where the user is
 * or was, and the service evaluates no rule of the app. No worker ends the pause at `until`: every check compares
 * `until` with the present time.
 */
export interface Pause {
  readonly from: Timestamp
  /** When the pause is over. Null: the pause lasts until the user resumes the app. */
  readonly until: Timestamp | null
}

/** The lengths of a pause that a user can choose. */
export const PauseLength = Schema.Literal("hour", "day", "until_resumed")
export type PauseLength = typeof PauseLength.Type

const MILLIS: Readonly<Record<PauseLength, number | null>> = { hour: HOUR, day: DAY, until_resumed: null }

/** Whether the connection is paused at `now`. */
export const isOn = (pause: Pause | null, now: Timestamp): boolean =>
  pause !== null && (pause.until === null || now < pause.until)

/**
 * When the last pause ended; null during a pause, and when there was no pause. Rules start over at this time: the first
 * fix after this time that is clearly inside or outside the circle of a rule sets the state of the rule and fires
 * nothing.
 */
export const endedAt = (pause: Pause | null, now: Timestamp): Timestamp | null =>
  pause !== null && !isOn(pause, now) ? pause.until : null

/**
 * Whether a rule's event must not be sent at `now`: every event during the pause, and after the pause every event that
 * occurred before the pause ended.
 */
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

/** The pause after the user has resumed the app at `now`. A pause that is over already does not change. */
export const end = (pause: Pause | null, now: Timestamp): Pause | null =>
  pause !== null && isOn(pause, now) ? { ...pause, until: now } : pause

/** Whether `pause` lasts longer than `other`. The button "Pause all" must not shorten a longer pause. */
export const isLonger = (pause: Pause, other: Pause): boolean =>
  other.until !== null && (pause.until === null || pause.until > other.until)
