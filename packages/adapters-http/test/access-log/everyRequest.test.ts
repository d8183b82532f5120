import { HttpApi } from "@effect/platform"
import { AccessLogStore } from "@place-access/domain/access-log"
import { Disclosure } from "@place-access/domain/answers"
import { disconnect } from "@place-access/domain/connection"
import { pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { Subject } from "@place-access/domain/limits"
import { Scope, StoreError, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Api } from "@place-access/adapters-http/Api"
import * as Routes from "@place-access/adapters-http/engine/Routes"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { RequiredScope } from "@place-access/adapters-http/security/RequiredScope"
import { Context, Effect, Option } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Connected, connected, tokensIn } from "../support/connected.js"
import { bearer, startWorld, type World } from "../support/World.js"
import { type Answer, jsonBody } from "../support/wire.js"

/** A connected app, as seen by the app and by its user. */
interface Stage extends Connected {
  readonly token: string
  readonly connectionId: Awaited<ReturnType<Connected["connection"]>>["id"]
}

interface SentRequest {
  readonly path: string
  readonly body?: object
}

interface Row {
  /** Returns a request that succeeds when the user has granted the app every scope. */
  readonly asks: (stage: Stage) => SentRequest | Promise<SentRequest>
  /** The words that the user reads in the access log after the request. */
  readonly told: RegExp
  /**
   * The part of the request that can be wrong, so that the answer is 400. Left out when no part of the request can be
   * wrong.
   */
  readonly fault?: "query" | "body"
}

const AT = "2026-03-01T09:00:00.000Z"
const STRETCH = "from=2026-03-01T00:00:00.000Z&to=2026-03-02T00:00:00.000Z"
const PURPOSE = "purpose=order_ahead"
const HOOK = "https://hooks.example.com/old"
const ZONE = { lat: 52.1, lon: 4.9, radius_m: 400, label: "Stadium" }

const ask = async (stage: Stage, method: string, { body, path }: SentRequest, token = stage.token): Promise<Answer> => {
  const json = body === undefined ? {} : jsonBody(body)
  return world.call(path, { ...json, method, headers: { ...json.headers, ...bearer(token).headers } })
}

/** Makes a rule, and returns a request whose path is the path of the rule followed by `after`. */
const rule =
  (kind: "place" | "zone", after = "") =>
  async (stage: Stage): Promise<SentRequest> => {
    const target = kind === "place" ? { place_id: stage.placeId } : ZONE
    const made = await ask(stage, "POST", { path: `/v1/rules/${kind}`, body: { type: "enter", ...target } })
    expect(made.status).toBe(201)
    const { id } = made.json as { readonly id: string }
    return { path: `/v1/rules/${kind}/${id}${after}` }
  }

const get = (path: string) => () => ({ path })

