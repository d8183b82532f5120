import { Effect } from "effect"
import type { Request, TokenSet } from "../Operations.js"
import { REQUIRED } from "../Specification.js"
import {
  at,
  back,
  type Cast,
  type Company,
  done,
  type HeldTokens,
  learn,
  long,
  north,
  ORIGIN,
  type Took
} from "./Cast.js"
import { DAY, HOUR } from "./edges.js"
import type { Ask, Deed, Purpose } from "./Plan.js"

type AppStep = Extract<
  Deed,
  { readonly do: "consent" | "exchange" | "refresh" | "revoke" | "call" | "rule" | "remove rule" | "read visits" }
>

const NOTHING = Effect.succeed(false)
/** The largest number of pages of visits that one step reads. */
const MOST_PAGES = 20

/** Performs a step of an app, or a user's consent to an app. */
export const act = (cast: Cast, step: AppStep): Took => {
  switch (step.do) {
    case "consent":
      return consent(cast, step)
    case "remove rule": {
      const rule = at(cast.rules, step.rule)
      if (rule === undefined) return NOTHING
      const endpoint = `DELETE /v1/rules/${rule.target}/{id}` as const
      return asking(cast, rule.held, { endpoint, ruleId: rule.id })
    }
    default: {
      const held = at(cast.connections, step.connection)
      return held === undefined ? NOTHING : withConnection(cast, held, step)
    }
  }
}

const withConnection = (
  cast: Cast,
  connection: HeldTokens,
  step: Exclude<AppStep, { readonly do: "consent" | "remove rule" }>
): Took => {
  switch (step.do) {
    case "exchange":
      return exchange(cast, connection, step)
    case "refresh":
      return refresh(cast, connection, step)
    case "revoke": {
      const tokens = back(connection.tokens, step.back)
      const { token } = step
      if (tokens === undefined && token !== "none") return NOTHING
      const args = {
        appId: identity(cast, connection, step.client),
        token: token === "none" || tokens === undefined ? "nobody-issued-this" : tokens[token],
        client: step.client === "wrong" ? "wrong" : "right"
      } as const
      return Effect.as(done(cast, "revoke", args, connection.app.owner), true)
    }
    case "call":
      return Effect.flatMap(cast.world.now, (now) => asking(cast, connection, request(connection, step.ask, now), step))
    case "rule":
      return makeRule(cast, connection, step)
    case "read visits":
      return readVisits(cast, connection, step)
  }
}

const consent = (cast: Cast, step: Extract<AppStep, { readonly do: "consent" }>): Took =>
  Effect.gen(function* () {
    const before = step.again === null ? undefined : at(cast.connections, step.again)
    const person = before?.person ?? at(cast.people, step.person)
    const app = before?.app ?? at(cast.apps, step.app)
    if (person === undefined || app === undefined) return false
    const chosen = (indices: ReadonlyArray<number>) => [
      ...new Set(indices.flatMap((index) => at(person.places, index)?.id ?? []))
    ]
    const { externalUserId, sensitiveDays, standardDays } = step
    const places = chosen(step.places)
    const args = {
      userId: person.id,
      appId: app.id,
      requested: step.scopes.map(long),
      scopes: step.scopes.filter((scope) => !step.unticked.includes(scope)).map(long),
      places,
      earlier: chosen(step.earlier).filter((id) => places.includes(id)),
      standardDays,
      sensitiveDays,
      externalUserId
    }
    const now = yield* cast.world.now
    const made = yield* done(cast, "consent", args, person.name)
    if (made === undefined) return true
    const connection =
      cast.connections.find(({ id }) => id === made.connectionId) ?? known(cast, made.connectionId, { person, app })
    connection.codes.push({ code: made.code, at: now })
    connection.sensitiveEndsAt = now + sensitiveDays * DAY
    if (made.mode !== "renew_sensitive") {
      connection.standardEndsAt = standardDays === null ? undefined : now + standardDays * DAY
    }
    if (step.isExchanged) yield* exchange(cast, connection, { back: 0, verifier: "right", client: "right" })
    return true
  })

