import { Schema } from "effect"
import { client } from "../support/client.js"
import { connect, TokenResponse } from "../support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule } from "../support/people.js"
import { type Reading, reading, ridePast, upload } from "../support/phone.js"
import { SHARED } from "./heard.js"
import type { Receiver } from "../support/receiver.js"
import type { Letter } from "../support/mailServer.js"
import { signUpByMail } from "../support/signUpByMail.js"
import { until } from "../support/until.js"

/** An action that people, apps and phones repeat all day, and the tables that it needs. */
export interface Program {
  readonly name: string
  readonly run: () => Promise<unknown>
  /**
   * The tables that some statement must name during the action. Without this list, the test would pass with a recorder
   * that records nothing.
   */
  readonly needs: ReadonlyArray<string>
}

const SCOPES = [
  "location.place.current",
  "location.place.lookup",
  "location.places.watch",
  "location.visits.read",
  "location.rules.place",
  "location.rules.zone",
  "location.zone.verify",
  "location.latest.read",
  "location.history.read",
  "location.lookup"
]
const PURPOSE = "order_ahead"
const PLACE = { label: "Corner café", lat: 52.3702, lon: 4.8952, radiusM: 150 }
const MINUTE = 60_000

const Deliveries = Schema.Struct({ deliveries: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Entries = Schema.Struct({ entries: Schema.Array(Schema.Unknown) })

const Connections = Schema.Struct({ connections: Schema.Array(Schema.Struct({ id: Schema.String })) })

const Identified = Schema.Struct({ id: Schema.String })

const anyBody = { as: Schema.Unknown }

/** Answers 200 to all requests once `count` requests have arrived. */
const gate = (count: number) => {
  let come = 0
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const held = async (): Promise<number> => {
    if (++come === count) open()
    await opened
    return 200
  }
  return { held, opened }
}

interface Outside {
  readonly receiver: Receiver
  /** Messages that the mail server received. */
  readonly letters: ReadonlyArray<Letter>
  /** Whether a statement was sent whose text matches. */
  readonly wasSent: (text: RegExp) => boolean
}

/** Makes the data that the actions need, and returns the actions. The caller must run the actions in order. */
export const programs = async (
  serviceUrl: string,
  { letters, receiver, wasSent }: Outside
): Promise<ReadonlyArray<Program>> => {
  const person = await signUpByMail(serviceUrl, { letters })
  const app = await createApp(person, "http://127.0.0.1:1/callback", SCOPES)
  await createEndpoint(person, app, receiver.url)
  await createEndpoint(person, app, `${receiver.url}/broken`)
  await createEndpoint(person, app, `${receiver.url}/places`, ["places.changed"])
  const leaving = await createEndpoint(person, app, `${receiver.url}/leaving`)
  const webhook = `/v1/developer/apps/${app.id}/webhooks/${leaving.id}`
  await person.as.expect("POST", `/v1/developer/apps/${app.id}/purposes`, {
    ...anyBody,
    json: {
      key: PURPOSE,
      description: "To have your coffee ready.",
      scopes: SCOPES.slice(7),
      expected_daily_volume: 20
    }
  })
  const place = await createPlace(person, PLACE)
  const server = client(serviceUrl)
  const credentials = { clientId: app.id, clientSecret: app.clientSecret }
  let tokens: TokenResponse
  let device = ""
  /**
   * The token of a second phone, which reports its visits. The service derives visits from the readings of a phone only
   * if the phone reports no visits. The test needs both cases, so it needs two phones.
   */
  let visitor = ""
  let subscription = ""
  const rules: Array<string> = []

  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    server.expect("GET", `${path}?${new URLSearchParams(query).toString()}`, { ...anyBody, token: tokens.access_token })
  const delivered = async () => {
    const path = `/v1/developer/apps/${app.id}/deliveries?state=delivered`
    return (await person.as.expect("GET", path, { as: Deliveries })).deliveries
  }
  const entries = async () => (await person.as.expect("GET", "/v1/user/access-log", { as: Entries })).entries
  const now = Date.now()
  let ride: ReadonlyArray<Reading> = []
  const at = (millis: number) => new Date(millis).toISOString()
  const day = { from: at(now - 1_440 * MINUTE), to: at(now) }

  return [
    {
      name: "authorise",
      run: async () => void (tokens = await connect(person, app, SCOPES, { scopes: SCOPES, places: [place.id] })),
      // The consent queues an e-mail, the receipt. The action `mail` waits for this e-mail, but a worker may send it
      // long before.
      needs: [
        "mail_outbox",
        "consent_requests",
        "connections",
        "connection_routes",
        "authorization_codes",
        "access_tokens",
        "refresh_tokens"
      ]
    },
    {
      name: "refresh",
      run: async () => {
        const json = { grantType: "refresh_token", ...credentials, refreshToken: tokens.refresh_token }
        tokens = await server.expect("POST", "/v1/oauth/token", { as: TokenResponse, json })
      },
      needs: ["connections", "access_tokens", "refresh_tokens"]
    },
    {
      // This action must send the statements for a delivery that is posted before it is stored. A delivery of
      // `places.changed` is posted first. A delivery of a rule's event is stored first, because the app also has a
      // legacy subscription.
      name: "places that are withdrawn and shared again",
      run: async () => {
        const { connections } = await person.as.expect("GET", "/v1/user/connections", { as: Connections })
        const path = `/v1/user/connections/${connections[0]?.id ?? ""}/places`
        const shared = [{ id: place.id, include_earlier_visits: true }]
        for (const places of [[], shared]) await person.as.expect("PUT", path, { ...anyBody, json: { places } })
        await until("both deliveries", async () => ((await delivered()).length >= 2 ? true : undefined))
      },
      needs: ["connections", "connection_places", "deliveries", "delivery_attempts"]
    },
    {
      name: "set rules",
      run: async () => {
        const token = tokens.access_token
        for (const type of ["enter", "exit"]) rules.push(await createRule(server, token, place, type))
        const zone = { type: "enter", label: "Bridge", lat: 52.36, lon: 4.89, radius_m: 200 }
        rules.push((await server.expect("POST", "/v1/rules/zone", { as: Identified, token, json: zone })).id)
      },
      needs: ["rules", "connections"]
    },
    {
      name: "subscribe, as before endpoints",
      run: async () => {
        const json = { url: `${receiver.url}/subscribed` }
        const made = { as: Identified, token: tokens.access_token, json }
        subscription = (await server.expect("POST", "/v1/subscriptions", made)).id
      },
      needs: ["subscriptions", "connections"]
    },
    {
      name: "mail",
      // The first e-mail confirms the sign-up, and the second one is the receipt of the consent.
      run: () => until("the receipt", () => (letters.length > 1 ? true : undefined)),
      needs: []
    },
    {
      name: "add two phones",
      run: async () => {
        device = await addDevice(person)
        visitor = await addDevice(person)
      },
      needs: ["devices"]
    },
    {
      name: "upload one fix",
      run: async () => void (await upload(server, device, [reading(now - 30 * MINUTE, { lat: 52.3, lon: 4.8 })])),
      needs: ["devices", "upload_streams", "fixes", "rules", "rule_states"]
    },
    {
      name: "upload a visit, and what cannot be",
      run: async () => {
        const visit = { arrival: day.from, departure: at(now - 1_400 * MINUTE), lat: 52.3, lon: 4.8 }
        const locations = [reading(now - 29 * MINUTE, { lat: 91, lon: 4.8 })]
        const json = { locations, visits: [visit, { ...visit, departure: at(now - 1_300 * MINUTE) }] }
        await server.expect("POST", "/v1/phone/locations", { ...anyBody, token: visitor, json })
      },
      needs: ["quarantined_fixes", "visit_reports"]
    },
    {
      name: "upload many that fire, claim, send, finish",
      run: async () => {
        // The readings of the ride are later than the rules, because a fix that is older than a rule does not fire it.
        ride = ridePast(place)
        await upload(server, device, ride)
        const isFiring = ({ body }: { readonly body: Buffer }) => !body.includes("places.changed")
        await receiver.until(
          "both webhooks at all endpoints and the subscription",
          (all) => all.filter(isFiring).length >= 8
        )
        // The worker may store the results, the attempts and the entries of the access log after the receiver has
        // answered, so the test waits for them.
        await until("all deliveries", async () => ((await delivered()).length >= 6 ? true : undefined))
        await until("the access log of both", async () => ((await entries()).length >= 7 ? true : undefined))
      },
      needs: ["events", "endpoints", "deliveries", "delivery_attempts", "access_log"]
    },
    { name: "upload again", run: () => upload(server, device, ride), needs: ["fixes"] },
    { name: "connection", run: () => get("/v1/me"), needs: ["access_tokens", "access_log", "rate_windows"] },
    { name: "current place", run: () => get("/v1/answers/current-place"), needs: ["places", "fixes"] },
    { name: "shared places", run: () => get("/v1/answers/places"), needs: ["places"] },
    {
      name: "presence",
      run: () => get(`/v1/answers/places/${place.id}/presence`, { max_age_s: "600" }),
      needs: ["access_tokens", "connections", "places", "fixes", "access_log", "rate_windows"]
    },
    {
      name: "verify zone",
      run: () =>
        server.expect("POST", "/v1/answers/verify-zone", {
          ...anyBody,
          token: tokens.access_token,
          json: { label: "Bridge", lat: 52.36, lon: 4.89, radius_m: 200 }
        }),
      needs: ["fixes", "budgets"]
    },
    {
      name: "look-up of a moment",
      run: () => get("/v1/lookup/place", { at: ride[18]?.captured_at ?? "" }),
      needs: ["fixes", "place_shapes"]
    },
    { name: "visits", run: () => get("/v1/visits"), needs: ["stays", "visit_reports", "devices"] },
    {
      name: "latest",
      run: () => get("/v1/locations/latest", { purpose: PURPOSE }),
      needs: ["fixes", "history_choices"]
    },
    {
      name: "location of a moment",
      run: () => get("/v1/locations/lookup", { purpose: PURPOSE, at: ride[18]?.captured_at ?? "" }),
      needs: ["fixes"]
    },
    { name: "range", run: () => get("/v1/locations/timerange", { purpose: PURPOSE, ...day }), needs: ["fixes"] },
    { name: "days", run: () => get("/v1/locations/days", { purpose: PURPOSE, ...day }), needs: ["fixes"] },
    { name: "rules", run: () => get("/v1/rules/place"), needs: ["rules"] },
    {
      name: "the user's pages",
      run: async () => {
        for (const path of ["places", "devices", "connections", "access-log", "history", "imports", "volume-flags"]) {
          await person.as.expect("GET", `/v1/user/${path}`, anyBody)
        }
      },
      needs: ["places", "devices", "connections", "access_log"]
    },
    {
      name: "a place that is moved",
      run: () => person.as.expect("PATCH", `/v1/user/places/${place.id}`, { ...anyBody, json: { radius_m: 160 } }),
      needs: ["places", "place_shapes", "upload_streams", "devices"]
    },
    {
      name: "the developer's pages",
      run: async () => {
        for (const path of ["webhooks", "deliveries", "users", "figures", "calls"]) {
          await person.as.expect("GET", `/v1/developer/apps/${app.id}/${path}`, anyBody)
        }
        await person.as.expect("GET", `${webhook}/figures`, anyBody)
        for (const { id } of (await delivered()).slice(0, 1)) {
          await person.as.expect("GET", `/v1/developer/apps/${app.id}/deliveries/${id}`, anyBody)
        }
      },
      needs: ["endpoints", "deliveries", "delivery_attempts", "connections"]
    },
    {
      name: "deliveries that are sent again, and end together",
      run: async () => {
        const first = (await delivered()).slice(0, 4)
        let rounds = 0
        // Whether one statement finishes several deliveries depends on timing. So the action repeats its posts until
        // the recorder has seen this statement.
        await until("some that share a statement", async () => {
          if (rounds++ > 0 && wasSent(SHARED)) return true
          const { held, opened } = gate(first.length)
          receiver.answer(({ path }) => (path.endsWith("broken") ? 500 : held()))
          for (const { id } of first) {
            const path = `/v1/developer/apps/${app.id}/deliveries/${id}/redeliver`
            await until("the last one to end", () => person.as.expect("POST", path, anyBody))
          }
          await opened
        })
      },
      needs: ["deliveries", "endpoints", "delivery_attempts"]
    },
    {
      name: "an endpoint that changes and goes",
      run: async () => {
        await person.as.expect("PATCH", webhook, { ...anyBody, json: { description: "For a while" } })
        await person.as.expect("POST", `${webhook}/rotate-secret`, anyBody)
        await person.as.expect("POST", `${webhook}/test`, anyBody)
        await person.as.expect("DELETE", webhook, anyBody)
      },
      needs: ["endpoints", "deliveries", "delivery_attempts"]
    },
    {
      name: "rules and a subscription that go",
      run: async () => {
        const [first, second, zone] = rules
        const token = tokens.access_token
        await server.expect("DELETE", `/v1/rules/place/${first}`, { ...anyBody, token })
        await server.expect("DELETE", `/v1/rules/zone/${zone}`, { ...anyBody, token })
        await person.as.expect("DELETE", `/v1/user/rules/${second}`, anyBody)
        await server.expect("DELETE", `/v1/subscriptions/${subscription}`, { ...anyBody, token })
      },
      needs: ["rules", "rule_states", "subscriptions"]
    },
    {
      name: "revoke",
      run: async () => {
        const json = { ...credentials, token: tokens.refresh_token }
        const { status } = await server.call("POST", "/v1/oauth/revoke", { json })
        if (status !== 200) throw new Error(`revoking was answered ${status}`)
      },
      needs: ["connections", "access_tokens", "refresh_tokens", "subscriptions"]
    }
  ]
}
