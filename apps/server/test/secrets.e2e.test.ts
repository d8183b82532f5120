import { layerEmbedded } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { client, type Client } from "./support/client.js"
import { answerConsent, authorizeUrl, exchangeCode } from "./support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { pkce } from "./support/pkce.js"
import { useProcesses } from "./support/processes.js"
import { type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"
import { until } from "./support/until.js"

/**
 * Plants secrets in a normal use of the service, with right and wrong requests, and then searches for them in
 * everything that remains: the output of the process at its most detailed log level, every row of every table, and the
 * bytes on the disk.
 */

const PLACE = { label: "Corner café", lat: 52.37184613, lon: 13.40495127, radiusM: 150 }

/** The tables that keep a user's coordinates. No other table may contain a coordinate. */
const LOCATION_TABLES = ["devices", "fixes", "place_shapes", "places", "quarantined_fixes", "visit_reports"]

const processes = useProcesses()
let service: Service
let receiver: Receiver
let output: string
let tables: ReadonlyMap<string, string>
let files: ReadonlyMap<string, Buffer>

const secrets = new Map<string, string>()
const keep = (name: string, secret: string): string => {
  if (secret.length < 20) throw new Error(`${name} is too short to be searched for`)
  secrets.set(name, secret)
  return secret
}
const coordinates = new Set<string>()
/**
 * Remembers the coordinate with five digits after the point (about a meter), so that the tests can search for it. A
 * text that contains more digits of the coordinate contains these digits too.
 */
const keepPoint = ({ lat, lon }: { readonly lat: number; readonly lon: number }): void => {
  for (const number of [lat, lon]) coordinates.add(/^-?\d+\.\d{1,5}/.exec(String(number))?.[0] ?? String(number))
}

const Secret = Schema.Struct({ secret: Schema.String })
const Credentials = Schema.Struct({ clientSecret: Schema.String })
const Row = Schema.Struct({ row: Schema.String })
const Name = Schema.Struct({ name: Schema.String })

/** The rows of every table as PostgreSQL prints them. The rows of a partition count as rows of its parent. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient
  const names = yield* sql`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`
  const found = new Map<string, string>()
  for (const { name } of yield* Schema.decodeUnknown(Schema.Array(Name))(names)) {
    const rows = yield* sql`select t::text as row from ${sql(name)} t`
    const texts = yield* Schema.decodeUnknown(Schema.Array(Row))(rows)
    found.set(name, texts.map(({ row }) => row).join("\n"))
  }
  return found
})

const readAll = async (folder: string): Promise<ReadonlyMap<string, Buffer>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)))
}

/** The secret as it is, and in the encodings in which a careless program could print it. */
const spellings = (secret: string): ReadonlyArray<string> => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("base64").replace(/.?=*$/, "")
]

/**
 * The names of the secrets that `text` contains. The values are left out, because they would appear in the test's
 * output.
 */
const secretsIn = (text: string | Buffer): ReadonlyArray<string> =>
  Array.from(secrets).flatMap(([name, secret]) => (spellings(secret).some((form) => text.includes(form)) ? [name] : []))
const coordinatesIn = (text: string): number => Array.from(coordinates).filter((one) => text.includes(one)).length

/**
 * Somebody sets a new password with a mailed link, and then changes it. One more link is mailed, and nobody uses it.
 */
const forgetPassword = async (stranger: Client) => {
  const forgetful = await signUp(service.url, "forgetful")
  const mailedLink = async (name: string): Promise<string> => {
    const answer = await stranger.call("POST", "/v1/password-resets", { json: { email: forgetful.email } })
    expect(answer.status).toBe(202)
    return until(name, async () => {
      const { text } = await stranger.call("GET", "/dev/mailbox")
      const tokens = Array.from(text.matchAll(/reset-password\?token=([0-9a-z]{52})/g), ([, token = ""]) => token)
      const fresh = tokens.find((token) => ![...secrets.values()].includes(token))
      return fresh === undefined ? undefined : keep(name, fresh)
    })
  }
  const token = await mailedLink("link for a new password")
  const wrongToken = keep("wrong link", `${token.slice(1)}0`)
  const password = keep("password by link", "purple monkey dishwasher")
  await stranger.call("GET", `/reset-password?token=${wrongToken}`)
  expect((await stranger.call("GET", `/reset-password?token=${token}`)).status).toBe(200)
  for (const [sent, status] of [
    [wrongToken, 404],
    [token, 204],
    [token, 404]
  ] as const) {
    const used = await stranger.call("POST", "/v1/password-resets/use", { json: { token: sent, password } })
    expect(used.status).toBe(status)
  }
  const visitor = client(service.url)
  await visitor.call("POST", "/v1/session", { json: { email: forgetful.email, password } })
  const changed = await visitor.call("PUT", "/v1/user/account/password", {
    json: { password, new_password: keep("changed password", "staple ocean seventeen") }
  })
  expect(changed.status).toBe(204)
  await mailedLink("link that nobody used")
}

