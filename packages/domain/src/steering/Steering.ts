// How the user changes a connection without an app's request. Decisions connection-4, connection-6 and connection-8.
import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import type { ConnectionDecision, WithApp, Write } from "../connection/ConnectionStore.js"
import * as ConsentEntry from "../connection/ConsentEntry.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Ending from "../connection/Ending.js"
import * as Pause from "../connection/Pause.js"
import * as Purpose from "../purposes/Purpose.js"
import { isOutdatedForm, Problem, Scope, type ShownState, type UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as SensitiveNotice from "../tiers/SensitiveNotice.js"
import * as Tier from "../tiers/Tier.js"
import * as SteeringNotice from "./SteeringNotice.js"

/** A change of a connection by its user. A field that is left out stays as it is. */
export interface SteeringChange {
  /**
   * The scopes that the app has after the change. The user must have agreed to each of them in this connection, and the
   * app must still declare it (`EffectiveScopes.agreed`).
   */
  readonly scopes?: ReadonlyArray<Scope.Scope> | undefined
  /** Scopes to take away that were granted, but that the app may not use now (`EffectiveScopes.limited`). */
  readonly withoutLimited?: ReadonlyArray<Scope.Scope>
  /** The standard tier ends this many days from now. */
  readonly standardDays?: Tier.StandardDays | undefined
  /**
   * The sensitive tier ends this many days from now. Left out: when the change begins a new tier, the tier ends after
   * 30 days; otherwise the end date stays while a sensitive scope is granted. When the tier has ended and the change
   * gives a sensitive scope back, this field must not be left out.
   */
  readonly sensitiveDays?: Tier.SensitiveDays | undefined
  /**
   * The scopes that the form showed as granted. The outcome is `Outdated` when the app now has other scopes than the
   * form showed, and the change would replace the app's present scopes (decision connection-10).
   */
  readonly shown: ShownState<ReadonlyArray<Scope.Scope>>
}

/** The session with which the user requests a change. */
export interface AskingSession {
  /** Whether the session was opened or confirmed in the last 15 minutes (decision accounts-17). */
  readonly isFresh: boolean
}

export type SteeringOutcome =
  | { readonly _tag: "Done" }
  | { readonly _tag: "NotFound" }
  /** The connection ended before the request. */
  | { readonly _tag: "Ended" }
  | { readonly _tag: "Invalid"; readonly problems: readonly [Problem, ...ReadonlyArray<Problem>] }

/** The outcome of a change that may share more than before. */
export type SharingOutcome =
  | SteeringOutcome
  /** The change shares exact location without an end, and the session is not fresh (decision accounts-18). */
  | { readonly _tag: "ConfirmationRequired" }
  /** The app's scopes changed after the form was opened (decision connection-10). */
  | { readonly _tag: "Outdated" }
  /**
   * There is no exact location to give back: the last change is not the end of exact location, or the end date of the
   * scopes has passed (decision connection-9).
   */
  | { readonly _tag: "NothingLost" }

type Decision = ConnectionDecision<SteeringOutcome>
type SharingDecision = ConnectionDecision<SharingOutcome>

const only = <O extends SharingOutcome>(outcome: O, writes: ReadonlyArray<Write> = []): ConnectionDecision<O> => ({
  outcome,
  writes
})
const DONE: SteeringOutcome = { _tag: "Done" }

const NO_PURPOSE = new Problem({
  field: "scopes",
  message: "cannot include what needs a purpose: the app has none for it now"
})

/**
 * Calls `decide` for a live connection of the user. The outcome is `NotFound` for another user's connection, and
 * `Ended` for a connection that has ended.
 */
const unlessLive = <O extends SharingOutcome>(
  userId: UserId,
  { app, connection }: WithApp,
  now: Timestamp,
  decide: (connection: Connection) => ConnectionDecision<O>
): ConnectionDecision<O | SteeringOutcome> => {
  if (connection.userId !== userId) return only({ _tag: "NotFound" })
  return EffectiveScopes.isLive(connection, app, now)
    ? decide(connection)
    : only({ _tag: "Ended" }, Ending.ifOver(connection, app, now))
}

/**
 * Pauses the app. With `atLeast`, a present pause that lasts longer than the new pause stays as it is: the button
 * "Pause all" must not shorten a pause.
 */
export const pause = (
  userId: UserId,
  length: Pause.PauseLength,
  { atLeast = false }: { readonly atLeast?: boolean },
  state: WithApp,
  now: Timestamp
): Decision =>
  unlessLive(userId, state, now, (connection) => {
    const wanted = Pause.begin(connection.pause, length, now)
    const present = Pause.isOn(connection.pause, now) ? connection.pause : null
    if (present !== null && atLeast && !Pause.isLonger(wanted, present)) return only(DONE)
    return only(DONE, setPause("paused", connection, wanted, now))
  })

/** Ends the pause now. Nothing changes when the app is not paused. */
export const resume = (userId: UserId, state: WithApp, now: Timestamp): Decision =>
  unlessLive(userId, state, now, (connection) =>
    Pause.isOn(connection.pause, now)
      ? only(DONE, setPause("resumed", connection, Pause.end(connection.pause, now), now))
      : only(DONE)
  )

const setPause = (
  change: "paused" | "resumed",
  connection: Connection,
  next: Pause.Pause | null,
  now: Timestamp
): ReadonlyArray<Write> => [
  { _tag: "SetPause", pause: next },
  { _tag: "Record", entry: ConsentEntry.of(change, { ...connection, pause: next }, now) }
]

/**
 * Takes every sensitive scope away immediately, also in the grace period. If the connection then has no scope that the
 * app declares, the connection ends. The button "Stop sharing" on the renewal page has the same effect. Nothing changes
 * when no sensitive scope is granted.
 */
export const endExactLocation = (userId: UserId, state: WithApp, now: Timestamp): Decision =>
  unlessLive(userId, state, now, (connection) => {
    // `granted` leaves out scopes whose grace period has ended. Only the sweep removes those scopes, because it also
    // notifies the app.
    if (!EffectiveScopes.granted(connection, now).some(Scope.isSensitive)) return only(DONE)
    const heldScopes = connection.heldScopes.filter((scope) => !Scope.isSensitive(scope))
    const after = { ...connection, heldScopes, sensitiveExpiresAt: null }
    if (EffectiveScopes.hasOnlyExactLocation(connection, state.app, now)) {
      const mail = SteeringNotice.exactLocationEnded(state.app, connection, true, now)
      return only(DONE, [...Ending.end(connection, "user_disconnected", now), { _tag: "Mail", message: mail }])
    }
    return only(DONE, [
      { _tag: "SetScopes", heldScopes, sensitiveExpiresAt: null },
      { _tag: "LookAt", at: SensitiveNotice.nextLook(after, now) },
      { _tag: "Record", entry: ConsentEntry.of("exact_location_ended", after, now) },
      { _tag: "Mail", message: SteeringNotice.exactLocationEnded(state.app, connection, false, now) }
    ])
  })

/**
 * The sensitive scopes that the end of exact location took away, and the end date that they had. The user ended exact
 * location with `endExactLocation` (a button or the API), or with "Stop sharing" on a renewal page.
 */
export interface LostExactLocation {
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly until: Timestamp
  /** The agreement right after exact location ended. */
  readonly agreementAfter: ConsentEntry.Agreement
}

/**
 * The scopes that the user can give back after the end of exact location. Null when the newest change is not the end of
 * exact location, when no older entry has the scopes, and when the old end date has passed. The first argument has the
 * two newest entries of the consent history, newest first.
 */
export const lostExactLocation = (
  [newest, before]: ReadonlyArray<ConsentEntry.ConsentEntry>,
  now: Timestamp
): LostExactLocation | null => {
  if (newest?.change !== "exact_location_ended" || before === undefined) return null
  const { scopes, sensitiveExpiresAt: until } = before.agreement
  if (until === null || until <= now) return null
  return { scopes: scopes.filter(Scope.isSensitive), until, agreementAfter: newest.agreement }
}

const haveSameIds = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((id) => other.includes(id))

/** Whether two agreements are the same. `earlierVisits` is not compared when the entry of `one` does not record it. */
const isSame = (one: ConsentEntry.Agreement, other: ConsentEntry.Agreement): boolean =>
  Scope.same(one.scopes, other.scopes) &&
  haveSameIds(one.places, other.places) &&
  (one.earlierVisits === null || haveSameIds(one.earlierVisits, other.earlierVisits ?? [])) &&
  one.standardExpiresAt === other.standardExpiresAt &&
  one.sensitiveExpiresAt === other.sensitiveExpiresAt &&
  one.pause?.from === other.pause?.from &&
  one.pause?.until === other.pause?.until

/**
 * Undoes the end of exact location: the app gets the same scopes until the same date, except scopes that the app may
 * not have now. When the app has exact location already, nothing changes, so that a second press of the button does no
 * harm. `lost` was read before the connection was locked. After a change since then, there is nothing to undo.
 */
export const restoreExactLocation = (
  userId: UserId,
  lost: LostExactLocation | null,
  purposes: ReadonlyArray<Purpose.Purpose>,
  session: AskingSession,
  state: WithApp,
  now: Timestamp
): SharingDecision =>
  unlessLive(userId, state, now, (connection): SharingDecision => {
    if (Tier.sensitiveState(connection, now) === "active") return only(DONE)
    const { agreement } = ConsentEntry.of("exact_location_ended", connection, now)
    if (lost === null || !isSame(lost.agreementAfter, agreement)) return only({ _tag: "NothingLost" })
    const allowed = Scope.intersect(
      EffectiveScopes.agreed(connection, state.app, now),
      Purpose.coveredScopes(purposes, state.app.status)
    )
    const regained = Scope.intersect(lost.scopes, allowed)
    if (regained.length === 0) return only({ _tag: "Invalid", problems: [NO_PURPOSE] })
    const scopes = Scope.normalise([...connection.heldScopes, ...regained])
    const after: Connection = { ...connection, heldScopes: scopes, sensitiveExpiresAt: lost.until }
    return agreedAnew(state.app, connection, after, session, now)
  })

/**
 * Changes permissions and dates; tokens, rules and places stay. Afterwards the app can use the same scopes as after a
 * new consent with the same answers. `purposes` are all purposes of the app.
 */
export const change = (
  userId: UserId,
  request: SteeringChange,
  purposes: ReadonlyArray<Purpose.Purpose>,
  session: AskingSession,
  state: WithApp,
  now: Timestamp
): SharingDecision =>
  unlessLive(userId, state, now, (connection): SharingDecision => {
    if (isOutdated(request, EffectiveScopes.held(connection, state.app, now))) return only({ _tag: "Outdated" })
    const scopes = scopesAfter(request, connection, state.app, now)
    const rescoped = { ...connection, heldScopes: scopes }
    const [first, ...rest] = problemsOf(request, rescoped, connection, state.app, purposes, now)
    if (first !== undefined) return only({ _tag: "Invalid", problems: [first, ...rest] })
    const after: Connection = {
      ...connection,
      heldScopes: scopes,
      standardExpiresAt:
        request.standardDays === undefined
          ? connection.standardExpiresAt
          : Tier.standardExpiry(request.standardDays, now),
      sensitiveExpiresAt: sensitiveEndAfter(request, scopes, connection, now)
    }
    return agreedAnew(state.app, connection, after, session, now)
  })

/**
 * Whether the form showed other scopes than the app has now, and the change would give the app other scopes than it has
 * now.
 */
const isOutdated = ({ scopes, shown }: SteeringChange, present: ReadonlyArray<Scope.Scope>): boolean =>
  isOutdatedForm((list) => Scope.same(Scope.normalise(list), present), shown, scopes)

/**
 * Changes the connection from `before` to `after`. Writes nothing when the two have the same scopes and dates. Fails
 * with `ConfirmationRequired` when the session is not fresh and the change needs a fresh session (`sharesWithoutEnd`).
 */
const agreedAnew = (
  app: App,
  before: Connection,
  after: Connection,
  { isFresh }: AskingSession,
  now: Timestamp
): SharingDecision => {
  if (!isFresh && sharesWithoutEnd(before, after, now)) return only({ _tag: "ConfirmationRequired" })
  return only(DONE, writesFor(app, before, after, now))
}

const writesFor = (app: App, before: Connection, after: Connection, now: Timestamp): ReadonlyArray<Write> => {
  const hasOtherScopes = !Scope.same(Scope.normalise(before.heldScopes), Scope.normalise(after.heldScopes))
  const hasOtherDates =
    after.standardExpiresAt !== before.standardExpiresAt || after.sensitiveExpiresAt !== before.sensitiveExpiresAt
  if (!hasOtherScopes && !hasOtherDates) return []
  const seen = withoutRemoved(after, now)
  return [
    { _tag: "SetScopes", heldScopes: after.heldScopes, sensitiveExpiresAt: after.sensitiveExpiresAt },
    { _tag: "SetEnd", standardExpiresAt: after.standardExpiresAt },
    {
      _tag: "LookAt",
      at: SensitiveNotice.nextLook(after, now),
      // A notice about an unchanged end date may be due and not sent yet. If a later time replaced the stored time of
      // the next sweep, no sweep would send that notice.
      ...(after.sensitiveExpiresAt === before.sensitiveExpiresAt ? { keepsEarlier: true } : {})
    },
    { _tag: "Record", entry: ConsentEntry.of(hasOtherScopes ? "permissions_changed" : "end_changed", seen, now) },
    { _tag: "Mail", message: SteeringNotice.changed(app, seen, now) }
  ]
}

const isRemoved = (connection: Connection, now: Timestamp): boolean =>
  Tier.sensitiveState(connection, now) === "removed"

/**
 * The connection in the form in which the user sees it: without scopes whose grace period has ended, even when no sweep
 * has removed these scopes yet.
 */
const withoutRemoved = (connection: Connection, now: Timestamp): Connection =>
  isRemoved(connection, now)
    ? { ...connection, heldScopes: EffectiveScopes.granted(connection, now), sensitiveExpiresAt: null }
    : connection

/**
 * The granted scopes after the change. The choice (`scopes`) cannot name scopes that the app may not have now: these
 * stay granted, unless the user takes them away. Scopes whose grace period has ended stay until the sweep, which also
 * tells the app. One exception, as in a renewal (decision consent-3): a new end of exact location removes sensitive
 * scopes that the app may not have now, because the new end would prolong these scopes too.
 */
const scopesAfter = (
  { scopes, sensitiveDays, withoutLimited = [] }: SteeringChange,
  connection: Connection,
  app: App,
  now: Timestamp
): ReadonlyArray<Scope.Scope> => {
  const seen = EffectiveScopes.agreed(connection, app, now)
  const taken = Scope.intersect(withoutLimited, EffectiveScopes.limited(connection, app, now))
  const unseen = connection.heldScopes.filter((scope) => !seen.includes(scope) && !taken.includes(scope))
  const drops = sensitiveDays !== undefined && !isRemoved(connection, now)
  const kept = drops ? unseen.filter((scope) => !Scope.isSensitive(scope)) : unseen
  return Scope.normalise([...kept, ...(scopes ?? Scope.intersect(connection.heldScopes, seen))])
}

const problemsOf = (
  request: SteeringChange,
  after: Connection,
  connection: Connection,
  app: App,
  purposes: ReadonlyArray<Purpose.Purpose>,
  now: Timestamp
): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const problem = (field: string, message: string): void => {
    problems.push(new Problem({ field, message }))
  }
  const agreed = EffectiveScopes.agreed(connection, app, now)
  const chosen = request.scopes ?? []
  const covered: ReadonlyArray<Scope.Scope> = Purpose.coveredScopes(purposes, app.status)
  const regained = chosen.filter((scope) => !connection.heldScopes.includes(scope))
  const exactAfter = EffectiveScopes.held(after, app, now).filter(Scope.isSensitive)
  // A later end renews every sensitive scope, and a renewal needs a purpose for each of them (decision tokens-3).
  const end = sensitiveEndAfter(request, after.heldScopes, connection, now)
  const renewed = (end ?? now) > (connection.sensitiveExpiresAt ?? now) ? exactAfter : []
  // When the app has no scope now, the form has no ticked box, but the user can still send it to change an end date.
  const losesAll = after.heldScopes.length === 0 && connection.heldScopes.length > 0
  if (request.scopes?.length === 0 && (losesAll || EffectiveScopes.held(connection, app, now).length > 0))
    problem("scopes", "choose at least one, or disconnect the app")
  if (chosen.some((scope) => !agreed.includes(scope))) {
    problem("scopes", "must be among those that you agreed to before; the app must ask for others")
  } else if ([...regained, ...renewed].some((scope) => Scope.isSensitive(scope) && !covered.includes(scope))) {
    problems.push(NO_PURPOSE)
  }
  if (request.sensitiveDays !== undefined && exactAfter.length === 0) {
    problem("sensitive_days", "must be left out while the app has no exact location")
  }
  // If the user chose no end date, the restored scope would keep the end date that has passed, and allow nothing.
  const hasEnded = Tier.sensitiveState(connection, now) === "lapsed"
  if (hasEnded && request.sensitiveDays === undefined && regained.some(Scope.isSensitive)) {
    problem("sensitive_days", "must be chosen: exact location has ended")
  }
  return problems
}

