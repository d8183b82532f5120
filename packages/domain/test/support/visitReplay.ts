import { ingestFixes } from "@place-access/domain/fixes"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { createPlace, Place, updatePlace } from "@place-access/domain/places"
import { archivePlace } from "@place-access/domain/connection"
import { ConnectionId, UserId, type PlaceId } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { deriveStays, listVisits, type VisitPage } from "@place-access/domain/visits"
import { Effect } from "effect"
import { clockAt } from "./clock.js"
import { ReferenceCarried } from "./referenceCarried.js"
import { inOrderOfEvaluation } from "./referenceRules.js"
import { reading } from "./replay.js"
import {
  type ReferencePhone,
  type ReferencePlace,
  type ReferenceReport,
  type ReferenceSighting,
  referenceVisits,
  type ReferenceVisit
} from "./referenceVisits.js"
import { DAY, NOON, time } from "./rules.js"
import type { Happening, VisitLife } from "./visitLives.js"

/** A time after all events of a scenario. The answers are compared at this time. */
const LATER = NOON + 100 * DAY

/**
 * The visits of a scenario, as the product returns them in pages of `limit`, and as the reference implementation
 * computes them.
 */
export const replayVisits = (life: VisitLife, name: string, limit: number) =>
  Effect.gen(function* () {
    const userId = UserId.make(`usr_${name}`)
    const devices = [yield* RuleSamples.device(userId), yield* RuleSamples.device(userId)] as const
    yield* (yield* HistoryStore).choose(userId, null, time(NOON))
    const phones: ReadonlyArray<{
      readonly fixes: Map<string, ReferenceSighting>
      readonly reports: Map<string, ReferenceReport>
    }> = devices.map(() => ({ fixes: new Map(), reports: new Map() }))
    const carried = new ReferenceCarried()
    const places: Array<
      ReferencePlace & { readonly id: PlaceId; readonly isShared: boolean; readonly sharedAt: number }
    > = []

    const shared = () =>
      places
        .filter((place) => place.isShared)
        .map((place) => ({
          placeId: place.id,
          sharedAt: time(place.sharedAt),
          includeEarlierVisits: place.since === null
        }))
    const ask = (now: number, cursor: string | undefined) =>
      listVisits({ userId, id: ConnectionId.make(`con_${name}`), places: shared(), pause: null }, time(now), {
        from: null,
        to: null,
        limit,
        cursor
      })

    const happens = Effect.fnUntraced(function* (at: number, happening: Happening) {
      switch (happening._tag) {
        case "Upload": {
          const [device, phone] = [devices[happening.phone] ?? devices[0], phones[happening.phone]]
          const reports = happening.reports.map(({ accuracy, ...report }) => ({
            ...report,
            arrival: report.arrival === null ? null : time(report.arrival),
            departure: report.departure === null ? null : time(report.departure),
            accuracyM: accuracy
          }))
          yield* ingestFixes(
            device,
            happening.fixes.map((fix) => reading({ ...fix, receivedAt: at })),
            reports
          )
          const fresh = happening.fixes.filter((fix) => phone?.fixes.has(JSON.stringify(fix)) === false)
          for (const fix of inOrderOfEvaluation(fresh)) {
            const isLeftBehind = carried.isLeftBehind(happening.phone, fix)
            phone?.fixes.set(JSON.stringify(fix), { ...fix, isLeftBehind })
          }
          for (const report of happening.reports) phone?.reports.set(JSON.stringify(report), report)
          break
        }
        case "Created": {
          const { circle, earlier, isShared } = happening
          const { id } = yield* createPlace(userId, { label: Place.Label.make("Place"), kind: "other", circle })
          places.push({
            id,
            circles: [{ from: null, circle }],
            archivedAt: null,
            since: earlier ? null : at,
            isShared,
            sharedAt: at
          })
          break
        }
        case "Moved": {
          const place = places[happening.place]
          if (place === undefined || place.archivedAt !== null) break
          yield* updatePlace(userId, place.id, happening.circle, "unchecked")
          places[happening.place] = { ...place, circles: [...place.circles, { from: at, circle: happening.circle }] }
          break
        }
        case "Archived": {
          const place = places[happening.place]
          if (place === undefined || place.archivedAt !== null) break
          yield* archivePlace(userId, place.id)
          places[happening.place] = { ...place, archivedAt: at }
          break
        }
        case "Derived":
          yield* deriveStays(userId, (devices[happening.phone] ?? devices[0]).id, happening)
          break
        case "Asked":
          yield* ask(at, undefined)
          break
      }
    })
    for (const [at, happening] of life.happenings) yield* Effect.withClock(happens(at, happening), clockAt(at))

    const visits: Array<ReferenceVisit> = []
    let cursor: string | undefined
    do {
      const page: VisitPage = yield* Effect.withClock(ask(LATER, cursor), clockAt(LATER))
      for (const { arrival, departure, place } of page.visits) visits.push({ placeId: place.id, arrival, departure })
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    const known = places.filter((place) => place.isShared)
    const sent = phones.map(({ fixes, reports }): ReferencePhone => ({
      fixes: [...fixes.values()],
      reports: [...reports.values()]
    }))
    return { told: visits, expected: referenceVisits(known, sent, LATER) }
  })