beforeAll(async () => {
  ;[service, receiver] = await Promise.all([
    startService(processes, { database: "embedded", environment: { LOG_LEVEL: "trace" } }),
    startReceiver()
  ])
  const person = await signUp(service.url, "planted")
  keep("password", person.password)
  const stranger = client(service.url)
  const signedIn = await stranger.call("POST", "/v1/session", {
    json: { email: person.email, password: person.password }
  })
  const session = /session=([^;]+)/.exec(signedIn.headers.getSetCookie().join())?.[1] ?? ""
  keep("session", session)
  const mistyped = keep("mistyped password", "incorrect horse battery staple")
  await stranger.call("POST", "/v1/session", { json: { email: person.email, password: mistyped } })

  await forgetPassword(stranger)

  const app = await createApp(person, "http://127.0.0.1:9/callback")
  keep("first client secret", app.clientSecret)
  const endpoint = await createEndpoint(person, app, receiver.url)
  keep("first webhook secret", endpoint.secret)
  const rotated = await person.as.expect("POST", `/v1/developer/apps/${app.id}/webhooks/${endpoint.id}/rotate-secret`, {
    as: Secret
  })
  keep("second webhook secret", rotated.secret)
  const place = await createPlace(person, PLACE)
  keepPoint(PLACE)
  const deviceToken = keep("device token", await addDevice(person))

  // A consent, a wrong exchange of its code, and then the right exchange. At the end of the test, the code is used a
  // second time.
  const { challenge, state, verifier } = pkce()
  keep("code verifier", verifier)
  const address = authorizeUrl(service.url, app, [RULES_SCOPE], { challenge, state, verifier })
  const back = await answerConsent(person.as, address, { places: [place.id] })
  const code = keep("code", back.searchParams.get("code") ?? "")
  const wrongVerifier = keep("wrong verifier", pkce().verifier)
  const exchange = { grantType: "authorization_code", clientId: app.id, clientSecret: app.clientSecret, code }
  await stranger.call("POST", "/v1/oauth/token", {
    json: { ...exchange, codeVerifier: wrongVerifier, redirectUri: app.redirectUri }
  })
  const tokens = await exchangeCode(stranger, app, code, verifier)
  keep("first access token", tokens.access_token)
  keep("first refresh token", tokens.refresh_token)

  // A refresh as a form with Basic authentication. The text of the header is one more secret.
  const basic = keep("Basic header", Buffer.from(`${app.id}:${app.clientSecret}`).toString("base64"))
  const refresh = async (token: string, authorization = `Basic ${basic}`) => {
    const form = { grant_type: "refresh_token", refresh_token: token }
    return (await stranger.call("POST", "/v1/oauth/token", { form, headers: { authorization } })).json
  }
  const second = (await refresh(tokens.refresh_token)) as { access_token: string; refresh_token: string }
  keep("second access token", second.access_token)
  keep("second refresh token", second.refresh_token)
  const raced = (await refresh(tokens.refresh_token)) as { access_token: string }
  keep("access token of a race", raced.access_token)
  await refresh(second.refresh_token, `Basic ${basic}x`)
  await stranger.call("GET", `/v1/me?access_token=${second.access_token}`)
  await stranger.call("GET", `/v1/me`, { token: `${second.access_token}x` })
  await stranger.raw("POST", "/v1/oauth/token", `{"clientSecret":"${app.clientSecret}","refreshToken":`, {
    "content-type": "application/json"
  })
  await stranger.call("POST", "/v1/oauth/revoke", { json: { token: second.refresh_token, clientSecret: 5 } })

  // A ride past the place. The first request to the receiver fails.
  let failed = false
  receiver.answer(() => (failed ? 200 : ((failed = true), 500)))
  await createRule(stranger, second.access_token, place, "enter")
  await createRule(stranger, second.access_token, place, "exit")
  const ride = ridePast(place)
  for (const fix of ride) keepPoint(fix)
  await upload(stranger, deviceToken, ride)
  await stranger.call("POST", "/v1/phone/locations", {
    token: deviceToken,
    json: { locations: [{ ...ride[0], accuracy_m: "wrong" }] }
  })
  await person.as.call("POST", "/v1/user/places", { json: { ...PLACE, kind: "other", radius_m: "wrong" } })
  await receiver.until("both webhooks", (all) => all.length >= 2)

  const { clientSecret } = await person.as.expect("POST", `/v1/oauth/clients/${app.id}`, {
    as: Credentials,
    json: { redirectUris: [app.redirectUri] }
  })
  keep("second client secret", clientSecret)
  await exchangeCode(stranger, app, code, verifier).catch(() => undefined)

  await service.server().stop("SIGTERM")
  output = service.server().output()
  tables = await Effect.runPromise(Effect.provide(dump, Layer.orDie(layerEmbedded({ dataDir: service.dataDir }))))
  files = await readAll(service.dataDir)
  // The time limit of this setup. It is long, because the setup uses the whole service once, perhaps on a busy machine.
}, 240_000)
afterAll(() => Promise.all([receiver?.close(), service?.close()]))

