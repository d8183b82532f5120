import { Timestamp } from "@place-access/domain/shared"
import { Geometry } from "@place-access/domain/places"
import type { Rule } from "@place-access/domain/rules"
import { Effect, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { arrivals } from "./arrivals.js"
import { DWELL_MINUTES, watcher } from "./choosePlace.js"
import * as Consent from "./consent.js"
import type { Upload } from "./PhoneLog.js"
import type { Received, DemoReceiver } from "./Receiver.js"
import * as say from "./say.js"
import type { TravelClock } from "./TravelClock.js"
import { TourStopped, make as makeVisitor, type DemoVisitor } from "./Visitor.js"

const SCOPE = "location.rules.place"
const LABEL = "Corner café"
/** No server listens at this address: the tour reads the code from the redirect itself. */
const REDIRECT_URI = "http://127.0.0.1:9/callback"

export interface Person {
  readonly email: string
  readonly password: string
}

export interface Tour {
  readonly baseUrl: string
  readonly person: Person
  readonly place: Geometry.Circle
  readonly uploads: ReadonlyArray<Upload>
  readonly receiver: DemoReceiver
  readonly clock: TravelClock
  /** The pause between two uploads, so that a person can watch. */
  readonly pauseMillis: number
}

const Identified = Schema.Struct({ id: Schema.String })
const WithToken = Schema.Struct({ id: Schema.String, token: Schema.String })
const WithSecret = Schema.Struct({ id: Schema.String, secret: Schema.String })
const Credentials = Schema.Struct({ clientId: Schema.String, clientSecret: Schema.String })
const Tokens = Schema.Struct({
  access_token: Schema.String,
  refresh_token: Schema.String,
  scope: Schema.String,
  sub: Schema.String
})
const Counted = Schema.Struct({ accepted: Schema.Number, duplicates: Schema.Number, quarantined: Schema.Number })
const AccessLog = Schema.Struct({
  entries: Schema.Array(
    Schema.Struct({
      at: Schema.String,
      app_name: Schema.String,
      endpoint: Schema.String,
      disclosed: Schema.NullOr(Schema.String)
    })
  )
})
const Event = Schema.parseJson(
  Schema.Struct({ type: Schema.String, occurred_at: Schema.String, target: Schema.Struct({ label: Schema.String }) })
)

/**
 * The whole tour, from a sign-up to verified webhooks and the access log. The tour uses the service over HTTP, like any
 * other client.
 */
export const run = (tour: Tour): Effect.Effect<void, TourStopped> =>
  Effect.gen(function* () {
    const { baseUrl, person } = tour
    const browser = makeVisitor(baseUrl)
    yield* signUp(browser, person)
    const placeId = yield* makePlace(browser, tour.place)
    const phoneToken = yield* pairPhone(browser)
    const app = yield* makeApp(browser, tour.receiver)
    const tokens = yield* connect(browser, makeVisitor(baseUrl), app, placeId, baseUrl)
    yield* setRules(makeVisitor(baseUrl), tokens.access_token, placeId)
    yield* walk(makeVisitor(baseUrl), phoneToken, tour)
    yield* showWebhooks(tour)
    yield* showAccessLog(makeVisitor(baseUrl), person)
  })

const signUp = (browser: DemoVisitor, person: Person) =>
  Effect.gen(function* () {
    say.step("Robin", "makes an account and signs in. Robin writes apps, and has a phone.")
    yield* browser.ask(Identified, "POST", "/v1/accounts", { json: { ...person, display_name: "Robin" } })
    yield* signIn(browser, person)
    say.fact("e-mail", person.email)
  })

const signIn = (browser: DemoVisitor, person: Person) =>
  browser.ask(Schema.Unknown, "POST", "/v1/session", { json: person })

const makePlace = (browser: DemoVisitor, { lat, lon, radiusM }: Geometry.Circle) =>
  Effect.gen(function* () {
    say.step("As a user", `Robin draws a circle of ${radiusM} m around a place and calls it ${LABEL}.`)
    const { id } = yield* browser.ask(Identified, "POST", "/v1/user/places", {
      json: { label: LABEL, kind: "restaurant", lat, lon, radius_m: radiusM }
    })
    say.fact("place", id)
    return id
  })

const pairPhone = (browser: DemoVisitor) =>
  Effect.gen(function* () {
    say.step("The phone", "gets a token to upload locations with.")
    const { id, token } = yield* browser.ask(WithToken, "POST", "/v1/user/devices", {
      json: { name: "Robin's phone", format: "json" }
    })
    say.fact("device", id)
    return token
  })

interface App {
  readonly id: string
  readonly secret: string
}

const makeApp = (browser: DemoVisitor, receiver: DemoReceiver) =>
  Effect.gen(function* () {
    say.step("As a developer", "Robin makes an app, Umbrella, and registers an address for its webhooks.")
    const { id } = yield* browser.ask(Identified, "POST", "/v1/developer/apps", {
      json: { name: "Umbrella", description: "Reminds you to take your umbrella along", scopes: [SCOPE] }
    })
    const { clientSecret } = yield* browser.ask(Credentials, "POST", `/v1/oauth/clients/${id}`, {
      json: { redirectUris: [REDIRECT_URI] }
    })
    const { secret } = yield* browser.ask(WithSecret, "POST", `/v1/developer/apps/${id}/webhooks`, {
      json: { url: receiver.url, events: ["rule.fired"] }
    })
    receiver.trust(secret)
    say.fact("client id", id)
    say.fact("webhooks to", receiver.url)
    say.fact(
      "",
      say.dim("A new app is a sandbox app: until it is reviewed, only its holder can connect it. So Robin does.")
    )
    return { id, secret: clientSecret }
  })

const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

const connect = (browser: DemoVisitor, server: DemoVisitor, app: App, placeId: string, baseUrl: string) =>
  Effect.gen(function* () {
    const [verifier, state] = [base64Url(randomBytes(32)), base64Url(randomBytes(16))]
    const query = new URLSearchParams({
      client_id: app.id,
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      code_challenge: base64Url(createHash("sha256").update(verifier).digest()),
      code_challenge_method: "S256",
      state
    })
    say.step("Robin", `opens the consent page, shares ${LABEL} with Umbrella without an end, and presses Allow.`)
    const url = `${baseUrl}/authorize?${query.toString()}`
    const back = yield* Consent.allow(browser, { url, scope: SCOPE, placeId })
    const code = back.searchParams.get("code")
    if (code === null || back.searchParams.get("state") !== state) {
      return yield* new TourStopped({ message: `the consent page sent the browser to ${back.href}` })
    }
    say.fact("comes back with", `code=${code.slice(0, 24)}…`)

    say.step("Umbrella's server", "exchanges the code for tokens.")
    const tokens = yield* server.ask(Tokens, "POST", "/v1/oauth/token", {
      json: {
        grantType: "authorization_code",
        clientId: app.id,
        clientSecret: app.secret,
        code,
        codeVerifier: verifier,
        redirectUri: REDIRECT_URI
      }
    })
    say.fact("scope", tokens.scope)
    say.fact("knows Robin as", `${tokens.sub} ${say.dim("(another app would get another name)")}`)
    return tokens
  })

/** The fields of the demo's rules, in the order in which the app makes the rules. */
const FIELDS: Readonly<Record<Rule.RuleType, { readonly dwell_minutes?: number }>> = {
  enter: {},
  dwell: { dwell_minutes: DWELL_MINUTES },
  exit: {}
}

const setRules = (server: DemoVisitor, token: string, placeId: string) =>
  Effect.gen(function* () {
    say.step("Umbrella", `sets three rules on ${LABEL}: on arrival, after ${DWELL_MINUTES} minutes, and on departure.`)
    for (const [type, fields] of Object.entries(FIELDS)) {
      const { id } = yield* server.ask(Identified, "POST", "/v1/rules/place", {
        token,
        json: { type, ...fields, place_id: placeId }
      })
      say.fact(type, id)
    }
  })

const known = (value: number): number | null => (value < 0 ? null : value)

/** The demo prints at most this number of uploads, because a log may cover days. */
const SHOWN_MAX = 40

const walk = (phone: DemoVisitor, token: string, { clock, pauseMillis, place, receiver, uploads }: Tour) =>
  Effect.gen(function* () {
    const watch = watcher(place)
    const expected: Array<Rule.RuleType> = []
    const readings = uploads.reduce((sum, upload) => sum + upload.readings.length, 0)
    say.step("The phone", `uploads ${readings} readings as it recorded them, in ${uploads.length} uploads.`)
    const total = { accepted: 0, duplicates: 0, quarantined: 0 }
    const every = Math.ceil(uploads.length / SHOWN_MAX)
    for (const [index, upload] of uploads.entries()) {
      clock.moveTo(upload.at)
      if (index % every === 0) showUpload(upload, place)
      const counted = yield* phone.ask(Counted, "POST", "/v1/phone/locations", {
        token,
        json: {
          locations: upload.readings.map((one) => ({
            captured_at: Timestamp.toIso(Timestamp.make(one.capturedAt)),
            lat: one.lat,
            lon: one.lon,
            accuracy_m: known(one.accuracyM),
            altitude_m: one.altitudeM,
            speed_mps: known(one.speedMps),
            course_deg: known(one.courseDeg)
          }))
        }
      })
      total.accepted += counted.accepted
      total.duplicates += counted.duplicates
      total.quarantined += counted.quarantined
      // Waits for the webhooks before the next move of the clock. If the clock jumped while a webhook is in flight, the
      // webhook's signature would be too old when it arrives.
      expected.push(...watch(upload))
      yield* arrivals(receiver, expected)
      yield* Effect.sleep(pauseMillis)
    }
    clock.arrive()
    say.fact(
      "stored",
      `${total.accepted} readings, ${total.duplicates} sent twice, ${total.quarantined} set aside as impossible`
    )
  })

const showUpload = ({ at, readings }: Upload, place: Geometry.Circle): void => {
  const last = readings.at(-1)
  if (last === undefined) return
  const time = say.clockTime(Timestamp.toIso(Timestamp.make(at)))
  const metres = Math.round(Geometry.distanceM(place, last))
  const count = `${readings.length} ${readings.length === 1 ? "reading" : "readings"}`
  say.line(say.dim(`     ${time}  ${count.padEnd(12)} ${metres} m from the middle of ${LABEL}`))
}

/** Prints a webhook as soon as it arrives, which may be between two uploads of the phone. */
export const showArrival = ({ body, verification }: Received): void => {
  const event = Schema.decodeUnknownOption(Event)(body)
  if (event._tag === "None") return say.line(`     ${say.red("a webhook that cannot be read")}`)
  const { occurred_at, target, type } = event.value
  const genuine = verification.ok ? say.green("genuine") : say.red(`not accepted: ${verification.message}`)
  say.line(
    `     ${say.bold("webhook:")} ${type} at ${target.label}, ${say.clockTime(occurred_at)}. The signature is ${genuine}.`
  )
}

const showWebhooks = ({ receiver }: Tour) =>
  Effect.gen(function* () {
    const genuine = receiver.received.filter(({ verification }) => verification.ok)
    say.step(
      "Umbrella",
      `got ${receiver.received.length} webhooks, ${genuine.length} of them genuine. The last one, as it came:`
    )
    const last = receiver.received.at(-1)
    if (last === undefined) return
    say.line(say.dim(`     X-Service-Signature: ${last.header}`))
    for (const line of JSON.stringify(JSON.parse(last.body), null, 2).split("\n")) say.line(say.dim(`     ${line}`))
    if (genuine.length < receiver.received.length) {
      return yield* new TourStopped({ message: "a webhook was not genuine" })
    }
  })

const showAccessLog = (browser: DemoVisitor, person: Person) =>
  Effect.gen(function* () {
    say.step(
      "Robin",
      "signs in again and reads the access log: every request of Umbrella, and what Umbrella learned, newest first."
    )
    // Signs in again: the session of the sign-up ends when nobody uses it for 14 days, and a log may cover more days.
    yield* signIn(browser, person)
    const { entries } = yield* browser.ask(AccessLog, "GET", "/v1/user/access-log?limit=10")
    for (const { app_name, at, disclosed, endpoint } of entries) {
      say.fact(`${say.clockTime(at)} ${app_name}`, `${endpoint}${disclosed === null ? "" : `: ${disclosed}`}`)
    }
  })
