import { Rate, Subject } from "@place-access/domain/limits"
import { Place } from "@place-access/domain/places"
import type { Place as PlaceRow } from "@place-access/domain/places"
import { PlaceId } from "@place-access/domain/shared"
import {
  getTestPerson,
  listTestPeople,
  makeTestPerson,
  readLog,
  removeTestPerson,
  simulateTrip,
  TestPerson,
  Trip,
  type TripRequest
} from "@place-access/domain/test-people"
import { Effect, Schema } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { tokensOf } from "../connection/tokensOf.js"
import * as RateLimit from "../limits/RateLimit.js"
import { CallingApp } from "../security/ClientAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import type { PersonBody, TripBody } from "./TestPeopleApi.js"

export const layer = Group.group(Api, "testPeople", (handlers) =>
  handlers
    .handle("list", () =>
      Effect.gen(function* () {
        const people = yield* listTestPeople(yield* CallingApp)
        return { test_people: people.map(toBody), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "create",
      ({ payload: { name, places, scopes } }) =>
        Effect.gen(function* () {
          const app = yield* CallingApp
          yield* RateLimit.take(Subject.madeBy(app.ownerId), Rate.CREATIONS)
          const { person, phoneToken, tokens } = yield* makeTestPerson(app, {
            name: name ?? TestPerson.DEFAULT_NAME,
            places: places.map(({ kind, label, lat, lon, radius_m }) => ({
              label,
              kind: kind ?? "other",
              circle: { lat, lon, radiusM: radius_m ?? Place.DEFAULT_RADIUS_M }
            })),
            scopes
          })
          return { ...toBody(person), tokens: tokensOf(tokens), phone_token: phoneToken }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        return toBody(yield* getTestPerson(yield* CallingApp, path.person_id))
      }).pipe(toWire)
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          yield* removeTestPerson(yield* CallingApp, path.person_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "simulate",
      ({ path, payload }) =>
        Effect.gen(function* () {
          const app = yield* CallingApp
          yield* RateLimit.take(Subject.tripsOf(app.ownerId), Rate.TRIPS)
          const { ingested, ...sent } = yield* simulateTrip(app, path.person_id, yield* toRequest(payload))
          return { ...sent, ...ingested }
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

const toBody = ({
  connectionId,
  createdAt,
  id,
  lastReadingAt,
  name,
  places
}: TestPerson.TestPerson): typeof PersonBody.Type => ({
  id,
  name,
  created_at: createdAt,
  places: places.map(toPlace),
  grant_id: connectionId,
  last_reading_at: lastReadingAt
})

const toPlace = ({ circle, id, kind, label }: PlaceRow.Place) => ({
  id,
  label,
  kind,
  lat: circle.lat,
  lon: circle.lon,
  radius_m: circle.radiusM
})

const toRequest = (body: TripBody) =>
  Effect.gen(function* () {
    const lateMinutes = body.late_minutes ?? Trip.LATE_MINUTES.usual
    switch (body.trip) {
      case "file": {
        const readings = yield* readLog(new TextEncoder().encode(body.file))
        return { kind: "log", readings, field: "file", lateMinutes } satisfies TripRequest
      }
      case "log": {
        const readings = body.locations.map(({ accuracy_m: accuracyM, captured_at: capturedAt, lat, lon }) => ({
          capturedAt,
          lat,
          lon,
          accuracyM
        }))
        return { kind: "log", readings, field: "locations", lateMinutes } satisfies TripRequest
      }
      default: {
        const placeId = yield* Schema.decode(PlaceId)(body.place_id).pipe(
          Effect.mapError(() => Errors.notFound("place"))
        )
        const minutes = (body.trip === "stay" ? body.minutes : undefined) ?? Trip.MINUTES.usual
        const accuracyM = body.accuracy_m ?? Trip.ACCURACY_M.usual
        return { kind: body.trip, placeId, minutes, accuracyM, lateMinutes } satisfies TripRequest
      }
    }
  })
