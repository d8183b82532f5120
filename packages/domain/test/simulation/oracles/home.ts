import type { DeliveryRow, EndpointRow, Reading, RuleFields } from "../../../testing/simulation/Operations.js"
import type { Oracle } from "../../../testing/simulation/Oracle.js"
import { concurrency } from "../../../testing/simulation/oracles/concurrency.js"
import { deliveries } from "../../../testing/simulation/oracles/deliveries.js"
import { rules } from "../../../testing/simulation/oracles/rules/rules.js"
import { visits } from "../../../testing/simulation/oracles/visits.js"
import { webhooks } from "../../../testing/simulation/oracles/webhooks.js"
import { windows } from "../../../testing/simulation/oracles/rules/windows.js"
import { ok, seen, Story } from "./handwritten.js"

export { ok }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const FAMILIES: ReadonlyArray<Oracle> = [...rules, ...windows, ...concurrency, ...visits, ...webhooks, ...deliveries]

export const HOME = { lat: 50, lon: 10 }
/** A point this many metres north of 50° N, 10° E, where 0.001 degrees of latitude are 111.23 m. */
export const north = (metres: number) => ({ lat: 50 + metres / 111_229, lon: 10 })
export const FAR = north(2_000)

const SCOPES = [
  "location.place.current",
  "location.place.lookup",
  "location.rules.place",
  "location.rules.zone",
  "location.places.watch",
  "location.visits.read"
]

/** A trace in which Ana shares Home, a circle of 200 m, with an app that has a webhook endpoint for all events. */
export class Ana extends Story {
  readonly userId = this.user()
  readonly appId = this.app(SCOPES)
  readonly url = "https://hook.example.com/"
  placeId = ""
  connectionId = ""
  token = ""
  endpointId = ""
  secret = ""
  readonly deviceId = "phone"
  private readonly brought = new Set<string>()
  readonly rows: Array<DeliveryRow> = []

  constructor() {
    super()
    this.placeId = this.place("Home")
    this.endpointId = this.endpoint(this.url, [])
    this.share()
    this.after(MINUTE)
  }

  place(label: string, circle: { lat: number; lon: number; radiusM: number } = { ...HOME, radiusM: 200 }): string {
    const placeId = this.fresh("place")
    this.op("createPlace", { userId: this.userId, label, kind: "home", ...circle }, ok({ placeId }))
    return placeId
  }

  endpoint(url: string, events: ReadonlyArray<string>): string {
    const endpointId = this.fresh("endpoint")
    this.secret = this.fresh("signing-secret")
    this.op("createEndpoint", { appId: this.appId, url, events }, ok({ endpointId, secret: this.secret }))
    return endpointId
  }

  share(over: { places?: ReadonlyArray<string>; earlier?: ReadonlyArray<string>; standardDays?: 1 | null } = {}): void {
    const { earlier = [], places = [this.placeId], standardDays = null } = over
    const value = { mode: "new" as const, code: this.fresh("code"), connectionId: this.fresh("connection") }
    const { appId, userId } = this
    const days = { standardDays, sensitiveDays: 30 } as const
    const consent = { requested: SCOPES, scopes: SCOPES, places, earlier, externalUserId: null }
    this.op("consent", { userId, appId, ...consent, ...days }, ok(value))
    this.connectionId = value.connectionId
    this.token = this.exchange(appId, value.code).accessToken
  }

  shareAgain(places: ReadonlyArray<string>, earlier: ReadonlyArray<string> = []): void {
    const { connectionId, userId } = this
    const list = places.map((placeId) => ({ placeId, includeEarlierVisits: earlier.includes(placeId) }))
    this.op("sharePlaces", { userId, connectionId, places: list }, ok({ placesVersion: 2 }))
  }

  request(type: RuleFields["type"], over: Partial<RuleFields> & { placeId?: string } = {}) {
    return {
      endpoint: "POST /v1/rules/place",
      placeId: this.placeId,
      type,
      dwellMinutes: type === "dwell" ? 5 : null,
      webhookUrl: null,
      activeFrom: null,
      activeUntil: null,
      maxEventAgeS: null,
      ...over
    } as const
  }

  rule(type: RuleFields["type"] = "enter", over: Partial<RuleFields> & { placeId?: string } = {}): string {
    const id = this.fresh("rule")
    this.call(this.appId, this.token, 201, this.request(type, over), { body: { id } })
    return id
  }