const known = (cast: Cast, id: string, of: Pick<HeldTokens, "person" | "app">): HeldTokens => {
  const connection: HeldTokens = {
    id,
    ...of,
    codes: [],
    tokens: [],
    rotatedAt: undefined,
    standardEndsAt: undefined,
    sensitiveEndsAt: undefined,
    pauseEndsAt: undefined
  }
  // The new connection takes the index of the earlier connection of this person and app, so that a step that names this
  // index still means the same person and app. The earlier connection moves to the end of the list.
  const before = cast.connections.findIndex(({ app, person }) => app === of.app && person === of.person)
  if (before < 0) cast.connections.push(connection)
  else cast.connections.push(...cast.connections.splice(before, 1, connection))
  return connection
}

type Client = Extract<AppStep, { readonly do: "refresh" }>["client"]

/**
 * The id with which the app authenticates. For `other`, this is the id of the next app in the list, or the app's own id
 * if the run has only one app. A wrong secret (`wrong`) does not change the id.
 */
const identity = ({ apps }: Cast, { app }: HeldTokens, client: Client): string =>
  (client === "other" ? at(apps, apps.indexOf(app) + 1) : app)?.id ?? app.id

const exchange = (
  cast: Cast,
  connection: HeldTokens,
  {
    back: count,
    client,
    redirectUri,
    verifier
  }: Pick<Extract<AppStep, { readonly do: "exchange" }>, "back" | "client" | "redirectUri" | "verifier">
): Took =>
  Effect.gen(function* () {
    const found = back(connection.codes, count)
    if (found === undefined) return false
    const args = {
      appId: identity(cast, connection, client),
      code: found.code,
      verifier,
      client: client === "wrong" ? "wrong" : "right",
      ...(redirectUri === undefined ? {} : { redirectUri })
    } as const
    yield* keep(cast, connection, yield* done(cast, "exchange", args, connection.app.owner))
    return true
  })

const refresh = (
  cast: Cast,
  connection: HeldTokens,
  { back: count, client }: Pick<Extract<AppStep, { readonly do: "refresh" }>, "back" | "client">
): Took =>
  Effect.gen(function* () {
    const found = back(connection.tokens, count)
    if (found === undefined) return false
    const args = {
      appId: identity(cast, connection, client),
      refreshToken: found.refresh,
      client: client === "wrong" ? "wrong" : "right"
    } as const
    const given = yield* done(cast, "refresh", args, connection.app.owner)
    yield* keep(cast, connection, given)
    if (given !== undefined) connection.rotatedAt = yield* cast.world.now
    return true
  })

const keep = ({ world }: Cast, connection: HeldTokens, tokens: TokenSet | undefined): Effect.Effect<void> =>
  tokens === undefined ? Effect.void : Effect.map(world.now, (now) => learn(connection, tokens, now))

/**
 * Makes a call with a token. With `isFresh`, the app first refreshes its tokens if the access token is too old. Returns
 * false when the app does not have the token.
 */
const asking = (
  cast: Cast,
  connection: HeldTokens,
  request: Request,
  how: { readonly back: number; readonly isFresh: boolean; readonly purpose: Purpose } = {
    back: 0,
    isFresh: true,
    purpose: "fitting"
  }
): Effect.Effect<boolean> => Effect.map(answered(cast, connection, request, how), (answer) => answer !== "skipped")

const answered = (
  cast: Cast,
  connection: HeldTokens,
  request: Request,
  how: { readonly back: number; readonly isFresh: boolean; readonly purpose: Purpose }
) =>
  Effect.gen(function* () {
    const now = yield* cast.world.now
    const last = back(connection.tokens, 0)
    if (how.isFresh && last !== undefined && now - last.at >= HOUR) {
      yield* refresh(cast, connection, { back: 0, client: "right" })
    }
    const tokens = back(connection.tokens, how.isFresh ? 0 : how.back)
    if (tokens === undefined) return "skipped" as const
    const purpose = purposeKey(connection.app, how.purpose, request)
    const args = {
      appId: connection.app.id,
      token: tokens.access,
      request,
      ...(purpose === undefined ? {} : { purpose })
    }
    return yield* done(cast, "call", args, connection.app.owner)
  })

const purposeKey = ({ purposes }: Company, purpose: Purpose, { endpoint }: Request): string | undefined => {
  const scope = REQUIRED[endpoint]
  if (!endpoint.startsWith("GET /v1/locations/") || purpose === "none") return undefined
  if (purpose === "unknown") return "never_registered"
  if (purpose === "fitting") return purposes.find(({ scopes }) => scopes.includes(scope))?.key
  return at(purposes, purpose)?.key
}