/** Every endpoint that apps call with an access token, and a request to it. Add a row here for each new endpoint. */
const ROWS: Readonly<Record<string, Row>> = {
  "GET /v1/me": { asks: get("/v1/me"), told: /^the terms of the connection$/ },
  "GET /v1/answers/current-place": {
    asks: get("/v1/answers/current-place"),
    told: /not known where you were/,
    fault: "query"
  },
  "GET /v1/answers/places": { asks: get("/v1/answers/places"), told: /^the names of 1 shared place$/ },
  "GET /v1/answers/places/{place_id}/presence": {
    asks: ({ placeId }) => ({ path: `/v1/answers/places/${placeId}/presence` }),
    told: /Home/,
    fault: "query"
  },
  "POST /v1/answers/verify-zone": {
    asks: () => ({ path: "/v1/answers/verify-zone", body: ZONE }),
    told: /Stadium/,
    fault: "body"
  },
  "GET /v1/lookup/place": { asks: get(`/v1/lookup/place?at=${AT}`), told: /not known where/, fault: "query" },
  "GET /v1/visits": { asks: get("/v1/visits"), told: /visit/, fault: "query" },
  "GET /v1/locations/latest": { asks: get(`/v1/locations/latest?${PURPOSE}`), told: /no location/ },
  "GET /v1/locations/lookup": {
    asks: get(`/v1/locations/lookup?${PURPOSE}&at=${AT}`),
    told: /location/,
    fault: "query"
  },
  "GET /v1/locations/timerange": {
    asks: get(`/v1/locations/timerange?${PURPOSE}&${STRETCH}`),
    told: /location/,
    fault: "query"
  },
  "GET /v1/locations/days": { asks: get(`/v1/locations/days?${PURPOSE}&${STRETCH}`), told: /day/, fault: "query" },
  "POST /v1/rules/place": {
    asks: ({ placeId }) => ({ path: "/v1/rules/place", body: { type: "enter", place_id: placeId } }),
    told: /Home/,
    fault: "body"
  },
  "GET /v1/rules/place": { asks: get("/v1/rules/place"), told: /rule/, fault: "query" },
  "DELETE /v1/rules/place/{id}": { asks: rule("place"), told: /^nothing$/ },
  "GET /v1/rules/place/{id}/evaluations": { asks: rule("place", "/evaluations"), told: /./ },
  "POST /v1/rules/zone": {
    asks: () => ({ path: "/v1/rules/zone", body: { type: "enter", ...ZONE } }),
    told: /Stadium/,
    fault: "body"
  },
  "GET /v1/rules/zone": { asks: get("/v1/rules/zone"), told: /rule/, fault: "query" },
  "DELETE /v1/rules/zone/{id}": { asks: rule("zone"), told: /^nothing$/ },
  "GET /v1/rules/zone/{id}/evaluations": { asks: rule("zone", "/evaluations"), told: /./ },
  "POST /v1/subscriptions": {
    asks: () => ({ path: "/v1/subscriptions", body: { url: HOOK } }),
    told: /^nothing/,
    fault: "body"
  },
  "DELETE /v1/subscriptions/{id}": {
    asks: async (stage) => {
      const made = await ask(stage, "POST", { path: "/v1/subscriptions", body: { url: HOOK } })
      expect(made.status).toBe(201)
      return { path: `/v1/subscriptions/${(made.json as { readonly id: string }).id}` }
    },
    told: /^nothing$/
  }
}

interface Endpoint {
  readonly name: string
  readonly method: string
  readonly scope: RequiredScope["Type"]
}

const endpoints: Array<Endpoint> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { method, path }, mergedAnnotations, middleware }) => {
    if (!Array.from(middleware).some(({ key }) => key === BearerAuth.key)) return
    const scope = Option.getOrThrow(Context.getOption(mergedAnnotations, RequiredScope))
    endpoints.push({ name: Routes.label(method, path), method, scope })
  }
})

it("the table has every endpoint of the contract that apps call, and no other [access-log-1]", () => {
  expect(Object.keys(ROWS).sort()).toEqual(endpoints.map(({ name }) => name).sort())
})

let world: World
/**
 * The endpoints whose answers change while the user's connection is paused: the endpoints that say where the user is or
 * was.
 */
const PAUSED = /^\/v1\/(?:answers\/(?!places$)|lookup|visits|locations|rules\/.*\/evaluations$)/

/**
 * Five connections: `full` has every scope, `poor` only `location.places.watch`, and `raw` only a scope for
 * coordinates. `gone` is disconnected. The sensitive tier of `lapsed` has ended.
 */
let full: Stage, poor: Stage, raw: Stage, gone: Stage, lapsed: Stage

beforeAll(async () => {
  world = await startWorld()
  const stage = async (
    scopes: ReadonlyArray<Scope.Scope>,
    choices?: Parameters<Connected["connect"]>[1]
  ): Promise<Stage & { readonly refreshToken: string }> => {
    const ends = await connected(world)
    const { access_token: token, refresh_token: refreshToken } = await ends.connect(scopes, choices)
    return { ...ends, token, refreshToken, connectionId: (await ends.connection()).id }
  }
  const before = await stage(Scope.all, { sensitiveDays: "1" })
  world.clock.advance(2 * Timestamp.DAY)
  lapsed = { ...before, token: tokensIn(await before.refresh(before.refreshToken)).access_token }
  full = await stage(Scope.all)
  poor = await stage(["location.places.watch"])
  raw = await stage(["location.lookup"])
  gone = await stage(Scope.all)
  await world.run(disconnect(gone.person.account.id, gone.connectionId))
})
afterAll(() => world.close())

