import { SqlClient } from "@effect/sql/SqlClient"
import { SqlLegacyStore } from "@place-access/adapters-pg"
import type { Connection } from "@place-access/domain/connection"
import { LegacyStore } from "@place-access/domain/legacy"
import type { Rule } from "@place-access/domain/rules"
import { Entropy, RuleId, Vault } from "@place-access/domain/shared"
import { ConnectionSamples, Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Fiber, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"
import { waits } from "../support/waits.js"

describeServers("two imports of legacy rules at once", (server) => {
  const run = withStores(migratedOn(server), Layer.merge(SqlLegacyStore.layer, UploadStores))

  /** Imports a rule with this id, unless a rule with the same id is known already. */
  const importRule = (connection: Connection.Connection, target: Rule.PlaceTarget, id: Rule.Rule["id"]) =>
    Effect.gen(function* () {
      const rule = yield* RuleSamples.draftRule(connection, target, { id, isLegacy: true })
      const imported = { rule: { ...rule, target }, sealed: Vault.Sealed.make("sealed") }
      const owner = { userId: connection.userId, id: connection.id, appId: connection.appId }
      return yield* (yield* LegacyStore).importRules([{ owner, id }], ({ known }) =>
        known.length === 0 ? Either.right([imported]) : Either.left("known")
      )
    })

  it("with one rule id, under two connections of a person: the second finds the rule of the first [legacy-2]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { connection, place, user } = yield* RuleSamples.sharing()
        const app = yield* Fixtures.app((yield* Fixtures.user).id)
        const other = yield* ConnectionSamples.connection(user, app, { places: connection.places })
        yield* ConnectionSamples.approve(yield* ConnectionSamples.request(app), other)
        const target: Rule.PlaceTarget = { _tag: "Place", placeId: place.id, label: place.label }
        const id = RuleId.make(yield* Entropy.id("rul"))
        const isStored = yield* Deferred.make<void>()
        // The first import has stored the rule, and commits when the second import waits for this transaction.
        const first = yield* importRule(connection, target, id).pipe(
          Effect.zipLeft(Deferred.succeed(isStored, undefined)),
          Effect.zipLeft(Effect.repeat(waits(sql), { until: (waiting) => waiting })),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(isStored)
        expect(yield* importRule(other, target, id)).toEqual(Either.left("known"))
        expect(Either.isRight(yield* Fiber.join(first))).toBe(true)
      })
    ))
})
