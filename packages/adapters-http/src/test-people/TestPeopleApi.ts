import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { Coordinates, Place } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { Scope } from "@place-access/domain/shared"
import { TestPerson, Trip } from "@place-access/domain/test-people"
import { Schema } from "effect"
import { TokenResponse } from "../connection/OAuthApi.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { ClientAuth } from "../security/ClientAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const PersonPath = Schema.Struct({ person_id: Schema.String.pipe(Schema.brand("UserId")) })

const NewPlace = Fields.request({
  label: Place.Label,
  lat: Coordinates.Latitude,
  lon: Coordinates.Longitude,
  kind: Fields.optional(Place.PlaceKind).annotations({ description: "`other` when left out" }),
  radius_m: Fields.optional(Coordinates.RadiusM).annotations({
    description: `Metres; ${Place.DEFAULT_RADIUS_M} when left out`
  })
}).annotations({ identifier: "NewTestPlace" })

const NewPerson = Fields.request({
  places: Schema.Array(NewPlace).pipe(
    Schema.minItems(1, { message: () => "must name at least one place" }),
    Schema.maxItems(TestPerson.MAX_PLACES, { message: () => `must name at most ${TestPerson.MAX_PLACES} places` }),
    Schema.annotations({ description: "The places of the person, all of them shared with the app" })
  ),
  name: Fields.optional(Account.DisplayName).annotations({
    description: `How the developer tells the person from others; \`${TestPerson.DEFAULT_NAME}\` when left out`
  }),
  scopes: Fields.optional(Scope.listOf(Scope.Scope)).annotations({
    description: "What the person grants. Left out: every scope that the app could be granted now"
  })
}).annotations({ identifier: "NewTestPerson" })

const PlaceOfPerson = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  kind: Place.PlaceKind,
  lat: Schema.Number,
  lon: Schema.Number,
  radius_m: Schema.Number
}).annotations({ identifier: "TestPlace" })

const person = {
  id: Schema.String,
  name: Schema.String,
  created_at: Fields.At,
  places: Schema.Array(PlaceOfPerson).annotations({
    description: "The places of the person, all of them shared with the app"
  }),
  grant_id: Schema.NullOr(Schema.String).annotations({
    description: "The connection, as events name it; null when it ended"
  }),
  last_reading_at: Fields.NullableAt.annotations({
    description: "When the newest reading of the phone was captured; null before the first"
  })
}

export const PersonBody = Schema.Struct(person).annotations({ identifier: "TestPerson" })

const MadePerson = Schema.Struct({
  ...person,
  tokens: TokenResponse.annotations({
    description: "What the token endpoint answers after a real consent. Shown only in this answer"
  }),
  phone_token: Schema.String.annotations({
    description:
      "The token of the person's phone, for `POST /v1/phone/locations` and every other format. Shown only in this answer"
  })
}).annotations({ identifier: "MadeTestPerson" })

const bounded = ({ least, most, usual }: { least: number; most: number; usual: number }, what: string) =>
  Fields.optional(
    Schema.Finite.pipe(
      Schema.between(least, most, { message: () => `must be a number from ${least} to ${most}` }),
      Schema.annotations({ description: `${what}. Left out: ${usual}` })
    )
  )

const late = {
  late_minutes: bounded(
    Trip.LATE_MINUTES,
    "How many minutes ago the trip ended. A reading that arrives more than 15 minutes after its capture fires no rule"
  )
}
const quality = {
  accuracy_m: bounded(
    Trip.ACCURACY_M,
    "The accuracy of each reading in metres. A reading decides nothing when its accuracy is worse than its distance from the edge of the place: 500 m for a reading outside, the radius for a reading at the centre"
  ),
  ...late
}

const place_id = Schema.String.annotations({ description: "One of the person's places" })

const LogEntry = Fields.request({
  captured_at: Fields.At,
  lat: Schema.Number,
  lon: Schema.Number,
  accuracy_m: Fields.optional(Schema.Number)
}).annotations({ identifier: "RecordedReading" })

