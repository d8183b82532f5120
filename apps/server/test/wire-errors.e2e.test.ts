import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Answer, client, type Client } from "./support/client.js"
import { connect } from "./support/consent.js"
import { startInProcess } from "./support/inProcess.js"
import { sendOversized } from "./support/oversized.js"
import { addDevice, type App, createApp, createPlace, type Person, RULES_SCOPE, signUp } from "./support/people.js"
import { reading } from "./support/phone.js"
import { useProcesses } from "./support/processes.js"
import { type Service, startService } from "./support/service.js"

/**
 * The answers of a real server to wrong requests (Spec §7, decisions §5) always have the same five fields (decision
 * wire-4), and never a value from the request. Every request that can contain the text `CANARY` contains it, and no
 * answer may repeat it.
 */

const CANARY = "canary-Zx81"
const WIRE_PLACE = { label: "Home", kind: "home", lat: 52.37, lon: 4.9, radius_m: 150 }
const PLACE = { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 }

const processes = useProcesses()
let service: Service
let person: Person
let app: App
let accessToken: string
let deviceToken: string
let stranger: Client

beforeAll(async () => {
  service = await startService(processes, { database: "embedded" })
  stranger = client(service.url)
  person = await signUp(service.url, "wire")
  app = await createApp(person, "http://127.0.0.1:9/callback", [RULES_SCOPE, "location.place.current"])
  const place = await createPlace(person, PLACE)
  const tokens = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
  accessToken = tokens.access_token
  deviceToken = await addDevice(person)
})
afterAll(() => service?.close())

const statusAndBody = ({ json, status, text }: Answer): [number, unknown] => [status, json ?? text]

const refused = (answer: Answer, status: number, error: string): void => {
  const help = {
    ...(error === "invalid_token" ? {} : { request_id: answer.headers.get("x-request-id") }),
    doc_url: expect.stringMatching(new RegExp(`/docs/errors/${error}$`))
  }
  expect(statusAndBody(answer)).toEqual([status, { statusCode: status, error, message: expect.anything(), ...help }])
  const { message } = answer.json as { message: unknown }
  for (const sentence of Array.isArray(message) ? message : [message]) {
    expect(typeof sentence).toBe("string")
    expect(sentence).not.toBe("")
  }
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
  expect(answer.text).not.toContain(CANARY)
}

/**
 * The text of an answer without the parts that differ between two answers: the request's id, and the address of the
 * server.
 */
