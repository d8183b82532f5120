import { Effect, Option } from "effect"
import { ConfirmationRequired } from "../accounts/confirm.js"
import { ConnectionStore, type WithApp } from "../connection/ConnectionStore.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import type { PauseLength } from "../connection/Pause.js"
import { getConnection } from "../connection/readConnections.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import {
  Conflict,
  type ConnectionId,
  Invalid,
  NotFound,
  OUTDATED_FORM,
  program,
  Timestamp,
  type UserId
} from "../shared/index.js"
import * as Steering from "./Steering.js"

type Decide = (state: WithApp, now: Timestamp.Timestamp) => ReturnType<typeof Steering.resume>

type DecideSharing = (state: WithApp, now: Timestamp.Timestamp) => ReturnType<typeof Steering.change>

/** Runs a decision under the connection's lock and turns its outcome into an error, unless the outcome is `Done`. */
const steered = (id: ConnectionId, decide: Decide) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* ConnectionStore).change(id, decide)
    return yield* orError(Option.getOrElse(outcome, (): Steering.SteeringOutcome => ({ _tag: "NotFound" })))
  })

/**
 * Like `steered`, for a change that may share more than before. Three more outcomes become errors: the change needs a
 * fresh sign-in, the change comes from an outdated form, or there is no exact location to give back.
 */
const steeredSharing = (id: ConnectionId, decide: DecideSharing) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* ConnectionStore).change(id, decide)
    const result = Option.getOrElse(outcome, (): Steering.SharingOutcome => ({ _tag: "NotFound" }))
    if (result._tag === "ConfirmationRequired") return yield* new ConfirmationRequired()
    if (result._tag === "Outdated") return yield* new Conflict({ reason: OUTDATED_FORM })
    if (result._tag === "NothingLost") {
      return yield* new Conflict({ reason: "there is no exact location to give back" })
    }
    return yield* orError(result)
  })

const orError = (outcome: Steering.SteeringOutcome): Effect.Effect<void, NotFound | Conflict | Invalid> => {
  switch (outcome._tag) {
    case "NotFound":
      return new NotFound({ what: "connection" })
    case "Ended":
      return new Conflict({ reason: "the connection has ended" })
    case "Invalid":
      return new Invalid({ problems: [...outcome.problems] })
    case "Done":
      return Effect.void
  }
}

/**
 * Pauses an app. With `atLeast`, a present pause that lasts longer stays as it is. Fails with `NotFound` when the user
 * has no such connection, and with `Conflict` when the connection has ended.
 */
export const pauseConnection = program(
  "pauseConnection",
  function* (userId: UserId, id: ConnectionId, length: PauseLength, atLeast: boolean = false) {
    yield* steered(id, (state, now) => Steering.pause(userId, length, { atLeast }, state, now))
    return yield* getConnection(userId, id)
  }
)

/** Ends the pause of an app. Idempotent. Fails like `pauseConnection`. */
export const resumeConnection = program("resumeConnection", function* (userId: UserId, id: ConnectionId) {
  yield* steered(id, (state, now) => Steering.resume(userId, state, now))
  return yield* getConnection(userId, id)
})

/**
 * Pauses every live connection of the user and returns how many live connections there are. A present pause that lasts
 * longer than `length` stays as it is.
 */
export const pauseAll = program("pauseAll", function* (userId: UserId, length: PauseLength) {
  return yield* steerAll(userId, (state, now) => Steering.pause(userId, length, { atLeast: true }, state, now))
})

/** Ends the pause of every live connection of the user and returns how many live connections there are. */
export const resumeAll = program("resumeAll", function* (userId: UserId) {
  return yield* steerAll(userId, (state, now) => Steering.resume(userId, state, now))
})

/**
 * Changes each live connection in a separate transaction. Returns the number of connections, without those that ended
 * meanwhile.
 */
const steerAll = (userId: UserId, decide: Decide) =>
  Effect.gen(function* () {
    const store = yield* ConnectionStore
    const now = yield* Timestamp.now
    const live = (yield* store.listOfUser(userId)).filter(({ app, connection }) =>
      EffectiveScopes.isLive(connection, app, now)
    )
    const outcomes = yield* Effect.forEach(live, ({ connection }) => store.change(connection.id, decide))
    return outcomes.filter((outcome) => Option.isSome(outcome) && outcome.value._tag === "Done").length
  })

/**
 * Ends the sensitive tier immediately, and the connection if the app then has no scope. Idempotent, unless the first
 * call ended the connection. Fails like `pauseConnection`.
 */
export const endExactLocation = program("endExactLocation", function* (userId: UserId, id: ConnectionId) {
  yield* steered(id, (state, now) => Steering.endExactLocation(userId, state, now))
  return yield* getConnection(userId, id)
})

/**
 * How many entries of the consent history `findLostExactLocation` reads: the last change, and the entry before it,
 * which has the scopes that the last change took away.
 */
const LAST_TWO = 2

/**
 * The scopes that the end of exact location took away and the user can still give back (`Steering.lostExactLocation`);
 * null when there are none.
 */
export const findLostExactLocation = program("findLostExactLocation", function* (userId: UserId, id: ConnectionId) {
  const history = yield* (yield* ConnectionStore).history(userId, id, LAST_TWO)
  return Steering.lostExactLocation(history, yield* Timestamp.now)
})

/**
 * Undoes `endExactLocation`, if it was the last change (decision connection-9). Idempotent. Fails like
 * `changeConnection`, and with `Conflict` when there is nothing to undo and the app does not have exact location.
 */
export const restoreExactLocation = program(
  "restoreExactLocation",
  function* (userId: UserId, id: ConnectionId, session: Steering.AskingSession) {
    const { app } = yield* getConnection(userId, id)
    const lost = yield* findLostExactLocation(userId, id)
    const purposes = yield* (yield* PurposeStore).list(app.id)
    yield* steeredSharing(id, (state, now) =>
      Steering.restoreExactLocation(userId, lost, purposes, session, state, now)
    )
    return yield* getConnection(userId, id)
  }
)

/**
 * Changes permissions and dates of a connection. Its errors:
 * - `NotFound` when the user has no such connection.
 * - `Conflict` when the connection has ended.
 * - `Invalid` on `scopes` for an empty list while the app has scopes, for a scope that the user cannot restore without
 *   a consent page (`EffectiveScopes.agreed`), and for a scope that lacks a purpose and would be restored, or prolonged
 *   by a later end of exact location.
 * - `Invalid` on `sensitive_days` when the field is given although the app would have no exact location, or left out
 *   although an end date must be chosen (`SteeringChange.sensitiveDays`).
 * - `ConfirmationRequired` when the session is not fresh and the change shares exact location without an end (decision
 *   accounts-18).
 * - `Conflict` with `OUTDATED_FORM` when an outdated form would replace the app's scopes (`SteeringChange.shown`).
 */
export const changeConnection = program(
  "changeConnection",
  function* (userId: UserId, id: ConnectionId, request: Steering.SteeringChange, session: Steering.AskingSession) {
    const { app } = yield* getConnection(userId, id)
    const purposes = yield* (yield* PurposeStore).list(app.id)
    yield* steeredSharing(id, (state, now) => Steering.change(userId, request, purposes, session, state, now))
    return yield* getConnection(userId, id)
  }
)
