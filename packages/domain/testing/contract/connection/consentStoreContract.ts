import { type ApprovalState, ConsentStore } from "../../../src/consent/ConsentStore.js"
import { Effect, Exit, Option, TestClock } from "effect"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import type { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConsentRequestId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as AuthorizationCode from "../../../src/tokens/AuthorizationCode.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "./connectionSamples.js"

/**
 * What every `ConsentStore` must guarantee about consent requests, and about decisions that make or change connections.
 */
export const consentStoreContract: Contract<Samples.ConnectionSamplePorts | PlaceStore> = [
  {
    name: "findRequest: what was created, and none for an unknown id",
    run: Effect.gen(function* () {
      const { app } = yield* Samples.pair
      const full = yield* Samples.request(app)
      const bare = yield* Samples.request(app, { externalUserId: null, answersIssuer: false })
      Check.equal(yield* (yield* ConsentStore).findRequest(full.id), Option.some(full), "with everything")
      Check.equal(yield* (yield* ConsentStore).findRequest(bare.id), Option.some(bare), "without what is optional")
      const unknown = ConsentRequestId.make(yield* Entropy.id("crq"))
      Check.equal(yield* (yield* ConsentStore).findRequest(unknown), Option.none(), "unknown")
    })
  },
  {
    name: "decideRequest: none for an unknown request, and nothing is asked",
    run: Effect.gen(function* () {
      const { user } = yield* Samples.pair
      const id = ConsentRequestId.make(yield* Entropy.id("crq"))
      const outcome = yield* (yield* ConsentStore).decideRequest(id, user.id, () =>
        Check.fail("decide was called for a request that does not exist")
      )
      Check.equal(outcome, Option.none(), "none")
    })
  },
  {
    name: "decideRequest: sees request, app and places, archived ones too, and neither connection nor sub before the first approval",
    run: Effect.gen(function* () {
      const { app, user } = yield* Samples.pair
      const ownPlaces = yield* Samples.onePlaceArchived(user.id)
      const request = yield* Samples.request(app)
      yield* TestClock.adjust("90 seconds")
      const now = yield* Timestamp.now
      const seen = yield* (yield* ConsentStore).decideRequest(request.id, user.id, (state, at) => ({
        outcome: { ...state, at },
        decided: null,
        approval: null
      }))
      Check.equal(
        Option.map(seen, Samples.byPlace),
        Option.some({
          request,
          app,
          existing: Option.none(),
          sub: Option.none(),
          ownPlaces,
          placesVersion: 0,
          usableCodes: [],
          at: now
        }),
        "state"
      )
    })
  },
  {
    name: "decideRequest: deciding nothing leaves the request open and makes nothing",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      const look = (yield* ConsentStore).decideRequest(request.id, user.id, (state) => ({
        outcome: state,
        decided: null,
        approval: null
      }))
      const first = yield* look
      Check.equal(yield* look, first, "the second look sees what the first saw")
      Check.equal(yield* store.listOfUser(user.id), [], "no connection")
    })
  },
  {
    name: "decideRequest: a denial is kept, makes no connection and no sub",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      const decided = { by: user.id, outcome: "denied" } as const
      yield* (yield* ConsentStore).decideRequest(request.id, user.id, () => ({
        outcome: undefined,
        decided,
        approval: null
      }))
      Check.equal(yield* (yield* ConsentStore).findRequest(request.id), Option.some({ ...request, decided }), "kept")
      Check.equal(yield* store.findLive(user.id, app.id), Option.none(), "no connection")
      const { state } = yield* Samples.approve(yield* Samples.request(app), yield* Samples.connection(user, app))
      Check.equal(state.sub, Option.none(), "no sub")
    })
  },
  {
    name: "approve: stores connection, places, code and the decision together",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      const now = yield* Timestamp.now
      const places = [yield* Samples.place(now), yield* Samples.place(Timestamp.plus(now, -Timestamp.DAY), true)]
      const made = yield* Samples.connection(user, app, {
        externalUserId: "user-✓-1",
        heldScopes: ["location.place.current", "location.lookup"],
        places: places.sort((a, b) => (a.placeId < b.placeId ? -1 : 1)),
        placesVersion: 3,
        standardExpiresAt: null,
        sensitiveExpiresAt: Timestamp.plus(now, 7 * Timestamp.DAY)
      })
      const { code } = yield* Samples.approve(request, made)
      Check.equal(yield* store.findOfUser(user.id, made.id), Option.some({ connection: made, app }), "findOfUser")
      Check.equal(yield* store.findLive(user.id, app.id), Option.some(made), "findLive")
      Check.equal((yield* Samples.seen(made.id, { code: code.hash })).code, Option.some(code), "code")
      Check.equal(
        yield* (yield* ConsentStore).findRequest(request.id),
        Option.some({ ...request, decided: Samples.approvedBy(made) }),
        "decision"
      )
    })
  },
  {
    name: "approve: a live connection is seen, changed in place and keeps its tokens",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const now = yield* Timestamp.now
      const { app, connection, user } = yield* Samples.connected({ places: [yield* Samples.place(now)] })
      const { access, familyId } = yield* Samples.issue(connection, 1)
      const before = { ...connection, familyId }
      const after = {
        ...before,
        heldScopes: ["location.visits.read"] as const,
        agreedScopes: [...connection.agreedScopes, "location.visits.read"] as const,
        places: [yield* Samples.place(now, true)],
        placesVersion: 2,
        standardExpiresAt: null
      }
      const { state } = yield* Samples.approve(yield* Samples.request(app), after)
      Check.equal(state.existing, Option.some(before), "what the decision saw")
      Check.equal(state.sub, Option.some(connection.sub), "the sub that the user has for the app")
      Check.equal(yield* Samples.read(connection), after, "changed")
      Check.equal((yield* store.listOfUser(user.id)).length, 1, "no second connection")
      Check.equal((yield* Samples.seen(connection.id, { access: access.hash })).access, Option.some(access), "token")
    })
  },
  {
    name: "approve: an app's sub for the user outlives the connection",
    run: Effect.gen(function* () {
      const { app, connection, user } = yield* Samples.connected()
      yield* Samples.change(connection.id, { _tag: "End", reason: "user_disconnected", at: yield* Timestamp.now })
      const second = yield* Samples.connection(user, app, { sub: connection.sub })
      const { state } = yield* Samples.approve(yield* Samples.request(app), second)
      Check.equal(state.existing, Option.none(), "the ended one is not in the way")
      Check.equal(state.sub, Option.some(connection.sub), "the same sub")
      Check.equal((yield* Samples.read(connection)).endReason, "user_disconnected", "the ended one stays")
    })
  },
  {
    name: "decideRequest: a user has another sub for another app, and an app another sub for another user [§2.1-sub]",
    run: Effect.gen(function* () {
      const { app, connection, user } = yield* Samples.connected()
      const other = yield* Samples.connected()
      const subOf = (of: Pick<typeof other, "app" | "user">) =>
        Effect.gen(function* () {
          const { id } = yield* Samples.request(of.app)
          const look = ({ sub }: ApprovalState) => ({ outcome: sub, decided: null, approval: null })
          return Option.getOrNull(Option.flatten(yield* (yield* ConsentStore).decideRequest(id, of.user.id, look)))
        })
      Check.equal(yield* subOf({ user, app }), connection.sub, "the sub of this user for this app")
      Check.equal(yield* subOf({ user, app: other.app }), null, "of this user for another app")
      Check.equal(yield* subOf({ user: other.user, app }), null, "of another user for this app")
    })
  },
  {
    name: "approve: a connection whose standard tier passed is ended as expired, at that date, and replaced",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const standardExpiresAt = Timestamp.plus(now, Timestamp.DAY)
      const { app, connection, user } = yield* Samples.connected({ standardExpiresAt })
      const { chain } = yield* Samples.issue(connection, 2)
      yield* TestClock.adjust("25 hours")
      const next = yield* Samples.connection(user, app, { sub: connection.sub })
      const { state } = yield* Samples.approve(yield* Samples.request(app), next, connection.id)
      Check.equal(
        Option.map(state.existing, (one) => one.id),
        Option.some(connection.id),
        "seen though expired"
      )
      const old = yield* Samples.read(connection)
      Check.equal([old.endedAt, old.endReason], [standardExpiresAt, "expired"], "how it ended")
      const head = yield* Samples.seen(connection.id, { refresh: chain[1]?.hash ?? Check.fail("two links") })
      Check.equal(head.chain[0]?.revokedAt, yield* Timestamp.now, "its refresh token is revoked")
      Check.equal(yield* (yield* ConnectionStore).findLive(user.id, app.id), Option.some(next), "replaced")
    })
  },
  {
    name: "decideRequest: sees the highest version of places that this user and app ever had, of ended connections too",
    run: Effect.gen(function* () {
      const { app, user } = yield* Samples.pair
      const look = Effect.gen(function* () {
        const consentRequest = yield* Samples.request(app)
        const version = yield* (yield* ConsentStore).decideRequest(consentRequest.id, user.id, ({ placesVersion }) => ({
          outcome: placesVersion,
          decided: null,
          approval: null
        }))
        return Option.getOrNull(version)
      })
      const first = yield* Samples.connection(user, app, { placesVersion: 7 })
      yield* Samples.approve(yield* Samples.request(app), first)
      Check.equal(yield* look, 7, "of the one that lives")
      yield* Samples.change(first.id, { _tag: "End", reason: "user_disconnected", at: yield* Timestamp.now })
      const second = yield* Samples.connection(user, app, { placesVersion: 2, sub: first.sub })
      yield* Samples.approve(yield* Samples.request(app), second)
      const { app: another } = yield* Samples.pair
      yield* Samples.approve(
        yield* Samples.request(another),
        yield* Samples.connection(user, another, { placesVersion: 9 })
      )
      Check.equal(yield* look, 7, "the highest, of this app")
    })
  },
  {
    name: "decideRequest: sees the codes of this user and app that the app can still exchange",
    run: Effect.gen(function* () {
      const { app, code, connection, user } = yield* Samples.connected()
      const look = Effect.gen(function* () {
        const { id } = yield* Samples.request(app)
        const seen = yield* (yield* ConsentStore).decideRequest(id, user.id, ({ usableCodes }) => ({
          outcome: [...usableCodes].sort(),
          decided: null,
          approval: null
        }))
        return Option.getOrNull(seen)
      })
      yield* Samples.approve(yield* Samples.request(app), yield* Samples.connection(yield* Fixtures.user, app))
      const { app: another } = yield* Samples.pair
      yield* Samples.approve(yield* Samples.request(another), yield* Samples.connection(user, another))
      yield* TestClock.adjust(1)
      const { code: later } = yield* Samples.approve(yield* Samples.request(app), connection)
      Check.equal(yield* look, [code.hash, later.hash].sort(), "two that were not exchanged")
      yield* TestClock.adjust(AuthorizationCode.LIFETIME - 1)
      Check.equal(yield* look, [later.hash], "only the one that is younger than 60 seconds")
      yield* Samples.change(connection.id, {
        _tag: "UseCode",
        hash: later.hash,
        familyId: yield* Samples.family,
        exchange: null
      })
      Check.equal(yield* look, [], "none after the exchange")
    })
  },
  {
    name: "approve: two tabs of one user and app make one connection",
    run: Effect.gen(function* () {
      const consents = yield* ConsentStore
      const { app, user } = yield* Samples.pair
      const tabs = yield* Effect.all(Array.from({ length: 6 }, () => Samples.request(app)))
      const fresh = yield* Effect.all(
        tabs.map(() =>
          Effect.flatMap(Samples.connection(user, app), (made) =>
            Effect.map(Samples.codeFor(made), (code) => ({ made, code }))
          )
        )
      )
      const subs = yield* Effect.all(
        tabs.map((tab, index) =>
          consents.decideRequest(tab.id, user.id, ({ existing, sub }) => {
            const { code, made } = fresh[index] ?? Check.fail("one for each tab")
            const connection = Option.getOrElse(existing, () => ({
              ...made,
              sub: Option.getOrElse(sub, () => made.sub)
            }))
            return {
              outcome: connection.sub,
              decided: Samples.approvedBy(connection),
              approval: { connection, code: { ...code, connectionId: connection.id }, expired: null }
            }
          })
        ),
        { concurrency: "unbounded" }
      )
      Check.equal((yield* (yield* ConnectionStore).listOfUser(user.id)).length, 1, "one connection")
      Check.equal(new Set(subs.map(Option.getOrNull)).size, 1, "one sub")
    })
  },
  {
    name: "decideRequest: the same form posted several times at once is decided once",
    run: Effect.gen(function* () {
      const consents = yield* ConsentStore
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      const made = yield* Samples.connection(user, app)
      const code = yield* Samples.codeFor(made)
      const outcomes = yield* Effect.all(
        Array.from({ length: 6 }, () =>
          consents.decideRequest(request.id, user.id, (state) =>
            state.request.decided === null
              ? {
                  outcome: "decided",
                  decided: Samples.approvedBy(made),
                  approval: { connection: made, code, expired: null }
                }
              : { outcome: "was decided", decided: null, approval: null }
          )
        ),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter(Option.contains("decided")).length, 1, "once")
    })
  },
  {
    name: "decideRequest: further writes are to the approved connection, in the state that the approval left it in",
    run: Effect.gen(function* () {
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      const made = yield* Samples.connection(user, app, { heldScopes: ["location.place.current", "location.lookup"] })
      const code = yield* Samples.codeFor(made)
      yield* (yield* ConsentStore).decideRequest(request.id, user.id, () => ({
        outcome: undefined,
        decided: Samples.approvedBy(made),
        approval: { connection: made, code, expired: null },
        writes: [{ _tag: "SetScopes", heldScopes: ["location.place.current"], sensitiveExpiresAt: null }]
      }))
      Check.equal(yield* Samples.read(made), { ...made, heldScopes: ["location.place.current"] }, "after the approval")
    })
  },
  {
    name: "decideRequest: without an approval further writes are to the connection that was there; tokens stay",
    run: Effect.gen(function* () {
      const sensitiveExpiresAt = Timestamp.plus(yield* Timestamp.now, Timestamp.DAY)
      const { app, connection, user } = yield* Samples.connected({
        heldScopes: ["location.place.current", "location.lookup"],
        sensitiveExpiresAt
      })
      const { access, familyId } = yield* Samples.issue(connection, 1)
      const before = { ...connection, familyId }
      const request = yield* Samples.request(app)
      const decided = { by: user.id, outcome: "denied" } as const
      yield* (yield* ConsentStore).decideRequest(request.id, user.id, () => ({
        outcome: undefined,
        decided,
        approval: null,
        writes: [{ _tag: "SetScopes", heldScopes: ["location.place.current"], sensitiveExpiresAt: null }]
      }))
      const narrowed = { ...before, heldScopes: ["location.place.current"] as const, sensitiveExpiresAt: null }
      Check.equal(yield* Samples.read(connection), narrowed, "scopes and their date, and nothing else")
      Check.equal((yield* Samples.seen(connection.id, { access: access.hash })).access, Option.some(access), "token")
      Check.equal(yield* (yield* ConsentStore).findRequest(request.id), Option.some({ ...request, decided }), "decided")
    })
  },
  {
    name: "decideRequest: writes without a connection do nothing",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      yield* (yield* ConsentStore).decideRequest(request.id, user.id, () => ({
        outcome: undefined,
        decided: { by: user.id, outcome: "denied" } as const,
        approval: null,
        writes: [{ _tag: "SetScopes", heldScopes: [], sensitiveExpiresAt: null }]
      }))
      Check.equal(yield* store.listOfUser(user.id), [], "no connection")
    })
  },
  {
    name: "decideRequest: a defect while deciding changes nothing",
    run: Effect.gen(function* () {
      const { app, user } = yield* Samples.pair
      const request = yield* Samples.request(app)
      const exit = yield* Effect.exit(
        (yield* ConsentStore).decideRequest(request.id, user.id, () => Check.fail("planted"))
      )
      Check.isTrue(Exit.isFailure(exit), "it is reported")
      Check.equal(yield* (yield* ConsentStore).findRequest(request.id), Option.some(request), "the request is open")
      const { state } = yield* Samples.approve(request, yield* Samples.connection(user, app))
      Check.equal(state.sub, Option.none(), "no sub was left behind")
    })
  }
]
