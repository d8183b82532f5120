import { recordAccess } from "@place-access/domain/access-log"
import { type Account, AccountStore } from "@place-access/domain/accounts"
import { everything } from "@place-access/domain/leases"
import { revokeApp } from "@place-access/domain/staff"
import { listConnections } from "@place-access/domain/connection"
import { runHousekeeping } from "@place-access/domain/sweeps"
import {
  decidePurpose,
  flagVolumes,
  listOwnVolumeFlags,
  listVolumeFlags,
  type Purpose,
  PurposeGate,
  updatePurpose,
  VolumeFlag,
  VolumeFlagStore
} from "@place-access/domain/purposes"
import { Verdict } from "@place-access/domain/reviews"
import { StoreError, Timestamp } from "@place-access/domain/shared"
import {
  ConsentFlow,
  Fixtures,
  MemoryAccountDeletionStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryEndpointStore,
  MemoryListenerStore,
  MemoryDeviceStore,
  MemoryHistoryStore,
  MemoryRetentionStore,
  MemoryLeaseStore,
  MemoryStayStore,
  MemoryTierStore,
  MemoryTestPersonStore,
  MemoryVolumeFlagStore
} from "@place-access/domain/testing"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import { inWorld as inReviewWorld, type ReviewWorld } from "../support/reviews.js"

const more = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryDeliveryStore.layer,
  MemoryEndpointStore.layer,
  MemoryListenerStore.layer,
  MemoryDeviceStore.layer,
  MemoryHistoryStore.layer,
  MemoryTestPersonStore.layer,
  MemoryVolumeFlagStore.layer,
  MemoryRetentionStore.layer,
  MemoryLeaseStore.layer,
  MemoryStayStore.layer,
  MemoryTierStore.layer
)

const inWorld = <A, E>(program: Effect.Effect<A, E, ReviewWorld | Layer.Layer.Success<typeof more>>) =>
  inReviewWorld(Effect.provide(program, more))

const reviewer = Fixtures.userWith({ roles: ["reviewer"] })
const page = { limit: 100, cursor: undefined }

/** A user who has connected an app. Its purpose `find_me` expects ten calls a day. */
const connected = Effect.gen(function* () {
  const user = yield* Fixtures.user
  const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
  const terms: Purpose.PurposeTerms = {
    description: "Finds coffee near you",
    scopes: ["location.latest.read"],
    expectedDailyVolume: 10
  }
  const purpose = yield* Fixtures.purpose(app.id, "find_me", { status: "approved", terms, approved: terms })
  const { connectionId } = yield* ConsentFlow.connect(app, user, ["location.place.current"])
  const owner = { userId: user.id, appId: app.id, connectionId }
  return { user, app, purpose, owner }
})

const call = (owner: Effect.Effect.Success<typeof connected>["owner"], count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    recordAccess({
      owner,
      endpoint: "GET /v1/locations/latest",
      purpose: "find_me",
      status: 200,
      error: null,
      disclosed: "your location"
    })
  )

const counts = (by: Account.Account) =>
  Effect.map(listVolumeFlags(by, page), ({ flags }) => flags.map(({ calls }) => calls))

