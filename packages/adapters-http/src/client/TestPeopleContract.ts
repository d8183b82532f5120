/** What an app reads and sends about its test people: fields of the API, as in `Contract.ts`. */
import type { AppScope, IsoTime, PlaceAnswer, TokenAnswer } from "./Contract.js"

export interface TestPlaceAnswer extends PlaceAnswer {
  readonly lat: number
  readonly lon: number
  readonly radius_m: number
}

/** A made-up person of an app that is not in production. */
export interface TestPersonAnswer {
  readonly id: string
  readonly name: string
  readonly created_at: IsoTime
  readonly places: ReadonlyArray<TestPlaceAnswer>
  /** The id of the connection, which events name in their field `grant_id`; null when the connection has ended. */
  readonly grant_id: string | null
  /** When the newest reading of the phone was captured; null before the first reading. */
  readonly last_reading_at: IsoTime | null
}

export interface TestPeopleAnswer {
  readonly test_people: ReadonlyArray<TestPersonAnswer>
  readonly nextCursor: null
}

export interface MadeTestPersonAnswer extends TestPersonAnswer {
  /** The tokens of the connection, for `authorization.useTokens`. They are not shown again. */
  readonly tokens: TokenAnswer
  /** The token of the phone, for `POST /v1/phone/locations`. It is not shown again. */
  readonly phone_token: string
}

export interface SimulatedTripAnswer {
  /** How many readings the phone sent. */
  readonly readings: number
  readonly from: IsoTime
  readonly until: IsoTime
  readonly accepted: number
  readonly duplicates: number
  readonly quarantined: number
}

export interface NewTestPlaceBody {
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly kind?: PlaceAnswer["kind"] | undefined
  readonly radius_m?: number | undefined
}

export interface NewTestPersonBody {
  /** 1 to 10 places, all of them shared with the app. */
  readonly places: ReadonlyArray<NewTestPlaceBody>
  readonly name?: string | undefined
  /** The scopes of the connection. Left out: every scope that a user could grant the app now. */
  readonly scopes?: ReadonlyArray<AppScope> | undefined
}

interface LateTrip {
  /** How many minutes ago the trip ended. A reading that is more than 15 minutes old when it arrives fires no rule. */
  readonly late_minutes?: number | undefined
}

interface PlaceTrip extends LateTrip {
  /** One of the person's places. */
  readonly place_id: string
  readonly accuracy_m?: number | undefined
}

export interface RecordedReading {
  readonly captured_at: IsoTime
  readonly lat: number
  readonly lon: number
  readonly accuracy_m?: number | undefined
}

/** A trip of a test person. The trip lies in the past: it ends now, or `late_minutes` ago. */
export type TestTripBody =
  | (PlaceTrip & { readonly trip: "arrive" | "leave" })
  /** `minutes`: 5 to 720. */
  | (PlaceTrip & { readonly trip: "stay"; readonly minutes?: number | undefined })
  | (LateTrip & { readonly trip: "log"; readonly locations: ReadonlyArray<RecordedReading> })
  /** `file`: the text of a file of recorded positions, such as GPX, CSV or a Google Timeline. */
  | (LateTrip & { readonly trip: "file"; readonly file: string })