describe("secrets", () => {
  it("the search finds what is there: secrets in a text, in each spelling; rows of every kind", () => {
    for (const [name, secret] of secrets) {
      for (const form of spellings(secret)) expect(secretsIn(`before ${form} after`)).toContain(name)
    }
    const filled = [
      "accounts",
      "account_links",
      "mail_outbox",
      "access_log",
      "access_tokens",
      "deliveries",
      "delivery_attempts",
      "events",
      "sessions"
    ]
    expect(filled.filter((table) => (tables.get(table) ?? "") === "")).toEqual([])
    expect(tables.get("accounts")).toContain("$argon2id$")
    const onDisk = Array.from(files.values(), (bytes) => bytes.includes("@example.test"))
    expect(onDisk).toContain(true)
    for (const line of [`ready at ${service.url}`, "Authorization code refused"]) expect(output).toContain(line)
  })

  it("none is in a line of the log, at its most talkative", () => {
    expect(secretsIn(output)).toEqual([])
  })

  it("none is in any column of any table", () => {
    expect(Array.from(tables).flatMap(([table, rows]) => secretsIn(rows).map((name) => `${name} in ${table}`))).toEqual(
      []
    )
  })

  it("none is in a file of the data folder", () => {
    expect(Array.from(files.values()).flatMap((bytes) => secretsIn(bytes))).toEqual([])
  })

  it("none is in a webhook, but its signature", () => {
    expect(receiver.received).not.toEqual([])
    for (const { body, headers } of receiver.received) {
      expect(secretsIn(body.toString("utf8") + JSON.stringify(headers))).toEqual([])
    }
  })
})

describe("coordinates", () => {
  it("are in the tables of places and fixes, where the search finds them", () => {
    expect(coordinatesIn(tables.get("places") ?? "")).toBeGreaterThanOrEqual(2)
    expect(coordinatesIn(tables.get("fixes") ?? "")).toBe(coordinates.size)
  })

  it("are in no event, delivery, access log or any other table [access-log-3]", () => {
    const others = Array.from(tables).filter(([table]) => !LOCATION_TABLES.includes(table))
    expect(others.map(([table]) => table)).toEqual(expect.arrayContaining(["events", "deliveries", "access_log"]))
    expect(others.filter(([, rows]) => coordinatesIn(rows) > 0).map(([table]) => table)).toEqual([])
  })

  it("are in no webhook and in no line of the log", () => {
    expect(receiver.received).not.toEqual([])
    for (const { body } of receiver.received) expect(coordinatesIn(body.toString("utf8"))).toBe(0)
    expect(coordinatesIn(output)).toBe(0)
  })
})
