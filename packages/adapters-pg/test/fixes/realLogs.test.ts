import { SqlFixHistory } from "@place-access/adapters-pg"
import { checkPresence, findCurrentPlace, lookUpPlace } from "@place-access/domain/answers"
import { Fix, ingestFixes } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, MemoryWorkSignal, RuleSamples } from "@place-access/domain/testing"
import { Effect, Layer, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import {
  type KnownPlace,
  referenceCurrent,
  referenceLookup,
  referencePresence
} from "../../../domain/test/support/referenceAnswers.js"
import { haveTraces, traces, TRACES_NEEDED } from "../../../domain/test/support/traces.js"
import { withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"
import { UploadStores } from "../support/uploadStores.js"

const PARTS = 5

describe.skipIf(!haveTraces)(`answers from the database, on logs of real phones${TRACES_NEEDED}`, () => {
  const run = withStores(migratedEmbedded, Layer.mergeAll(UploadStores, SqlFixHistory.layer, MemoryWorkSignal.layer))

  // The domain's tests check the decisions against every recorded log, with stores in memory. These tests check only
  // that the SQL stores give the decisions the right data, so every fifth log is enough.
  const chosen = haveTraces ? traces().filter((_, index) => index % 5 === 0) : []
  it.each(chosen.map((trace) => [trace.name, trace.fixes] as const))("%s", (_, fixes) =>
    run(
      Effect.gen(function* () {
        const time = Timestamp.make
        const possible = fixes
          .filter((fix) => Fix.judge({ ...fix, capturedAt: time(fix.capturedAt) }, time(fix.receivedAt))._tag === "Fix")
          .toSorted((a, b) => a.receivedAt - b.receivedAt)
        const { id: userId } = yield* Fixtures.user
        const device = yield* RuleSamples.device(userId)
        const places = yield* Effect.forEach([0, 0.4, 0.8], (part, index) => {
          const { lat = 0, lon = 0 } = possible[Math.floor(part * possible.length)] ?? {}
          return RuleSamples.place(userId, { circle: { lat, lon, radiusM: [150, 300, 2_000][index] ?? 150 } })
        })
        const known = places.map(({ circle, id }): KnownPlace => ({
          id,
          circles: [{ ...circle, since: Number.NEGATIVE_INFINITY }],
          archivedAt: null
        }))
        const sharedAt = time(0)
        const connection = {
          userId,
          pause: null,
          places: places.map(({ id }) => ({ placeId: id, sharedAt, includeEarlierVisits: false }))
        }

        for (let part = 1; part <= PARTS; part++) {
          const until = Math.ceil((possible.length * part) / PARTS)
          const arrived = possible.slice(0, until)
          const now = arrived.at(-1)?.receivedAt ?? 0
          yield* TestClock.setTime(now)
          const fresh = possible.slice(Math.ceil((possible.length * (part - 1)) / PARTS), until)
          const readings = fresh.map(({ accuracy, capturedAt, lat, lon }) => ({
            capturedAt: time(capturedAt),
            lat,
            lon,
            accuracyM: accuracy
          }))
          yield* ingestFixes(device, readings, [])

          for (const maxAgeS of [60, 900, 86_400]) {
            const { asOf, place, state } = yield* findCurrentPlace(connection, maxAgeS)
            expect({ state, place: place?.id ?? null, asOf }).toEqual(referenceCurrent(known, arrived, now, maxAgeS))
            for (const { circle, id } of places) {
              const { presence } = yield* checkPresence(connection, id, maxAgeS)
              expect(presence).toEqual(referencePresence(circle, arrived, now, maxAgeS))
            }
          }
          for (let index = 0; index < until; index += 80) {
            const at = (arrived[index]?.capturedAt ?? 0) + (index % 3) * 311_000
            for (const toleranceS of [0, 900, 86_400]) {
              const { place, ...told } = yield* lookUpPlace(connection, time(at), toleranceS * 1_000)
              expect({ ...told, place: place?.id ?? null }).toEqual(referenceLookup(known, arrived, at, toleranceS))
            }
          }
        }
      })
    )
  )
})