/**
 * Removes all rules and subscriptions before each test. Otherwise a request would be refused because it needs an
 * eleventh rule or a sixth subscription.
 */
beforeEach(() =>
  world.run(
    Effect.map(MemoryDatabase, ({ rules, subscriptions }) => {
      rules.clear()
      subscriptions.clear()
    })
  )
)

const entriesOf = ({ person }: Stage) =>
  world.run(
    Effect.map(
      Effect.flatMap(AccessLogStore, (store) => store.list(person.account.id, {}, 500, undefined)),
      ({ items }) => items
    )
  )

/**
 * Sends a request, and returns the answer and the entry in the access log. Fails unless the request adds exactly one
 * entry.
 */
const onlyEntry = async (stage: Stage, request: () => Promise<Answer>) => {
  const before = new Set((await entriesOf(stage)).map(({ id }) => id))
  const answer = await request()
  const made = (await entriesOf(stage)).filter(({ id }) => !before.has(id))
  expect(made.length).toBe(1)
  const [entry] = made
  if (entry === undefined) throw new Error("no entry")
  expect([entry.appId, entry.connectionId, entry.status]).toEqual([stage.app.id, stage.connectionId, answer.status])
  return { answer, entry }
}

const LIMIT_HEADERS = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy"]
const limitHeaders = ({ headers }: Answer) => LIMIT_HEADERS.filter((name) => headers.has(name))

/** Makes the query of a request invalid, if the request can have a query. */
const withBadQuery = ({ path }: SentRequest): SentRequest => {
  const [route = "", query = ""] = path.split("?")
  const purpose = new URLSearchParams(query).get("purpose")
  const wrong = "max_age_s=soon&at=then&from=then&limit=all"
  return { path: `${route}?${purpose === null ? "" : `purpose=${purpose}&`}${wrong}` }
}

/** Whether the endpoint refuses a connection whose only scope is `held`. */
const isClosed = (scope: Endpoint["scope"], held: Scope.Scope) =>
  scope === "any_standard" ? Scope.isSensitive(held) : scope !== "none" && scope !== held

/**
 * Declares a test only if `applies`. Some endpoints cannot be refused in every way, so some tests do not apply to them.
 */
const when = (applies: boolean) => (applies ? it : () => undefined)