/**
 * The end date of the sensitive tier after the change: one date for all sensitive scopes (Spec §4.2). When the user
 * gives back a first sensitive scope, a new tier begins.
 */
const sensitiveEndAfter = (
  { sensitiveDays }: SteeringChange,
  scopes: ReadonlyArray<Scope.Scope>,
  connection: Connection,
  now: Timestamp
): Timestamp | null => {
  const { sensitiveExpiresAt } = connection
  if (isRemoved(connection, now)) return sensitiveExpiresAt
  if (!scopes.some(Scope.isSensitive)) return null
  if (sensitiveDays !== undefined) return Tier.sensitiveExpiry(sensitiveDays, now)
  return sensitiveExpiresAt ?? Tier.sensitiveExpiry(Tier.DEFAULT_DAYS, now)
}

/**
 * Whether the change shares more exact location without an end date than before: the user takes the connection's end
 * date away, or gives exact location back. Such changes need a fresh sign-in (decision accounts-18).
 *
 * Granted scopes count even if the app does not declare them now, because they have an effect as soon as the app
 * declares them. `before` must be read under the connection's lock. Otherwise two parallel changes, of which one takes
 * the end date away and the other gives exact location back, would each look harmless.
 */
const sharesWithoutEnd = (before: Connection, after: Connection, now: Timestamp): boolean => {
  const exactBefore = EffectiveScopes.granted(before, now).filter(Scope.isSensitive)
  const exactAfter = EffectiveScopes.granted(after, now).filter(Scope.isSensitive)
  const isWider = before.standardExpiresAt !== null || exactAfter.some((scope) => !exactBefore.includes(scope))
  return after.standardExpiresAt === null && isWider && exactAfter.length > 0
}