/** A trip in one of five forms. The field `trip` names the form. */
const TripBody = Schema.Union(
  Fields.request({ trip: Schema.Literal("arrive"), place_id, ...quality }).annotations({ identifier: "ArriveTrip" }),
  Fields.request({ trip: Schema.Literal("leave"), place_id, ...quality }).annotations({ identifier: "LeaveTrip" }),
  Fields.request({
    trip: Schema.Literal("stay"),
    place_id,
    minutes: Fields.optional(
      Schema.Int.pipe(
        Schema.between(Trip.MINUTES.least, Trip.MINUTES.most, {
          message: () => `must be a whole number from ${Trip.MINUTES.least} to ${Trip.MINUTES.most}`
        })
      )
    ).annotations({ description: `${Trip.MINUTES.usual} when left out` }),
    ...quality
  }).annotations({ identifier: "StayTrip" }),
  Fields.request({
    trip: Schema.Literal("log"),
    locations: Schema.Array(LogEntry).pipe(
      Schema.minItems(Trip.LOG_READINGS.least, { message: () => "must have at least one reading" }),
      Schema.maxItems(Trip.LOG_READINGS.most, {
        message: () => `must have at most ${Trip.LOG_READINGS.most} readings`
      }),
      Schema.annotations({
        description: "The log is moved in time, so that its last reading is captured `late_minutes` ago"
      })
    ),
    ...late
  }).annotations({ identifier: "LogTrip" }),
  Fields.request({
    trip: Schema.Literal("file"),
    file: Schema.String.annotations({
      description:
        "The text of a file of recorded positions, such as GPX, CSV or a Google Timeline. The readings are moved in time, so that the last one is captured `late_minutes` ago"
    }),
    ...late
  }).annotations({ identifier: "FileTrip" })
).annotations({ identifier: "Trip" })
export type TripBody = typeof TripBody.Type

const SimulatedBody = Schema.Struct({
  readings: Schema.Int.annotations({ description: "How many readings the phone sent" }),
  from: Fields.at("When the first reading was captured"),
  until: Fields.at("When the last reading was captured"),
  accepted: Schema.Int.annotations({ description: "As for an upload of a phone" }),
  duplicates: Schema.Int.annotations({ description: "As for an upload of a phone" }),
  quarantined: Schema.Int.annotations({ description: "As for an upload of a phone" })
}).annotations({ identifier: "SimulatedTrip" })

export const TestPeopleApi = HttpApiGroup.make("testPeople")
  .add(
    HttpApiEndpoint.get("list", "/v1/test-people")
      .addSuccess(
        Schema.Struct({ test_people: Schema.Array(PersonBody), nextCursor: Schema.Null }).annotations({
          identifier: "TestPersonList"
        })
      )
      .annotate(OpenApi.Summary, "The app's test people, oldest first")
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/test-people")
      .annotate(WithoutKey, "a test person too many is removed; its tokens are not kept for a repeated answer")
      .setPayload(NewPerson)
      .addSuccess(MadePerson, { status: 201 })
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Make a test person")
      .annotate(
        OpenApi.Description,
        `Only for an app that is not in production. The person has places, a phone and a connection with tokens, all of them like those of a user, and no way to sign in. 409 when the app has ${AccountLimits.TEST_PEOPLE.most}. When the app goes to production, its test people are removed.`
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/test-people/:person_id")
      .setPath(PersonPath)
      .addSuccess(PersonBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "One test person")
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/test-people/:person_id")
      .setPath(PersonPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a test person")
      .annotate(OpenApi.Description, "The connection ends at once. Everything else is deleted within minutes.")
  )
  .add(
    HttpApiEndpoint.post("simulate", "/v1/test-people/:person_id/trips")
      .annotate(WithoutKey, "a trip sent twice is two trips, as with a phone")
      .setPath(PersonPath)
      .setPayload(TripBody)
      .addSuccess(SimulatedBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Simulate a trip")
      .annotate(
        OpenApi.Description,
        "Sends readings as the person's phone, and the service treats them like those of any phone: rules fire, webhooks are delivered, visits are derived. Nothing waits: the readings carry times in the past, and the last one is `late_minutes` ago. A reading that is captured before a rule was made does not fire the rule, so a late trip may be too early for a new rule. `arrive` begins 500 m outside of the place, a minute earlier; `leave` ends 500 m outside, and a `stay` has a reading in each minute. The arrival of a stay of more than 15 minutes is too old to fire an `enter` rule; a `dwell` rule fires if its `dwell_minutes` are not longer than the stay. 409 when a `stay` without `late_minutes` would begin before the phone's newest reading, when an `arrive` or `leave` follows that reading at once, and when the app is in production."
      )
  )
  .middleware(ClientAuth)
  .annotate(OpenApi.Title, "Test people")
  .annotate(OpenApi.Description, "For apps in the sandbox: made-up people, and their trips")
