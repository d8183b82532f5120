import { FastCheck } from "effect"
import { type Arbitrary, CROSSING_M, mostly, one } from "./deeds.js"
import { CROSSINGS, LONG_WAITS, SECOND, WAITS } from "./edges.js"
import { ages, archived, kept, sharedAgain, unknownPurpose, zones } from "./pieces/answers.js"
import { guesses, idle, stolen } from "./pieces/accounts.js"
import {
  aged,
  again,
  code,
  ending,
  expiry,
  lapse,
  purposes,
  race,
  renewed,
  spent,
  strangers,
  volume
} from "./pieces/connections.js"
import { addresses, deaths, outage, replays, retries, secrets, takenBack, withheld } from "./pieces/deliveries.js"
import { imported, importsTakenUp, importsUndone } from "./pieces/imports.js"
import { ahead, ownAddress, redirected, stale, tablet } from "./pieces/limits.js"
import { listened, listenersEnded, listenersLost, manyListeners } from "./pieces/listeners.js"
import {
  backlog as pausedBacklog,
  erased,
  erasedMeanwhile,
  graceOver,
  moved,
  narrowed,
  paused,
  silenced
} from "./pieces/steering.js"
import {
  backlog,
  cooling,
  dwell,
  early,
  edge,
  eleventh,
  first,
  late,
  privacy,
  settling,
  sleeping,
  stays
} from "./pieces/rules.js"
import { person, type Steps, wait } from "./pieces/story.js"
import type { PlanStep } from "./Plan.js"

export { beginning } from "./pieces/story.js"

const { array, constant, record } = FastCheck

export const PIECES = {
  lapse,
  expiry,
  race,
  spent,
  code,
  outage,
  retries,
  withheld,
  takenBack,
  eleventh,
  late,
  edge,
  dwell,
  cooling,
  backlog,
  purposes,
  volume,
  privacy,
  secrets,
  replays,
  deaths,
  ending,
  strangers,
  again,
  renewed,
  aged,
  addresses,
  early,
  first,
  stays
} as const satisfies Record<string, Steps>

/**
 * Stories that only some runs have, in addition to the stories of `PIECES`. A separate stream of random numbers decides
 * which runs have them, so a new story in this list changes only the plans of these runs.
 */
export const NEWER = { zones, ages, sharedAgain, kept, archived, unknownPurpose } as const satisfies Record<
  string,
  Steps
>
/**
 * Stories of sessions and passwords: a stolen cookie, an unused session, guesses of a password. A separate stream of
 * random numbers decides which runs have them, so a new story in this list changes only the plans of these runs.
 */
export const ACCOUNTS = { stolen, idle, guesses } as const satisfies Record<string, Steps>
/**
 * Stories of users who pause, restrict or change connections, or delete history. A separate stream of random numbers
 * decides which runs have them, so a new story in this list changes only the plans of these runs.
 */
export const STEERING = {
  paused,
  pausedBacklog,
  silenced,
  narrowed,
  moved,
  graceOver,
  erased,
  erasedMeanwhile
} as const satisfies Record<string, Steps>
/**
 * Stories of rules that wait before they fire. A separate stream of random numbers decides which runs have them, so a
 * new story in this list changes only the plans of these runs.
 */
export const WAITING = { settling, sleeping } as const satisfies Record<string, Steps>
/**
 * Stories of files that people import. A separate stream of random numbers decides which runs have them, so a new story
 * in this list changes only the plans of these runs.
 */
export const IMPORTS = { imported, importsTakenUp, importsUndone } as const satisfies Record<string, Steps>
/**
 * Stories of developers who listen to their app's events. A separate stream of random numbers decides which runs have
 * them, so a new story in this list changes only the plans of these runs.
 */
export const LISTENING = { listened, listenersEnded, listenersLost, manyListeners } as const satisfies Record<
  string,
  Steps
>
/**
 * Stories at limits that the other stories seldom reach. A separate stream of random numbers decides which runs have
 * them, so a new story in this list changes only the plans of these runs.
 */
export const LIMITS = { ownAddress, stale, ahead, redirected, tablet } as const satisfies Record<string, Steps>
export type Piece =
  | keyof typeof PIECES
  | keyof typeof NEWER
  | keyof typeof ACCOUNTS
  | keyof typeof STEERING
  | keyof typeof WAITING
  | keyof typeof LISTENING
  | keyof typeof LIMITS
  | keyof typeof IMPORTS

/** A wait of virtual time: mostly up to a day, rarely several days. */
export const pause: Steps = mostly(wait(WAITS), wait(LONG_WAITS), 30).map((step): ReadonlyArray<PlanStep> => [step])
export const shortPause: Steps = wait(WAITS).map((step): ReadonlyArray<PlanStep> => [step])
/** Two or three deeds that overlap: each begins at most a second after the deed before. */
export const together = (deed: Arbitrary<PlanStep>): Steps =>
  record({
    do: constant("together" as const),
    apartMs: one([0, 0, 0, 1, SECOND]),
    deeds: array(deed, { minLength: 2, maxLength: 3 })
  }).map((step) => [step as PlanStep])
export const crossing: Steps = record({
  do: constant("walk" as const),
  way: one(["in", "out"]),
  person,
  phone: constant(0),
  place: one([0, 0, 1]),
  metres: CROSSING_M,
  accuracyM: one([10, 10, 50, 60]),
  pauseMs: one(CROSSINGS)
}).map((step): ReadonlyArray<PlanStep> => [step])