  removeRule(ruleId: string): void {
    this.call(this.appId, this.token, 204, { endpoint: "DELETE /v1/rules/place/{id}", ruleId })
  }

  reading(point: { lat: number; lon: number }, capturedAt = this.t, accuracyM: number | null = 10): Reading {
    return { capturedAt, accuracyM, ...point }
  }

  send(...fixes: ReadonlyArray<Reading>): void {
    const fresh = fixes.filter((fix) => {
      const key = `${fix.capturedAt} ${fix.lat} ${fix.lon}`
      return this.brought.has(key) ? false : this.brought.add(key)
    })
    const value = { accepted: fresh.length, duplicates: fixes.length - fresh.length, quarantined: 0 }
    this.op("upload", { userId: this.userId, deviceId: this.deviceId, fixes, visits: [] }, ok(value))
  }

  body(type: string, over: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      event_id: this.fresh("event"),
      app_id: this.appId,
      endpoint_id: this.endpointId,
      type,
      occurred_at: new Date(this.t).toISOString(),
      ...(type !== "ping" && { grant_id: this.connectionId }),
      ...over
    }
  }

  hook(body: Record<string, unknown>, reply: unknown = 200, tookMs = 0, over: Record<string, unknown> = {}): number {
    return this.add(
      {
        kind: "posted",
        url: this.url,
        body,
        signedAtS: Math.floor(this.t / SECOND),
        signatures: 1,
        verifiedBy: [this.secret],
        reply,
        tookMs,
        ...over
      },
      "worker-1"
    )
  }

  /** Adds the POST of a firing to the trace, and returns the POST's body. */
  fired(ruleId: string, type: RuleFields["type"] = "enter", occurredAt = this.t, over: Record<string, unknown> = {}) {
    const body = this.body(`place.${type}`, {
      occurred_at: new Date(occurredAt).toISOString(),
      rule_id: ruleId,
      target: { place_id: this.placeId, label: "Home" },
      ...over
    })
    this.hook(body)
    return body
  }

  row(over: Partial<DeliveryRow> = {}): DeliveryRow {
    const row: DeliveryRow = {
      deliveryId: this.fresh("delivery"),
      endpointId: this.endpointId,
      eventId: this.fresh("event"),
      type: "places.changed",
      occurredAt: this.t,
      state: "trying",
      failReason: null,
      attempt: 1,
      dueAt: this.t,
      createdAt: this.t,
      endedAt: null,
      isReplay: false,
      isReplayed: false,
      isTest: false,
      attempts: [],
      ...over
    }
    this.rows.push(row)
    return row
  }

  readLog(rows: ReadonlyArray<DeliveryRow> = this.rows): number {
    return this.op("readDeliveries", { appId: this.appId }, ok({ deliveries: rows }))
  }

  readEndpoints(...over: ReadonlyArray<Partial<EndpointRow>>): number {
    const mine = { endpointId: this.endpointId, url: this.url, events: [], enabled: true, disabledAt: null, strikes: 0 }
    const endpoints = (over.length === 0 ? [{}] : over).map((one) => ({ ...mine, ...one }))
    return this.op("readEndpoints", { appId: this.appId }, ok({ endpoints }))
  }

  /**
   * Lets a day pass, and reads the access log and the endpoints. The returned run is marked as ended without unfinished
   * work (`quiesced`), so that oracles also report effects that are missing at the end.
   */
  rest() {
    this.after(DAY)
    this.readLog()
    this.readEndpoints()
    return this.run(true)
  }

  /** The broken invariants of all oracles, each with the numbers of the entries that break it. */
  get broken(): Readonly<Record<string, ReadonlyArray<number>>> {
    return this.brokenAt(false)
  }

  brokenAt(quiesced: boolean): Readonly<Record<string, ReadonlyArray<number>>> {
    return seen(FAMILIES, this.run(quiesced))
  }

  /** The texts of one oracle's violations, one on each line. */
  detailsAtRest(name: string): string {
    const run = this.rest()
    return FAMILIES.filter((oracle) => oracle.name === name)
      .flatMap((oracle) => oracle.check(run))
      .map(({ detail }) => detail)
      .join("\n")
  }

  get brokenAtRest(): Readonly<Record<string, ReadonlyArray<number>>> {
    return seen(FAMILIES, this.rest())
  }
}

/** The names of the broken invariants. */
export const names = (broken: Readonly<Record<string, ReadonlyArray<number>>>): ReadonlyArray<string> =>
  Object.keys(broken)
