import { Effect } from "effect"
import * as Import from "../../../src/imports/Import.js"
import * as ImportedPlace from "../../../src/imports/ImportedPlace.js"
import * as Place from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as AccountLimits from "../../../src/quotas/AccountLimits.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { ContractCase } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { advance, claim, forget, found, type ImportSamplePorts, step, waiting } from "./importSamples.js"

/** What every `ImportStore` must guarantee about the limits on places and on archived places. */
export const placesBeyondTheLimit: ContractCase<ImportSamplePorts> = {
  name: "advance: places of an archive beyond the limit are left out and named; known ones are not, and archived ones have a limit of their own [limits-9]",
  run: Effect.gen(function* () {
    const begun = yield* waiting((yield* Fixtures.user).id)
    const now = yield* Timestamp.now
    const vault = yield* Vault
    const most = AccountLimits.PLACES.most
    const place = (index: number, archivedAt: Timestamp.Timestamp | null = null): ImportedPlace.ReturnedPlace =>
      ImportedPlace.returned(
        begun.userId,
        {
          origin: `plc_${index}`,
          label: Place.Label.make(`Place ${index}`),
          kind: "home",
          createdAt: now,
          archivedAt,
          shapes: [{ geometryVersion: 1, validFrom: null, circle: { lat: 1, lon: index / 1_000, radiusM: 150 } }]
        },
        vault
      ) ?? Check.fail("it has a shape")
    const all = Array.from({ length: most + 25 }, (_, index) => place(index))
    yield* claim(begun, "one", now)
    yield* advance(step(begun, "one", now, { places: all.slice(0, most + 5) }))
    yield* advance(step(begun, "one", now, { places: [...all.slice(most + 5), place(0), place(900, now)] }))
    const { counts, leftOut } = yield* found(begun)
    Check.equal(
      [counts.read, counts.stored, counts.overLimit, counts.duplicates],
      [most + 27, most + 1, 25, 1],
      "counted"
    )
    const names = Array.from({ length: Import.MOST_NAMED }, (_, index) => `Place ${most + index}`)
    Check.equal(leftOut, names, "named, the first ones")
    const archived = AccountLimits.ARCHIVED_PLACES.most
    const old = Array.from({ length: archived + 2 }, (_, index) => place(1_000 + index, now))
    yield* advance(step(begun, "one", now, { places: [...old, place(900, now)] }))
    const after = (yield* found(begun)).counts
    Check.equal(
      [after.stored - counts.stored, after.overLimit - counts.overLimit, after.duplicates - counts.duplicates],
      [archived - 1, 3, 1],
      "archived ones: the first 500, and one is known"
    )
    yield* forget(begun)
  })
}

/** What every `ImportStore` must guarantee about the circles of a place. */
export const placesWithCircles: ContractCase<ImportSamplePorts> = {
  name: "advance: a place of an archive comes with all its circles, in order [exports-7, places-1]",
  run: Effect.gen(function* () {
    const begun = yield* waiting((yield* Fixtures.user).id)
    const now = yield* Timestamp.now
    const shapes = [0, 1, 2].map((index) => ({
      geometryVersion: 2 * index + 1,
      validFrom: index === 0 ? null : Timestamp.plus(now, index - 9),
      circle: { lat: 1.5 + index, lon: -2.25, radiusM: 150.5 + index }
    }))
    const label = Place.Label.make("Home")
    const imported = { origin: "plc_1", label, kind: "home", createdAt: now, archivedAt: null, shapes } as const
    const place = ImportedPlace.returned(begun.userId, imported, yield* Vault) ?? Check.fail("the place has a shape")
    yield* claim(begun, "one", now)
    yield* advance(step(begun, "one", now, { places: [place] }))
    Check.equal(yield* (yield* PlaceStore).shapes(begun.userId), place.shapes, "stored")
    yield* forget(begun)
  })
}
