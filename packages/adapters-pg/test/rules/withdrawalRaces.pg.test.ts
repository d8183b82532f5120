import { SqlClient } from "@effect/sql/SqlClient"
import { AppStore } from "@place-access/domain/apps"
import type { Connection } from "@place-access/domain/connection"
import { type Place, PlaceStore } from "@place-access/domain/places"
import { createPlaceRule, type Rule } from "@place-access/domain/rules"
import { NotFound, type Scope } from "@place-access/domain/shared"
import { ConnectionSamples, RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"
import { waits } from "../support/waits.js"

/** One transaction withdraws a place while another request reads or creates rules of the place. */
describeServers("a place is withdrawn from an app", (server) => {
  const run = withStores(migratedOn(server), UploadStores)

  const rename = ({ id, userId }: Place.Place, label: string) =>
    Effect.flatMap(PlaceStore, (places) =>
      places.update(userId, id, (before) => ({ ...before, label: label as Place.Label }))
    )

  const allow = ({ appId }: Rule.Rule, allowedScopes: ReadonlyArray<Scope.Scope> | null) =>
    Effect.flatMap(AppStore, (apps) =>
      apps.update(appId, (before) => ({
        outcome: undefined,
        after: { ...before, app: { ...before.app, allowedScopes } }
      }))
    )

  const withdraw = ({ id }: Connection.Connection) =>
    ConnectionSamples.change(id, { _tag: "SetPlaces", places: [], placesVersion: 2 })

  /**
   * Starts `second` when `first` has written and its transaction is still open. This transaction commits when `second`
   * waits for its locks.
   */
  const overlapping = <A, E, R, B, E2, R2>(first: Effect.Effect<A, E, R>, second: Effect.Effect<B, E2, R2>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const hasWritten = yield* Effect.makeLatch()
      const holding = Effect.gen(function* () {
        yield* first
        yield* hasWritten.open
        yield* Effect.repeat(waits(sql), { until: (waiting) => waiting })
      }).pipe(sql.withTransaction)
      const both = [holding, Effect.zipRight(hasWritten.await, second)] as const
      const [, answer] = yield* Effect.all(both, { concurrency: "unbounded" })
      return answer
    })

  it("a rule that is created meanwhile is refused, because the place does not exist for the app any more [rules-1]", () =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const create = createPlaceRule(connection, { type: "enter", placeId: place.id })
        const refusal = yield* overlapping(withdraw(connection), Effect.flip(create))
        expect(refusal).toEqual(new NotFound({ what: "place" }))
        expect(yield* RuleSamples.list(connection)).toEqual([])
      })
    ))

  it.each([
    ["a list that waits for the withdrawal", false],
    ["a list for which the withdrawal waits", true]
  ])("%s notes a missing scope, and the rule keeps the label of the withdrawal [L8]", (_, isListFirst) =>
    run(
      Effect.gen(function* () {
        const { connection, place } = yield* RuleSamples.sharing()
        const rule = yield* RuleSamples.rule(connection, RuleSamples.onPlace(place))
        const [withdrawal, list] = [withdraw(connection), RuleSamples.list(connection)]
        yield* allow(rule, [])
        yield* isListFirst ? overlapping(list, withdrawal) : overlapping(withdrawal, list)
        yield* rename(place, "Clinic")
        yield* allow(rule, null)
        const [listed] = yield* RuleSamples.list(connection)
        expect(listed?.target.label).toBe("Home")
        expect(listed?.disabledAt).not.toBeNull()
      })
    )
  )
})