describe("flagVolumes [§8]", () => {
  it("over twice the expected volume in the last 24 hours is flagged once, and calls are not refused [§8-volume-flag, purposes-5]", () =>
    inWorld(
      Effect.gen(function* () {
        const staff = yield* reviewer
        const { owner, user, app, purpose } = yield* connected
        const start = yield* Timestamp.now
        yield* call(owner, 20)
        yield* TestClock.adjust(Timestamp.DAY - 1)
        expect(yield* flagVolumes(Timestamp.plus(start, Timestamp.DAY))).toBe(0)
        yield* call(owner, 1)
        yield* TestClock.adjust(1)
        const now = yield* Timestamp.now
        expect([yield* flagVolumes(now), yield* flagVolumes(now)]).toEqual([1, 0])
        const expected = {
          ...owner,
          appName: app.name,
          purposeDescription: purpose.terms.description,
          purposeId: purpose.id,
          purposeKey: "find_me",
          calls: 21,
          expectedDailyVolume: 10,
          ...VolumeFlag.window(now)
        }
        expect((yield* listVolumeFlags(staff, page)).flags).toEqual([expected])
        expect((yield* listOwnVolumeFlags(user, page)).flags).toEqual([expected])
        expect((yield* listOwnVolumeFlags(staff, page)).flags).toEqual([])
        const { purposes } = yield* MemoryDatabase
        expect(PurposeGate.decide(purposes, "production", "find_me", "location.latest.read")._tag).toBe("Allowed")
        // A day later all calls are older than 24 hours.
        expect(yield* flagVolumes(Timestamp.plus(now, Timestamp.DAY))).toBe(0)
      })
    ))

  it("a flag keeps the wording that was in force at the end of the counted day [M13]", () =>
    inWorld(
      Effect.gen(function* () {
        const staff = yield* reviewer
        const { app, owner, purpose, user } = yield* connected
        const developer = Option.getOrThrow(yield* (yield* AccountStore).find(app.ownerId))
        const approve = decidePurpose(staff, purpose.id, { decision: "approve", note: null, revision: "unchecked" })
        const edit = (description: string) =>
          updatePurpose(developer, app.id, purpose.id, { description }, "assumed", "unchecked")
        yield* edit("Finds tea near you")
        yield* approve
        yield* call(owner, 21)
        yield* TestClock.adjust(1)
        yield* flagVolumes(yield* Timestamp.now)
        yield* TestClock.adjust(1)
        yield* edit("Sells tea near you")
        yield* approve
        for (const { flags } of [yield* listOwnVolumeFlags(user, page), yield* listVolumeFlags(staff, page)]) {
          expect(flags.map(({ purposeDescription }) => purposeDescription)).toEqual(["Finds tea near you"])
        }
      })
    ))

  it("a flag whose purpose no longer exists has no wording, and never the key [M13]", () =>
    inWorld(
      Effect.gen(function* () {
        const { owner, purpose, user } = yield* connected
        yield* call(owner, 21)
        yield* flagVolumes(Timestamp.plus(yield* Timestamp.now, 1))
        const { purposes } = yield* MemoryDatabase
        purposes.splice(purposes.indexOf(purpose), 1)
        expect((yield* listOwnVolumeFlags(user, page)).flags).toMatchObject([{ purposeDescription: null }])
      })
    ))

  it("everybody's flags are for reviewers and admins; a cursor is valid for the list that it came from alone", () =>
    inWorld(
      Effect.gen(function* () {
        const staff = yield* reviewer
        const admin = yield* Fixtures.userWith({ roles: ["admin"] })
        const { owner, user } = yield* connected
        for (const one of [owner, { ...owner, connectionId: `${owner.connectionId}2` as never }]) yield* call(one, 21)
        yield* flagVolumes(Timestamp.plus(yield* Timestamp.now, 1))
        expect((yield* Effect.flip(listVolumeFlags(user, page)))._tag).toBe("Forbidden")
        const first = yield* listVolumeFlags(admin, { limit: 1, cursor: undefined })
        const second = yield* listVolumeFlags(staff, { limit: 1, cursor: first.nextCursor ?? "" })
        expect([first.flags.length, second.flags.length, second.nextCursor]).toEqual([1, 1, null])
        const foreign = listOwnVolumeFlags(user, { limit: 1, cursor: first.nextCursor ?? "" })
        expect((yield* Effect.flip(foreign))._tag).toBe("Invalid")
      })
    ))
})

describe("runHousekeeping", () => {
  it("counts at the start and then on every full hour; a count that fails is made up for by the next [sweeps-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const staff = yield* reviewer
        const { owner } = yield* connected
        yield* TestClock.adjust("25 minutes")
        const store = yield* VolumeFlagStore
        const windowEnds: Array<number> = []
        let isAway = false
        const watched: typeof store = {
          ...store,
          raise: (window) => {
            windowEnds.push(window.to)
            return isAway ? Effect.fail(StoreError.unavailable("away")) : store.raise(window)
          }
        }
        const start = yield* Timestamp.now
        const fiber = yield* Effect.fork(Effect.provideService(runHousekeeping(everything), VolumeFlagStore, watched))
        yield* TestClock.adjust("1 millis")
        yield* call(owner, 21)
        isAway = true
        yield* TestClock.adjust("35 minutes")
        expect(yield* counts(staff)).toEqual([])
        isAway = false
        yield* TestClock.adjust("1 hours")
        expect(yield* counts(staff)).toEqual([21])
        expect(windowEnds.map((to) => (to - start) / Timestamp.MINUTE)).toEqual([0, 35, 95])
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("ends connections that are left of a revoked app within a minute", () =>
    inWorld(
      Effect.gen(function* () {
        const admin = yield* Fixtures.userWith({ roles: ["admin"] })
        const { app, user, owner } = yield* connected
        const fiber = yield* Effect.fork(runHousekeeping(everything))
        const { connections } = yield* MemoryDatabase
        yield* revokeApp(admin, app.id, Verdict.Note.make("It sold what it saw."))
        // Makes the ended connection live again, as if the process had died before it ended the connection.
        const before = connections.get(owner.connectionId)
        connections.set(owner.connectionId, { ...before!, endedAt: null, endReason: null })
        yield* TestClock.adjust("1 minutes")
        expect(connections.get(owner.connectionId)?.endReason).toBe("admin_revoked")
        expect(yield* listConnections(user.id)).toMatchObject([{ live: false, endReason: "admin_revoked" }])
        yield* Fiber.interrupt(fiber)
      })
    ))
})