describe.each(endpoints)("$name", ({ method, name, scope }) => {
  const { asks, fault, told: learned } = ROWS[name] ?? { asks: get("/"), told: /^$/ }
  const isSensitive = scope !== "none" && scope !== "any_standard" && Scope.isSensitive(scope)
  const purpose = isSensitive ? "order_ahead" : null

  const refused = async (
    stage: Stage,
    status: number,
    error: string,
    sent?: (original: SentRequest) => SentRequest
  ) => {
    const request = await asks(full)
    const { answer, entry } = await onlyEntry(stage, () => ask(stage, method, sent?.(request) ?? request))
    expect([answer.status, (answer.json as { readonly error: string }).error]).toEqual([status, error])
    expect([entry.endpoint, entry.error, entry.disclosed]).toEqual([name, error, null])
    expect(limitHeaders(answer)).toEqual(status === 401 ? [] : LIMIT_HEADERS)
    return { answer, entry }
  }

  it("answered: one entry, with the purpose and what the answer disclosed [§1.7, access-log-1]", async () => {
    const request = await asks(full)
    const { answer, entry } = await onlyEntry(full, () => ask(full, method, request))
    expect(answer.status).toBeLessThan(300)
    expect([entry.endpoint, entry.error, entry.purpose]).toEqual([name, null, purpose])
    expect(entry.disclosed ?? "nothing").toMatch(learned)
    expect(limitHeaders(answer)).toEqual(LIMIT_HEADERS)
  })

  // Each new zone rule takes from the app's budget for this user, and other tests need this budget. So this test does
  // not make zone rules.
  when(!name.includes("/rules/zone"))(
    "paused: nothing about where the user is or was, and the reason; the rest as ever [connection-4]",
    async () => {
      const { id: userId } = full.person.account
      const request = await asks(full)
      await world.run(pauseConnection(userId, full.connectionId, "hour"))
      const { answer, entry } = await onlyEntry(full, () => ask(full, method, request)).finally(() =>
        world.run(resumeConnection(userId, full.connectionId))
      )
      expect(answer.status).toBeLessThan(300)
      const { reason } = (answer.json ?? {}) as { readonly reason?: string }
      if (PAUSED.test(request.path)) expect([reason, entry.disclosed]).toEqual(["paused", Disclosure.PAUSED])
      else expect([reason, entry.disclosed ?? "nothing"]).toEqual([undefined, expect.stringMatching(learned)])
    }
  )

  it("401: one entry when it was a token of the user's, none when it was nobody's, and the answers are the same", async () => {
    const request = await asks(full)
    const { answer } = await refused(gone, 401, "invalid_token")
    const all = () => Promise.all([full, poor, raw, gone, lapsed].map(entriesOf))
    const before = await all()
    const unknown = await ask(full, method, request, `${full.token}x`)
    expect([unknown.status, unknown.text]).toEqual([answer.status, answer.text])
    expect(limitHeaders(unknown)).toEqual([])
    expect((await all()).map(({ length }) => length)).toEqual(before.map(({ length }) => length))
  })

  when(isClosed(scope, "location.places.watch") || isClosed(scope, "location.lookup"))(
    "403: one entry for a scope that is missing",
    async () => {
      const stage = isClosed(scope, "location.places.watch") ? poor : raw
      expect((await refused(stage, 403, "missing_scope")).entry.purpose).toBeNull()
    }
  )

  when(isSensitive)("403: one entry when the sensitive tier has lapsed", async () => {
    await refused(lapsed, 403, "scope_expired")
  })

  when(isSensitive)("400: one entry when the purpose is none of the app's, and its key is not kept", async () => {
    const { entry } = await refused(full, 400, "invalid_purpose", ({ path }) => ({
      path: path.replace("order_ahead", "stalk_people")
    }))
    expect(entry.purpose).toBeNull()
  })

  when(fault !== undefined)("400: one entry when the question is wrong", async () => {
    const { entry } = await refused(full, 400, "validation_failed", (original) =>
      fault === "body" ? { ...original, body: {} } : withBadQuery(original)
    )
    expect(entry.purpose).toBe(purpose)
  })

  when(name.includes("{"))("404: one entry when what it asks about is not there", async () => {
    const there = /\/(?:places|place|zone|subscriptions)\/[^/?]+/
    await refused(full, 404, "not_found", ({ path }) => ({ path: path.replace(there, (one) => `${one}_not`) }))
  })

  it("429: one entry, before the scope is looked at [access-log-1]", async () => {
    const { clock } = world
    const subject = Subject.connection(poor.connectionId)
    const busy = { endsAt: Timestamp.make(clock.now() + 30_000), used: 1_000_000 }
    await world.run(Effect.map(MemoryDatabase, ({ rateWindows }) => rateWindows.set(subject, busy)))
    const { answer } = await refused(poor, 429, "rate_limited")
    await world.run(Effect.map(MemoryDatabase, ({ rateWindows }) => rateWindows.delete(subject)))
    expect(answer.headers.get("retry-after")).toBe("30")
  })

  it.each([
    ["503", StoreError.unavailable("the pool is full"), 503, "unavailable"],
    ["500", new Error("a mistake of ours"), 500, "internal_error"]
  ])("%s: one entry, also when we are at fault [access-log-1]", async (_, failure, status, error) => {
    const request = await asks(full)
    const { rateWindows } = await world.run(MemoryDatabase)
    const before = rateWindows.get
    rateWindows.get = () => {
      throw failure
    }
    const { answer, entry } = await onlyEntry(full, () => ask(full, method, request)).finally(
      () => (rateWindows.get = before)
    )
    expect([answer.status, entry.endpoint, entry.error, entry.disclosed]).toEqual([status, name, error, null])
  })
})
