import { Effect, Option } from "effect"
import { OPERATOR } from "../../../src/audit/AuditEvent.js"
import { ConnectionStore, type WithApp } from "../../../src/connection/ConnectionStore.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as AccountChange from "../../../src/staff/AccountChange.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import { TierStore } from "../../../src/sweeps/TierStore.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Samples from "./connectionSamples.js"

/** The ports that the cases about suspended accounts need. */
export type SuspensionPorts = Samples.ConnectionSamplePorts | StaffStore

/** Suspends an account. Returns an effect that ends the suspension. */
export const suspend = (id: UserId) =>
  Effect.gen(function* () {
    const staff = yield* StaffStore
    const changed = (step: AccountChange.AccountStep) =>
      Effect.map(staff.change(id, step), (found) => Check.isTrue(Option.isSome(found), "the account is there"))
    yield* changed(AccountChange.suspend(OPERATOR))
    return changed(AccountChange.resume(OPERATOR))
  })

const isSuspended = (found: Option.Option<WithApp>): boolean =>
  Option.getOrElse(found, () => Check.fail("the connection is there")).isSuspended === true

/**
 * Suspends four accounts, one after the other: the connection's person, the holder of the connection's app, another
 * person and the holder of another app. The function `readings` calls each method that returns a `WithApp`, perhaps
 * several times, and returns the field `isSuspended` of each answer. The field must be true only during the first two
 * suspensions.
 */
const followsSuspensions = <R>(
  readings: (made: {
    readonly connection: Effect.Effect.Success<ReturnType<typeof Samples.connected>>["connection"]
    readonly issued: Effect.Effect.Success<ReturnType<typeof Samples.issue>>
  }) => Effect.Effect<ReadonlyArray<boolean>, unknown, R>
) =>
  Effect.gen(function* () {
    const { app, connection, user } = yield* Samples.connected()
    const issued = yield* Samples.issue(connection, 2)
    const other = yield* Samples.pair
    const read = readings({ connection, issued })
    const never = (yield* read).map(() => false)
    Check.equal(yield* read, never, "before any suspension")
    for (const [who, id, expected] of [
      ["the person", user.id, true],
      ["the app's developer", app.ownerId, true],
      ["another person", other.user.id, false],
      ["another developer", other.app.ownerId, false]
    ] as const) {
      const resume = yield* suspend(id)
      Check.equal(
        yield* read,
        never.map(() => expected),
        `while ${who} is suspended`
      )
      yield* resume
      Check.equal(yield* read, never, `after the suspension of ${who}`)
    }
  })

/**
 * What every `TokenStore` must guarantee: each answer says whether an account is suspended at that time
 * (`WithApp.isSuspended`).
 */
export const suspendedTokens: Contract<SuspensionPorts> = [
  {
    name: "findByAccessToken, change: say that the account of the person or of the app's developer is suspended [staff-1]",
    run: followsSuspensions(({ connection, issued: { access, chain } }) =>
      Effect.gen(function* () {
        const store = yield* TokenStore
        const found = yield* store.findByAccessToken(connection.id, access.hash)
        const presented = [{}, { access: access.hash }, ...chain.map(({ hash }) => ({ refresh: hash }))]
        const locked = yield* Effect.forEach(presented, (tokens) =>
          store.change(connection.id, tokens, (state) => ({ outcome: state, writes: [] }))
        )
        return [found, ...locked].map(isSuspended)
      })
    )
  }
]

/** What every `ConnectionStore` must guarantee: each answer says whether an account is suspended at that time. */
export const suspendedConnections: Contract<SuspensionPorts> = [
  {
    name: "change, findOfUser, findOfApp, listOfUser: say that the account of the person or of the app's developer is suspended [staff-1]",
    run: followsSuspensions(({ connection: { appId, id, userId } }) =>
      Effect.gen(function* () {
        const store = yield* ConnectionStore
        const [listed] = yield* store.listOfUser(userId)
        return [
          yield* store.change(id, (state) => ({ outcome: state, writes: [] })),
          yield* store.findOfUser(userId, id),
          yield* store.findOfApp(appId, id),
          Option.fromNullable(listed)
        ].map(isSuspended)
      })
    )
  }
]

/** What every `TierStore` must guarantee: a sweep learns whether an account is suspended at that time. */
export const suspendedTiers: Contract<SuspensionPorts | TierStore> = [
  {
    name: "sweep: says that the account of the person or of the app's developer is suspended [staff-1]",
    run: followsSuspensions(({ connection: { id, userId } }) =>
      Effect.gen(function* () {
        yield* Samples.change(id, { _tag: "LookAt", at: yield* Timestamp.now })
        const swept = yield* (yield* TierStore).sweep({ id, userId }, (state) => ({
          outcome: state,
          writes: [{ _tag: "LookAt", at: null }],
          notices: []
        }))
        return [isSuspended(swept)]
      })
    )
  }
]
