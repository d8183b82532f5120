import { Account } from "@place-access/domain/accounts"
import { AppLife, AppStore } from "@place-access/domain/apps"
import {
  archivePurpose,
  createPurpose,
  listPurposes,
  Purpose,
  submitPurpose,
  updatePurpose
} from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryPurposeStore
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryPurposeStore.layer,
  MemoryEntropy.layer
).pipe(Layer.provide(MemoryDatabase.layer))

const input = (key: string, scopes: Purpose.PurposeTerms["scopes"] = ["location.lookup"]) => ({
  key: Purpose.PurposeKey.make(key),
  terms: { description: "Shows you on a map", scopes, expectedDailyVolume: 24 }
})

describe("createPurpose", () => {
  it.effect("makes a draft, which is listed", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* Fixtures.app(owner.id)
      const purpose = yield* createPurpose(owner, app.id, input("find_me"))
      expect(purpose).toMatchObject({ ...input("find_me"), appId: app.id, status: "draft" })
      expect(yield* listPurposes(owner, app.id)).toEqual([purpose])
    }).pipe(Effect.provide(stores))
  )

  it.effect("every scope that the app does not declare is named, none is repeated in the answer", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* Fixtures.app(owner.id, { declaredScopes: ["location.place.current", "location.lookup"] })
      const scopes = ["location.history.read", "location.lookup", "location.latest.read"] as const
      const refused = yield* Effect.flip(createPurpose(owner, app.id, input("find_me", scopes)))
      expect(refused).toMatchObject({ _tag: "Invalid", problems: [{ field: "scopes[0]" }, { field: "scopes[2]" }] })
      expect(JSON.stringify(refused)).not.toContain("location.")
      expect(yield* listPurposes(owner, app.id)).toEqual([])
    }).pipe(Effect.provide(stores))
  )

  it.effect("the same key twice is a Conflict; another app can have it [purposes-2]", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const [app, other] = [yield* Fixtures.app(owner.id), yield* Fixtures.app(owner.id)]
      yield* createPurpose(owner, app.id, input("find_me"))
      expect((yield* Effect.flip(createPurpose(owner, app.id, input("find_me"))))._tag).toBe("Conflict")
      expect((yield* createPurpose(owner, other.id, input("find_me"))).appId).toBe(other.id)
    }).pipe(Effect.provide(stores))
  )

  it.effect("a revoked app gets none, and its purposes cannot be changed: Conflict [P1]", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* Fixtures.app(owner.id)
      const purpose = yield* createPurpose(owner, app.id, input("find_me"))
      const revokedAt = yield* Timestamp.now
      const store = yield* AppStore
      yield* store.update(app.id, (before) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, revokedAt } }
      }))
      for (const refused of [
        createPurpose(owner, app.id, input("find_friends")),
        updatePurpose(owner, app.id, purpose.id, { expectedDailyVolume: 25 }, "assumed", "unchecked"),
        updatePurpose(owner, app.id, purpose.id, {}, "assumed", "unchecked"),
        submitPurpose(owner, app.id, purpose.id, "assumed", "unchecked")
      ]) {
        expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "Conflict", reason: AppLife.REVOKED })
      }
      expect(yield* listPurposes(owner, app.id)).toEqual([purpose])
      expect((yield* archivePurpose(owner, app.id, purpose.id)).status).toBe("archived")
    }).pipe(Effect.provide(stores))
  )

  it.effect("somebody else's app is not found, for reading and for adding", () =>
    Effect.gen(function* () {
      const app = yield* Fixtures.app((yield* Fixtures.user).id)
      const stranger = yield* Fixtures.user
      expect((yield* Effect.flip(createPurpose(stranger, app.id, input("find_me"))))._tag).toBe("NotFound")
      expect((yield* Effect.flip(listPurposes(stranger, app.id)))._tag).toBe("NotFound")
    }).pipe(Effect.provide(stores))
  )
})

describe("a developer whose address nobody confirmed", () => {
  it.effect(
    "submits no purpose, and no edit of one that was approved or waits; a draft can be edited [accounts-11]",
    () =>
      Effect.gen(function* () {
        const owner = yield* Fixtures.userWith({ confirmedAt: null })
        const app = yield* Fixtures.app(owner.id)
        const { terms } = input("find_you")
        const draft = yield* createPurpose(owner, app.id, input("find_me"))
        const approved = yield* Fixtures.purpose(app.id, "find_you", { status: "approved", terms, approved: terms })
        const edit = { expectedDailyVolume: 25 }
        for (const refused of [
          submitPurpose(owner, app.id, draft.id, "confirmed", "unchecked"),
          updatePurpose(owner, app.id, approved.id, edit, "confirmed", "unchecked")
        ]) {
          expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "Forbidden", reason: Account.UNCONFIRMED })
        }
        expect(yield* listPurposes(owner, app.id)).toEqual([draft, approved])
        expect((yield* updatePurpose(owner, app.id, draft.id, edit, "confirmed", "unchecked")).status).toBe("draft")
        expect((yield* updatePurpose(owner, app.id, approved.id, {}, "confirmed", "unchecked")).status).toBe("approved")
        const confirmed = { ...owner, confirmedAt: yield* Timestamp.now }
        expect((yield* submitPurpose(confirmed, app.id, draft.id, "confirmed", "unchecked")).status).toBe("in_review")
        expect((yield* updatePurpose(owner, app.id, approved.id, edit, "assumed", "unchecked")).status).toBe(
          "in_review"
        )
        const more = { expectedDailyVolume: 26 }
        const refused = yield* Effect.flip(updatePurpose(owner, app.id, approved.id, more, "confirmed", "unchecked"))
        expect(refused).toMatchObject({ _tag: "Forbidden", reason: Account.UNCONFIRMED })
        // An edit back to the approved terms takes the purpose out of the review queue, so no reviewer has to read it.
        const back = { expectedDailyVolume: terms.expectedDailyVolume }
        expect((yield* updatePurpose(owner, app.id, approved.id, back, "confirmed", "unchecked")).status).toBe(
          "approved"
        )
      }).pipe(Effect.provide(stores))
  )
})
