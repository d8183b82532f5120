import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask } from "../../../packages/adapters-pg/test/support/citusStandIn.js"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { attribute, type Collector, labels, metricsOf, spansOf, startCollector } from "./support/collector.js"
import { answerConsent, authorizeUrl, exchangeCode } from "./support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { pkce } from "./support/pkce.js"
import { freePort } from "./support/freePort.js"
import { useProcesses } from "./support/processes.js"
import { type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"
import { until } from "./support/until.js"

/**
 * A full use of the service with every metric and every trace on. Afterwards the tests search everything that the
 * collector received and /metrics showed. The telemetry may contain no personal data, no secrets, and no sign of which
 * app asked about whom.
 */

const PLACE = { label: "Corner café", lat: 52.37184613, lon: 13.40495127, radiusM: 150 }
const CURRENT = "location.place.current"
const TRACE_ID = randomBytes(16).toString("hex")

/** Makes the database refuse e-mail addresses that begin with `refused-`, with an error that repeats the whole row. */
const REFUSING = "ALTER TABLE accounts ADD CONSTRAINT refusing CHECK (email NOT LIKE 'refused-%')"

const processes = useProcesses()

interface Setup {
  readonly database: "embedded" | "postgres" | "citus"
  readonly protocol: "http/json" | "http/protobuf"
  /** Whether the server continues the traces of callers. */
  readonly trusts: boolean
}

const PRESENCE = "/v1/answers/places/{place_id}/presence"
const LOGGED: ReadonlyArray<string> = ["request_id", "method", "route", "status", "error", "ms"]
const RequestLine = Schema.Struct({
  annotations: Schema.Struct(
    { route: Schema.String, status: Schema.Number },
    { key: Schema.String, value: Schema.Unknown }
  )
})

const life = ({ database, protocol, trusts }: Setup) => {
  let service: Service
  let receiver: Receiver
  let collector: Collector
  let ports: ReadonlyArray<number>
  const shown: Array<string> = []
  const planted = new Map<string, string>()
  const plant = (name: string, value: string): string => {
    if (value.length < 6) throw new Error(`${name} is too short to be searched for`)
    planted.set(name, value)
    return value
  }
  /**
   * Remembers the coordinate with five digits after the point (about a meter), so that the tests can search for it. A
   * text that contains more digits of the coordinate contains these digits too.
   */
  const plantPoint = ({ lat, lon }: { readonly lat: number; readonly lon: number }): void => {
    for (const number of [lat, lon]) plant(`coordinate ${number}`, /^-?\d+\.\d{1,5}/.exec(String(number))?.[0] ?? "")
  }

  const found = (bytes: Buffer | string): ReadonlyArray<string> =>
    Array.from(planted).flatMap(([name, value]) => (bytes.includes(value) ? [name] : []))

  const exportedText = () => Buffer.concat(collector.exported.map(({ body }) => body)).toString("latin1")
  const everything = (): Buffer =>
    Buffer.concat([...collector.exported.map(({ body }) => body), ...shown.map((text) => Buffer.from(text))])

  beforeAll(async () => {
    ;[receiver, collector] = await Promise.all([startReceiver(), startCollector()])
    ports = [await freePort(), await freePort()]
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      // The interval is an hour, so that metrics are exported only once, when the process stops.
      OTEL_METRIC_EXPORT_INTERVAL: "3600000",
      LOG_LEVEL: "info",
      LOG_FORMAT: "json",
      LOG_REQUESTS: "true"
    }
    service = await startService(processes, {
      database,
      workers: 0,
      environment: { ...environment, METRICS_PORT: String(ports[0]), TRUST_TRACEPARENT: String(trusts) }
    })
    const worker = service.databaseUrl === null ? undefined : service.startWorker({ METRICS_PORT: String(ports[1]) })
    const person = await signUp(service.url, "planted")
    plant("e-mail", person.email)
    plant("password", person.password)
    plant("user id", person.id)
    const stranger = client(service.url)
    await stranger.call("POST", "/v1/accounts", { json: { email: person.email, password: person.password } })
    if (service.databaseUrl !== null) {
      // The database is changed only with PostgreSQL, because a test cannot change an embedded database that is open.
      // Both databases report a refused row in the same way.
      await ask(service.databaseUrl, REFUSING)
      const email = plant("refused e-mail", `refused-${randomBytes(4).toString("hex")}@example.test`)
      const refused = await stranger.call("POST", "/v1/accounts", { json: { email, password: person.password } })
      expect(refused.status).toBe(500)
    }
    const mistyped = plant("mistyped password", `incorrect horse ${randomBytes(4).toString("hex")}`)
    await stranger.call("POST", "/v1/session", { json: { email: person.email, password: mistyped } })

    const app = await createApp(person, "http://127.0.0.1:9/callback", [RULES_SCOPE, CURRENT])
    plant("app id", app.id)
    plant("app name", "Umbrella")
    plant("client secret", app.clientSecret)
    const endpoint = await createEndpoint(person, app, receiver.url)
    plant("endpoint id", endpoint.id)
    plant("webhook secret", endpoint.secret)
    plant("address of the endpoint", new URL(receiver.url).host)
    const place = await createPlace(person, PLACE)
    plant("place id", place.id)
    plant("place name", "Corner caf")
    plantPoint(PLACE)
    const deviceToken = plant("device token", await addDevice(person))

    const { challenge, state, verifier } = pkce()
    plant("code verifier", verifier)
    const external = plant("external user id", `customer-${randomBytes(4).toString("hex")}`)
    const address = authorizeUrl(
      service.url,
      app,
      [RULES_SCOPE, CURRENT],
      { challenge, state, verifier },
      { external_user_id: external }
    )
    const back = await answerConsent(person.as, address, { places: [place.id] })
    const code = plant("code", back.searchParams.get("code") ?? "")
    const tokens = await exchangeCode(stranger, app, code, verifier)
    plant("access token", tokens.access_token)
    plant("refresh token", tokens.refresh_token)
    plant("pairwise id", tokens.sub)

    // The phone rides past the place. The first request to the receiver fails. The telemetry must not contain the
    // receiver's answer either.
    let failed = false
    receiver.answer(() => (failed ? 200 : ((failed = true), 500)))
    const token = tokens.access_token
    for (const type of ["enter", "exit"]) plant(`rule to ${type}`, await createRule(stranger, token, place, type))
    const ride = ridePast(place)
    for (const fix of ride) plantPoint(fix)
    await upload(stranger, deviceToken, ride)
    await stranger.call("POST", "/v1/phone/locations", {
      token: deviceToken,
      json: { locations: [{ ...ride[0], accuracy_m: "wrong" }] }
    })

    // Sends requests that succeed and requests that are refused, with ids and invented words in the address.
    const agent = plant("user agent", `agent-${randomBytes(6).toString("hex")}`)
    const headers = { traceparent: `00-${TRACE_ID}-${"1".repeat(16)}-01`, "user-agent": agent }
    await stranger.call("GET", `/v1/answers/places/${place.id}/presence`, { token, headers })
    await stranger.call("GET", "/v1/answers/current-place", { token })
    await stranger.call("GET", `/v1/me?access_token=${token}`)
    await stranger.call("GET", "/v1/me", { token: `${token}x` })
    for (let index = 0; index < 60; index++) {
      const made = plant(`made-up id ${index}`, randomBytes(8).toString("hex"))
      await stranger.call("GET", `/${made}`)
      await stranger.call("GET", `/v1/answers/places/${made}/presence`, { token })
      await stranger.call("DELETE", `/v1/rules/place/${made}?q=${made}`, { token })
    }
    const received = await receiver.until("both webhooks", (all) => all.length >= 2)
    for (const { body } of received) {
      const event = Schema.decodeUnknownSync(Schema.Struct({ event_id: Schema.String, grant_id: Schema.String }))(
        JSON.parse(body.toString("utf8"))
      )
      plant(`event ${event.event_id}`, event.event_id)
      plant("grant id", event.grant_id)
    }
    await until("the worker has counted what became of the webhooks", async () => {
      const port = worker === undefined ? ports[0] : ports[1]
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return /place_access_deliveries_total\{outcome="delivered"/.test(text) &&
        /place_access_backlog_rows\{queue="deliveries"/.test(text)
        ? true
        : undefined
    })
    for (const port of worker === undefined ? [ports[0]] : ports) {
      shown.push(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
    }
    await Promise.all([service.server().stop("SIGTERM"), ...service.workers().map((one) => one.stop("SIGTERM"))])
  }, 240_000)
  afterAll(() => Promise.all([receiver?.close(), collector?.close(), service?.close()]))

  it("the search would find what is there", () => {
    for (const [name, value] of planted) expect(found(`before ${value} after`)).toContain(name)
    expect(planted.size).toBeGreaterThan(100)
  })

  it("nothing that belongs to a person, opens a door or names a receiver is in a span, a metric or at /metrics", () => {
    expect(found(everything())).toEqual([])
  })

  it("the log has one line a request: method, route, status, milliseconds and request id, and nothing else", () => {
    const requests = service
      .server()
      .output()
      .split("\n")
      .filter((line) => line.includes('"message":"request"'))
      .map((line) => Schema.decodeUnknownSync(RequestLine)(JSON.parse(line)).annotations)
    expect(requests.some(({ route, status }) => route === PRESENCE && status === 200)).toBe(true)
    expect(requests.filter((one) => Object.keys(one).some((key) => !LOGGED.includes(key)))).toEqual([])
    // No log line of a request may contain a planted value. The id of a request may be logged, so it was not planted:
    // its caller gets the id too.
    expect(found(requests.map((one) => JSON.stringify(one)).join("\n"))).toEqual([])
  })

  it("what the process still held at the signal to stop has arrived", () => {
    const paths = new Set(collector.exported.map(({ path }) => path))
    expect(paths).toEqual(new Set(["/v1/traces", "/v1/metrics"]))
    for (const { headers } of collector.exported) {
      expect(headers["content-type"]).toBe(protocol === "http/json" ? "application/json" : "application/x-protobuf")
    }
  })

  it("receivers are sent no trace: their headers are the same with traces as without", () => {
    const names = new Set(receiver.received.flatMap(({ headers }) => Object.keys(headers)))
    expect([...names].filter((name) => /trace|b3|baggage/i.test(name))).toEqual([])
    expect(receiver.received.some(({ headers }) => JSON.stringify(headers).includes(TRACE_ID))).toBe(false)
  })

  it(trusts ? "a caller's trace is continued when callers are trusted" : "a caller's trace is not looked at", () => {
    expect(
      exportedText().includes(protocol === "http/json" ? TRACE_ID : Buffer.from(TRACE_ID, "hex").toString("latin1"))
    ).toBe(trusts)
  })

  it("/metrics says how requests, statements, rules, deliveries and the process are", () => {
    const text = shown.join("")
    for (const line of [
      /^http_server_request_duration_seconds_count\{http_request_method="GET",http_route="\/v1\/answers\/places\/\{place_id\}\/presence",status_class="2xx"\} 1$/m,
      /^db_client_operation_duration_seconds_count\{db_operation_name="select",outcome="ok"\} [1-9]/m,
      /^db_client_connection_count\{db_client_connection_state="used"\} \d/m,
      /^place_access_fixes_total\{outcome="accepted"\} 37$/m,
      /^place_access_rule_evaluations_total 74$/m,
      /^place_access_rule_firings_total\{type="enter"\} 1$/m,
      /^place_access_deliveries_total\{outcome="retry",attempt="1"\} 1$/m,
      /^place_access_deliveries_total\{outcome="delivered",attempt="1"\} 1$/m,
      /^place_access_webhook_duration_seconds_count\{answer="5xx"\} 1$/m,
      /^place_access_delivery_lag_seconds_count 2$/m,
      /^place_access_backlog_rows\{queue="outbox"\} 0$/m,
      /^place_access_backlog_measurement_age_seconds \d/m,
      /^place_access_refusals_total\{error="not_found"\} [1-9]/m,
      /^nodejs_eventloop_delay_p99_seconds \d/m,
      /^v8js_memory_heap_used_bytes [1-9]/m
    ]) {
      expect(text).toMatch(line)
    }
  })

  it("the number of series does not grow with what callers make up", () => {
    const routes = new Set(Array.from(shown.join("").matchAll(/http_route="([^"]*)"/g), ([, route]) => route))
    expect(routes).toContain("other")
    expect([...routes].filter((route) => route !== "other" && !/^\/[a-z0-9/._{}*-]*$/.test(route ?? ""))).toEqual([])
    expect(routes.size).toBeLessThan(30)
  })

  return () => collector.exported
}

describe("telemetry of the embedded service, as JSON", () => {
  const exported = life({ database: "embedded", protocol: "http/json", trusts: false })

  it("every request, delivery and pass of a loop is one trace, with its programs and statements", () => {
    const spans = spansOf(exported())
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const parentOf = ({ parentSpanId }: (typeof spans)[number]) =>
      parentSpanId === undefined ? undefined : byId.get(parentSpanId)?.name
    const families = new Set(spans.map((span) => `${parentOf(span) ?? "-"} > ${span.name}`))
    for (const family of [
      "GET /v1/answers/places/{place_id}/presence > authenticateAccess",
      "GET /v1/answers/places/{place_id}/presence > checkPresence",
      "POST /v1/phone/locations > ingestTogether",
      "authenticateAccess > sql.execute",
      "ingestTogether > sql.execute",
      "- > fanOut",
      "- > claimDue",
      "- > deliverFirst",
      "deliverFirst > signedPost"
    ]) {
      expect([...families]).toContain(family)
    }
    const attempts = spans.filter(({ name }) => name === "deliverFirst")
    expect(attempts.map((span) => attribute(span, "place_access.outcome")).sort()).toEqual(["delivered", "retry"])
    const statements = spans.flatMap((span) => attribute(span, "db.query.text") ?? [])
    expect(statements.some((text) => /\$1/.test(text))).toBe(true)
  })

  it("metrics at the collector are those of /metrics", () => {
    const names = new Set(metricsOf(exported()).map(({ name }) => name))
    for (const name of ["http.server.request.duration", "place_access.deliveries", "process.memory.usage"]) {
      expect([...names]).toContain(name)
    }
    expect([...names].filter((name) => name.startsWith("effect_"))).toEqual([])
    expect([...labels(metricsOf(exported()), "place_access.rule.firings", "type")].sort()).toEqual(["enter", "exit"])
  })
})

describeServers("telemetry of a server and a worker, as protobuf", ({ kind }) => {
  life({ database: kind, protocol: "http/protobuf", trusts: true })
})

describe("telemetry that nobody takes", () => {
  it("does not trouble the service: one line in the log, and it stops as ever", async () => {
    const nobody = await freePort()
    const service = await startService(processes, {
      database: "embedded",
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${nobody}`,
        OTEL_METRIC_EXPORT_INTERVAL: "1000"
      }
    })
    const warned = () => service.server().output().split("The telemetry collector accepts no data").length - 1
    await until("the warning", () => (warned() > 0 ? true : undefined))
    const person = await signUp(service.url, "untroubled")
    expect(await person.as.expect("GET", "/v1/user/places", { as: Schema.Unknown })).toBeDefined()
    expect(await service.server().stop("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(warned()).toBe(1)
    await service.close()
  })
})