const textOf = ({ text }: Answer): string =>
  text.replace(/"request_id":"[^"]*"/, '"request_id":""').replace(/"doc_url":"[^"]*\/docs/, '"doc_url":"/docs')

const messages = ({ json }: Answer): ReadonlyArray<string> => {
  const { message } = json as { message: string | ReadonlyArray<string> }
  return typeof message === "string" ? [message] : message
}

const raw = (visitor: Client, path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  visitor.raw("POST", path, body, { "content-type": "application/json", ...headers })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe("a body that is no JSON", () => {
  it.each([
    ["cut off", `{"email": "${CANARY}`],
    ["NaN", `{"lat": NaN, "label": "${CANARY}"}`],
    ["Infinity", `{"lat": -Infinity, "label": "${CANARY}"}`],
    ["a trailing comma", `{"email": "${CANARY}",}`],
    ["single quotes", `{'email': '${CANARY}'}`],
    ["a NUL inside a text", String.raw`{"email": "\u0000${CANARY}"}`],
    ["nested 200,000 deep", "[".repeat(200_000)]
  ])("%s: 400 invalid_request, wherever it is sent", async (_, body) => {
    refused(await raw(stranger, "/v1/accounts", body), 400, "invalid_request")
    refused(await raw(person.as, "/v1/user/places", body), 400, "invalid_request")
    refused(await raw(stranger, "/v1/phone/locations", body, bearer(deviceToken)), 400, "invalid_request")
  })

  it("nothing at all: 400 validation_failed", async () => {
    refused(await raw(stranger, "/v1/accounts", ""), 400, "validation_failed")
    refused(await raw(stranger, "/v1/phone/locations", "", bearer(deviceToken)), 400, "validation_failed")
  })

  it("bytes that are no UTF-8: 400 invalid_request", async () => {
    const body = Buffer.concat([Buffer.from('{"email": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
    refused(await raw(stranger, "/v1/accounts", body), 400, "invalid_request")
  })

  it("a token request: 400 invalid_request", async () => {
    refused(await raw(stranger, "/v1/oauth/token", `{"clientSecret": "${CANARY}`), 400, "invalid_request")
  })
})

describe("fields of a wrong type or value", () => {
  it("every problem at once, each naming its field", async () => {
    const answer = await stranger.call("POST", "/v1/accounts", { json: { email: { a: CANARY }, password: [CANARY] } })
    refused(answer, 400, "validation_failed")
    expect(messages(answer)).toHaveLength(2)
    expect(messages(answer).join()).toMatch(/email.*password/)
  })

  it.each([
    ["a text", { ...WIRE_PLACE, lat: CANARY }, "lat"],
    ["null", { ...WIRE_PLACE, lon: null }, "lon"],
    ["latitude 90.0001", { ...WIRE_PLACE, lat: 90.0001 }, "lat"],
    ["longitude -180.0001", { ...WIRE_PLACE, lon: -180.0001 }, "lon"],
    ["radius 99.9", { ...WIRE_PLACE, radius_m: 99.9 }, "radius_m"],
    ["radius 10000.1", { ...WIRE_PLACE, radius_m: 10_000.1 }, "radius_m"],
    ["an unknown kind", { ...WIRE_PLACE, kind: CANARY }, "kind"],
    ["a label of 81 characters", { ...WIRE_PLACE, label: CANARY + "x".repeat(70) }, "label"]
  ])("a place with %s: 400 validation_failed naming the field", async (_, json, field) => {
    const answer = await person.as.call("POST", "/v1/user/places", { json })
    refused(answer, 400, "validation_failed")
    expect(messages(answer)).toEqual([expect.stringMatching(new RegExp(`^${field}\\b`))])
  })

  it("a number too large to be one, 1e999: 400 validation_failed", async () => {
    const body = JSON.stringify({ ...WIRE_PLACE, lat: 0 }).replace('"lat":0', '"lat":1e999')
    refused(await raw(person.as, "/v1/user/places", body), 400, "validation_failed")
  })

  it.each([
    ["no object", [CANARY]],
    ["locations as an object", { locations: { 0: CANARY } }]
  ])("an upload with %s: 400 validation_failed", async (_, json) => {
    refused(await stranger.call("POST", "/v1/phone/locations", { token: deviceToken, json }), 400, "validation_failed")
  })

  it.each([
    ["a time without zone", { captured_at: "2026-01-01T00:00:00", lat: 1, lon: 1 }],
    ["a time that is no time", { captured_at: CANARY, lat: 1, lon: 1 }],
    ["a latitude as text", { captured_at: new Date().toISOString(), lat: CANARY, lon: 1 }],
    ["no latitude", { captured_at: new Date().toISOString(), lon: 1 }]
  ])("a reading with %s is put aside and counted, its upload is taken", async (_, location) => {
    const answer = await stranger.call("POST", "/v1/phone/locations", {
      token: deviceToken,
      json: { locations: [location] }
    })
    expect(statusAndBody(answer)).toEqual([200, { accepted: 0, duplicates: 0, quarantined: 1 }])
  })

  it("a rule with everything wrong: 400 validation_failed", async () => {
    const json = { type: CANARY, place_id: 5, dwell_minutes: "5", active_until: CANARY, max_event_age_s: 29.5 }
    refused(await stranger.call("POST", "/v1/rules/place", { token: accessToken, json }), 400, "validation_failed")
  })
})

describe("readings that cannot be", () => {
  it("are put aside and counted, and the rest of the upload is taken [L3]", async () => {
    const now = Date.now()
    const here = { lat: 52.3, lon: 4.8 }
    const locations = [
      reading(now - 1_000, here),
      reading(now - 2_000, { ...here, lat: 90.5 }),
      reading(now - 3_000, { ...here, lon: -180.5 }),
      reading(now - 4_000, { lat: 0, lon: 0 }),
      reading(now + 3_600_000, here),
      reading(Date.UTC(2009, 11, 31), here)
    ]
    const answer = await stranger.call("POST", "/v1/phone/locations", { token: deviceToken, json: { locations } })
    expect(statusAndBody(answer)).toEqual([200, { accepted: 1, duplicates: 0, quarantined: 5 }])
  })

  it("a latitude of 1e999 does not stop an upload for good", async () => {
    const at = new Date(Date.now() - 5_000).toISOString()
    const body = `{"locations":[{"captured_at":"${at}","lat":1e999,"lon":4},{"captured_at":"${at}","lat":52,"lon":4}]}`
    const answer = await raw(stranger, "/v1/phone/locations", body, bearer(deviceToken))
    expect(statusAndBody(answer)).toEqual([200, { accepted: 1, duplicates: 0, quarantined: 1 }])
  })
})

describe("a body that is too large", () => {
  it.each([
    ["20 MiB with its length", 20, true],
    ["20 MiB in chunks, without a length", 20, false],
    ["2 MiB in chunks, without a length", 2, false]
  ])("%s: 413 payload_too_large", async (_, mebibytes, withLength) => {
    refused(await sendOversized(`${service.url}/v1/accounts`, { mebibytes, withLength }), 413, "payload_too_large")
    refused(await sendOversized(`${service.url}/v1/oauth/token`, { mebibytes, withLength }), 413, "payload_too_large")
  })

  it.each([true, false])("an upload of 20 MiB, length said: %s: 413", async (withLength) => {
    const url = `${service.url}/v1/phone/locations`
    refused(await sendOversized(url, { mebibytes: 20, withLength, token: deviceToken }), 413, "payload_too_large")
  })

  it("an upload of 7 MiB is read", async () => {
    const body = `{"locations":[]}${" ".repeat(7 * 1_048_576)}`
    const answer = await raw(stranger, "/v1/phone/locations", body, bearer(deviceToken))
    expect(statusAndBody(answer)).toEqual([200, { accepted: 0, duplicates: 0, quarantined: 0 }])
  })
})

describe("routes, methods and content types", () => {
  it.each(["/v1/nothing", `/v1/${CANARY}`, `/v1/rules/place/x/${CANARY}`, "/v1"])(
    "nothing at %s: 404 not_found",
    async (path) => refused(await stranger.call("GET", path), 404, "not_found")
  )

  it.each([
    ["DELETE", "/v1/me", "GET"],
    ["GET", "/v1/oauth/token", "POST"],
    ["PUT", "/v1/phone/locations", "POST"],
    ["PATCH", "/v1/rules/place", "POST"]
  ])("%s %s: 405 method_not_allowed, and Allow says what there is", async (method, path, allowed) => {
    const answer = await stranger.call(method, path)
    refused(answer, 405, "method_not_allowed")
    expect(answer.headers.get("allow")).toContain(allowed)
  })

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"])(
    "JSON declared as %s: 415 unsupported_media_type",
    async (type) => {
      const body = JSON.stringify({ email: CANARY })
      refused(await stranger.raw("POST", "/v1/accounts", body, { "content-type": type }), 415, "unsupported_media_type")
    }
  )

  it("a token request as XML: 415 unsupported_media_type", async () => {
    const answer = await stranger.raw("POST", "/v1/oauth/token", "<a/>", { "content-type": "application/xml" })
    refused(answer, 415, "unsupported_media_type")
  })
})

describe("credentials", () => {
  it("every token that is no good gets the same answer: 401 invalid_token", async () => {
    const revoked = await connectAndRevoke()
    const [kind, id, secret = ""] = accessToken.split(".")
    const bad: ReadonlyArray<Record<string, string>> = [
      {},
      { authorization: "Bearer" },
      { authorization: `Bearer ${CANARY}` },
      { authorization: `Basic ${accessToken}` },
      { authorization: `Bearer${accessToken}` },
      { authorization: `Bearer ${accessToken} ${CANARY}` },
      bearer(`${kind}.${id}.${secret.slice(1)}x`),
      bearer(`${kind}.con_${CANARY}.${secret}`),
      bearer(deviceToken),
      bearer(revoked)
    ]
    const answers = await Promise.all(bad.map((headers) => stranger.call("GET", "/v1/me", { headers })))
    for (const answer of answers) {
      refused(answer, 401, "invalid_token")
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer\b.*error="invalid_token"/)
    }
    expect(new Set(answers.map(textOf)).size).toBe(1)
  })

  it("an expired token gets that answer, too: a token is live for 3,599.999 s", async () => {
    const other = await startInProcess(Date.now())
    try {
      const owner = await signUp(other.url, "expiry")
      const { access_token } = await connect(owner, await createApp(owner, app.redirectUri), [RULES_SCOPE], {
        places: []
      })
      other.clock.advance(3_599_999)
      expect((await owner.as.call("GET", "/v1/me", { token: access_token })).status).toBe(200)
      other.clock.advance(1)
      const expired = await owner.as.call("GET", "/v1/me", { token: access_token })
      refused(expired, 401, "invalid_token")
      const malformed = await stranger.call("GET", "/v1/me", { token: CANARY })
      expect(textOf(expired)).toBe(textOf(malformed))
    } finally {
      await other.close()
    }
  })

  it("a token in the address is not read [§5.1]", async () => {
    refused(await stranger.call("GET", `/v1/me?access_token=${accessToken}`), 401, "invalid_token")
  })

  it("a phone needs a device token: 401 invalid_token", async () => {
    const json = { locations: [] }
    refused(await stranger.call("POST", "/v1/phone/locations", { json }), 401, "invalid_token")
    refused(await stranger.call("POST", "/v1/phone/locations", { json, token: accessToken }), 401, "invalid_token")
  })

  it("a scope that was not granted: 403 missing_scope, which it names", async () => {
    const tokens = await connect(person, app, ["location.place.current"], { places: [] })
    const answer = await stranger.call("POST", "/v1/rules/place", {
      token: tokens.access_token,
      json: { type: "enter", place_id: CANARY }
    })
    refused(answer, 403, "missing_scope")
    expect(messages(answer).join()).toContain(RULES_SCOPE)
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer\b.*error="insufficient_scope"/)
    // Makes a connection with the scope for rules, which the tests below use.
    accessToken = (await connect(person, app, [RULES_SCOPE], { places: [] })).access_token
  })

  it("nobody signed in: 401 not_signed_in", async () => {
    refused(await stranger.call("GET", "/v1/user/places"), 401, "not_signed_in")
    refused(await stranger.call("GET", `/v1/developer/apps/${app.id}/webhooks`), 401, "not_signed_in")
    const json = { email: person.email, password: `wrong ${CANARY}` }
    refused(await stranger.call("POST", "/v1/session", { json }), 401, "not_signed_in")
  })

  it.each(["https://evil.example", "null", ""])(
    "a change with the cookie from origin %j: 403 forbidden [A3]",
    async (origin) => {
      const answer = await person.as.call("POST", "/v1/user/places", { json: WIRE_PLACE, headers: { origin } })
      refused(answer, 403, "forbidden")
    }
  )

  it("a wrong client secret: 401 invalid_client", async () => {
    const json = { grantType: "refresh_token", clientId: app.id, clientSecret: CANARY, refreshToken: CANARY }
    refused(await stranger.call("POST", "/v1/oauth/token", { json }), 401, "invalid_client")
    refused(
      await stranger.call("POST", "/v1/oauth/revoke", {
        json: { clientId: app.id, clientSecret: CANARY, token: CANARY }
      }),
      401,
      "invalid_client"
    )
  })

  it("a code that is none, a refresh token that is none: 400 invalid_grant", async () => {
    const who = { clientId: app.id, clientSecret: app.clientSecret }
    const exchange = {
      ...who,
      grantType: "authorization_code",
      code: CANARY,
      codeVerifier: "v".repeat(43),
      redirectUri: app.redirectUri
    }
    refused(await stranger.call("POST", "/v1/oauth/token", { json: exchange }), 400, "invalid_grant")
    const refresh = { ...who, grantType: "refresh_token", refreshToken: CANARY }
    refused(await stranger.call("POST", "/v1/oauth/token", { json: refresh }), 400, "invalid_grant")
  })

  it("two names for one thing with two values: 400 invalid_request [O1]", async () => {
    const json = { grantType: "refresh_token", grant_type: CANARY, clientId: app.id, clientSecret: app.clientSecret }
    refused(await stranger.call("POST", "/v1/oauth/token", { json }), 400, "invalid_request")
  })
})

it("the server's log repeats none of it either", () => {
  expect(service.server().output()).not.toContain(CANARY)
  expect(service.server().output()).not.toContain(app.clientSecret)
  expect(service.server().output()).not.toContain(accessToken)
  expect(service.server().output()).not.toContain(deviceToken)
})

const connectAndRevoke = async (): Promise<string> => {
  const other = await createApp(person, app.redirectUri)
  const tokens = await connect(person, other, [RULES_SCOPE], { places: [] })
  await stranger.expect("POST", "/v1/oauth/revoke", {
    status: 200,
    as: Schema.Unknown,
    json: { clientId: other.id, clientSecret: other.clientSecret, token: tokens.access_token }
  })
  return tokens.access_token
}