const request = ({ person }: HeldTokens, ask: Ask, now: number): Request => {
  const placeId = "place" in ask ? (at(person.places, ask.place)?.id ?? "place_unknown") : ""
  switch (ask.about) {
    case "me":
      return { endpoint: "GET /v1/me" }
    case "places":
      return { endpoint: "GET /v1/answers/places" }
    case "latest":
      return { endpoint: "GET /v1/locations/latest" }
    case "place rules":
      return { endpoint: "GET /v1/rules/place" }
    case "zone rules":
      return { endpoint: "GET /v1/rules/zone" }
    case "current place":
      return { endpoint: "GET /v1/answers/current-place", maxAgeS: ask.maxAgeS }
    case "presence":
      return { endpoint: "GET /v1/answers/places/{place_id}/presence", placeId, maxAgeS: ask.maxAgeS }
    case "zone": {
      const { lat, lon } = at(person.places, ask.place) ?? ORIGIN
      const { maxAgeS, radiusM } = ask
      return { endpoint: "POST /v1/answers/verify-zone", label: "Around here", lat, lon, radiusM, maxAgeS }
    }
    case "place at":
      return { endpoint: "GET /v1/lookup/place", at: now - ask.agoMs, toleranceS: ask.toleranceS }
    case "location at":
      return { endpoint: "GET /v1/locations/lookup", at: now - ask.agoMs, toleranceS: ask.toleranceS }
    case "range":
      return { endpoint: "GET /v1/locations/timerange", from: now - ask.agoMs, to: now, limit: 100 }
    case "days":
      return { endpoint: "GET /v1/locations/days", from: now - ask.agoMs, to: now }
  }
}

const makeRule = (cast: Cast, connection: HeldTokens, step: Extract<AppStep, { readonly do: "rule" }>): Took =>
  Effect.gen(function* () {
    const now = yield* cast.world.now
    const place = at(connection.person.places, step.place)
    const { dwellMinutes, target, type, webhook } = step
    const endpoints = cast.endpoints.filter(({ app }) => app === connection.app)
    const fields = {
      type,
      dwellMinutes: type === "dwell" ? dwellMinutes : null,
      settleS: step.settleS ?? null,
      silenceS: step.silenceS ?? null,
      webhookUrl: webhook === null ? null : ((webhook < 0 ? undefined : at(endpoints, webhook)?.url) ?? NO_ENDPOINT),
      activeFrom: step.fromMs === null ? null : now + step.fromMs,
      activeUntil: step.untilMs === null ? null : now + step.untilMs,
      maxEventAgeS: step.maxEventAgeS
    }
    const { lat, lon } = place ?? north(0)
    const made = yield* answered(
      cast,
      connection,
      target === "place"
        ? { endpoint: "POST /v1/rules/place", placeId: place?.id ?? "place_unknown", ...fields }
        : { endpoint: "POST /v1/rules/zone", label: "Around here", lat, lon, radiusM: step.radiusM, ...fields },
      { back: 0, isFresh: true, purpose: "none" }
    )
    if (made === "skipped") return false
    if (made?.status === 201) {
      const { activeFrom: from, activeUntil: until } = fields
      cast.rules.push({ id: String(made.body["id"]), held: connection, target, from, until, dwellMinutes })
    }
    return true
  })

const NO_ENDPOINT = "https://hooks.example/nobody"

const readVisits = (cast: Cast, connection: HeldTokens, step: Extract<AppStep, { readonly do: "read visits" }>): Took =>
  Effect.gen(function* () {
    const from = step.fromMs === null ? null : (yield* cast.world.now) - step.fromMs
    let cursor: string | null = null
    for (let page = 0; page < MOST_PAGES; page++) {
      const request: Request = { endpoint: "GET /v1/visits", from, to: null, limit: step.limit, cursor }
      const answer = yield* answered(cast, connection, request, { back: 0, isFresh: true, purpose: "none" })
      if (answer === "skipped") return false
      const next: unknown = answer?.body["nextCursor"]
      if (typeof next !== "string") return true
      cursor = next
    }
    return true
  })
