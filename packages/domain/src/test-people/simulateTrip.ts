import { Effect } from "effect"
import type { App } from "../apps/App.js"
import { DeviceStore } from "../devices/DeviceStore.js"
import type { Reading } from "../fixes/Fix.js"
import { ingestFixes } from "../fixes/ingestFixes.js"
import type { Ingested } from "../fixes/storeUploads.js"
import { Conflict, Invalid, NotFound, type PlaceId, program, Timestamp, type UserId } from "../shared/index.js"
import { getTestPerson } from "./manageTestPeople.js"
import * as TestPerson from "./TestPerson.js"
import * as Trip from "./Trip.js"

/**
 * A developer's request for a trip: an arrival at, a departure from or a stay at one of the person's places, or a
 * recorded log.
 */
export type TripRequest =
  | {
      readonly kind: "arrive" | "leave" | "stay"
      readonly placeId: PlaceId
      /** The length of a stay in minutes; ignored for the other kinds. */
      readonly minutes: number
      readonly accuracyM: number
      readonly lateMinutes: number
    }
  | {
      readonly kind: "log"
      readonly readings: ReadonlyArray<Reading>
      /** The field of the request that contains the recorded readings. An error names this field. */
      readonly field: "file" | "locations"
      readonly lateMinutes: number
    }

/** The readings that a trip sent, and the result of their upload. */
export interface Simulated {
  /** How many readings the phone sent. */
  readonly readings: number
  /** When the first reading was captured. */
  readonly from: Timestamp.Timestamp
  /** When the last reading was captured. */
  readonly until: Timestamp.Timestamp
  readonly ingested: Ingested
}

/**
 * Sends the readings of a trip as the test person's phone, through the program for real uploads: rules fire, webhooks
 * are delivered and visits derived. The readings are captured in the past, so that the developer need not wait an hour
 * for a trip of an hour. Its errors:
 * - `NotFound` for an unknown person or place, and when the person's phone was removed.
 * - `Conflict` for an app that can have no test people (`TestPerson.unavailable`), and when the trip does not fit
 *   between the newest reading and now.
 * - `Invalid` for a log without readings, and for a log that spans so much time that its first reading would be
 *   captured before the year 0.
 */
export const simulateTrip = program("simulateTrip", function* (app: App, id: UserId, request: TripRequest) {
  const person = yield* getTestPerson(app, id)
  const reason = TestPerson.unavailable(app)
  if (reason !== undefined) return yield* new Conflict({ reason })
  const trip = yield* tripOf(person, request)
  const phone = (yield* (yield* DeviceStore).list(id))[0]
  if (phone === undefined) return yield* new NotFound({ what: "phone" })
  const readings = yield* Trip.readings(trip, person.lastReadingAt, yield* Timestamp.now)
  const [first, last] = [readings[0], readings.at(-1)]
  const field = request.kind === "log" ? request.field : "trip"
  if (first === undefined || last === undefined) return yield* Invalid.of(field, "must have at least one reading")
  if (first.capturedAt < Timestamp.FIRST) return yield* Invalid.of(field, TOO_LONG)
  const simulated: Simulated = {
    readings: readings.length,
    from: first.capturedAt,
    until: last.capturedAt,
    ingested: yield* Effect.catchTag(ingestFixes(phone, readings, []), "InvalidDeviceToken", () =>
      Effect.fail(new NotFound({ what: "phone" }))
    )
  }
  return simulated
})

const TOO_LONG = "must span less time: when the last reading is moved to the present, the first is before the year 0"

const tripOf = (person: TestPerson.TestPerson, request: TripRequest): Effect.Effect<Trip.Trip, NotFound> => {
  if (request.kind === "log") return Effect.succeed(request)
  const place = person.places.find((one) => one.id === request.placeId)
  return place === undefined ? new NotFound({ what: "place" }) : Effect.succeed({ ...request, circle: place.circle })
}
