import {
  checkPresence,
  Disclosure,
  findCurrentPlace,
  listSharedPlaces,
  lookUpPlace,
  verifyZone
} from "@place-access/domain/answers"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { Caller } from "../security/BearerAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"

export const layer = Group.group(Api, "answers", (handlers) =>
  handlers
    .handle("currentPlace", ({ urlParams }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const answer = yield* findCurrentPlace(connection, urlParams.max_age_s)
        yield* CurrentRequest.disclose(Disclosure.ofCurrentPlace(answer))
        return answer
      }).pipe(toWire)
    )
    .handle("places", () =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const { places, version } = yield* listSharedPlaces(connection)
        yield* CurrentRequest.disclose(Disclosure.ofSharedPlaces(places.length))
        return { places_version: version, places }
      }).pipe(toWire)
    )
    .handle("presence", ({ path, urlParams }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const { place, presence } = yield* checkPresence(connection, path.place_id, urlParams.max_age_s)
        yield* CurrentRequest.disclose(Disclosure.ofPresence(place.label, presence))
        return { state: presence.state, place, asOf: presence.asOf }
      }).pipe(toWire)
    )
    .handle("verifyZone", ({ payload }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const { label, lat, lon, max_age_s: maxAgeS, radius_m: radiusM } = payload
        const presence = yield* verifyZone(connection, { lat, lon, radiusM }, maxAgeS)
        yield* CurrentRequest.disclose(Disclosure.ofZone(label, radiusM, presence))
        return presence
      }).pipe(
        Effect.catchTag("BudgetExceeded", ({ retryAfterMillis }) =>
          Effect.fail(Errors.budgetExceeded(retryAfterMillis / 1_000))
        ),
        toWire
      )
    )
    .handle("lookUpPlace", ({ urlParams: { at, tolerance_s: toleranceS } }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const answer = yield* lookUpPlace(connection, at, toleranceS * 1_000)
        yield* CurrentRequest.disclose(Disclosure.ofPlaceAtMoment(at, answer))
        return { ...answer, matched: answer.place !== null }
      }).pipe(toWire)
    )
)
