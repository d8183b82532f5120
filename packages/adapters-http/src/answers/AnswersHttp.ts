import {
  checkPresence,
  Disclosure,
  findCurrentPlace,
  listSharedPlaces,
  lookUpPlace,
  verifyZone
} from "@place-access/domain/answers"
import { Effect } from "effect"
import { fn, gen, type PlaceId } from "@place-access/domain/shared"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { BearerCaller } from "../security/BearerAuth.js"
import { orPaused } from "./orPaused.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"

const presence = fn(function* (placeId: PlaceId, maxAgeS: number) {
  const caller = yield* BearerCaller
  const { place, presence } = yield* checkPresence(caller.connection, placeId, maxAgeS)
  return orPaused(caller, presence.state === "unknown", {
    answer: { state: presence.state, place, asOf: presence.asOf },
    disclosed: Disclosure.ofPresence(place.label, presence)
  })
})

export const layer = Group.group(Api, "answers", (handlers) =>
  handlers
    .handle("currentPlace", ({ urlParams }) =>
      gen(function* () {
        const caller = yield* BearerCaller
        const answer = yield* findCurrentPlace(caller.connection, urlParams.max_age_s)
        return orPaused(caller, answer.state === "unknown", { answer, disclosed: Disclosure.ofCurrentPlace(answer) })
      }).pipe(toWire)
    )
    .handle("places", () =>
      gen(function* () {
        const { connection } = yield* BearerCaller
        const { places, version } = yield* listSharedPlaces(connection)
        return { answer: { places_version: version, places }, disclosed: Disclosure.ofSharedPlaces(places.length) }
      }).pipe(toWire)
    )
    .handle("presence", ({ path, urlParams }) => presence(path.place_id, urlParams.max_age_s).pipe(toWire))
    .handle("verifyZone", ({ payload }) =>
      gen(function* () {
        const caller = yield* BearerCaller
        const { label, lat, lon, max_age_s: maxAgeS, radius_m: radiusM } = payload
        const presence = yield* verifyZone(caller.connection, { lat, lon, radiusM }, maxAgeS)
        const disclosed = Disclosure.ofZone(label, radiusM, presence)
        return orPaused(caller, presence.state === "unknown", { answer: presence, disclosed })
      }).pipe(
        Effect.catchTag("BudgetExceeded", ({ retryAfterMillis }) =>
          Effect.fail(Errors.budgetExceeded(retryAfterMillis / 1_000))
        ),
        toWire
      )
    )
    .handle("lookUpPlace", ({ urlParams: { at, tolerance_s: toleranceS } }) =>
      gen(function* () {
        const caller = yield* BearerCaller
        const answer = yield* lookUpPlace(caller.connection, at, toleranceS * 1_000)
        return orPaused(caller, answer.asOf === null, {
          answer: { ...answer, matched: answer.place !== null },
          disclosed: Disclosure.ofPlaceAtMoment(at, answer)
        })
      }).pipe(toWire)
    )
)
