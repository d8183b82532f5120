import { Schema } from "effect"
import { KINDS } from "../ports/Faults.js"
import type { Reply } from "../world/Receivers.js"
import {
  type Ask,
  type Deed,
  type Events,
  PAUSES,
  type Plan,
  type Purpose,
  SCOPES,
  SENSITIVE,
  type PlanStep
} from "./Plan.js"

/** The schema of a plan in a file. The schema checks each field. */

const { Boolean, Literal, NullOr, Struct } = Schema
const items = Schema.Array
const called = <S extends Schema.Annotable.All>(schema: S, description: string): Schema.Annotable.Self<S> =>
  schema.annotations({ description })

const whole = called(Schema.Int, "a whole number")
const from = (least: number) =>
  called(Schema.Int.pipe(Schema.greaterThanOrEqualTo(least)), `a whole number from ${least}`)
const metres = called(Schema.Finite, "a number")
const share = called(Schema.Number.pipe(Schema.between(0, 1)), "a number from 0 to 1")
const text = called(Schema.String, "a text")
const yes = called(Boolean, "true or false")
const scope = Literal(...SCOPES)
const fault = Literal(...(KINDS as readonly [(typeof KINDS)[number], ...typeof KINDS]))
const client = Literal("right", "wrong", "other")
const events: Schema.Schema<Events> = items(
  Literal("rule.fired", "places.changed", "sensitive.expiring", "sensitive.lapsed", "sensitive.removed")
)
const purpose: Schema.Schema<Purpose> = called(
  Schema.Union(Literal("fitting", "none", "unknown"), whole),
  "fitting, none, unknown or a whole number"
)
const terms = Struct({ scopes: items(Literal(...SENSITIVE)), expectedDailyVolume: whole, description: text })
const decision = Literal("approve", "reject")
const reply: Schema.Schema<Reply> = called(
  Schema.Union(
    whole,
    Struct({ status: whole, location: Schema.optional(text), delayMillis: Schema.optional(whole) }),
    Literal("refuse", "reset", "hang", "slow", "reset_after_2xx")
  ),
  'a status, refuse, reset, hang, slow, reset_after_2xx or {"status": 200, "delayMillis": 5000}'
)
const edit = called(
  Schema.Union(Struct({ label: text }), Struct({ northM: metres }), Struct({ radiusM: metres })),
  "an object with label, northM or radiusM"
)

const about = <const A extends Ask["about"], F extends Schema.Struct.Fields>(what: A, fields: F) =>
  Struct({ about: Literal(what), ...fields })
const recent = { maxAgeS: whole }
const moment = { agoMs: whole, toleranceS: whole }
const since = { agoMs: whole }

// Each alternative is a struct with its own literal `about`, so that an error message is about the alternative that the
// author of the plan meant.
const ask: Schema.Schema<Ask> = Schema.Union(
  about("me", {}),
  about("places", {}),
  about("latest", {}),
  about("place rules", {}),
  about("zone rules", {}),
  about("current place", recent),
  about("presence", { place: whole, ...recent }),
  about("zone", { place: whole, radiusM: metres, ...recent }),
  about("place at", moment),
  about("location at", moment),
  about("range", since),
  about("days", since)
)

const doing = <const D extends PlanStep["do"], F extends Schema.Struct.Fields>(does: D, fields: F) =>
  Struct({ do: Literal(does), ...fields })

const ofPhone = { person: whole, phone: whole }
const ofRow = { app: whole, delivery: whole, state: NullOr(Literal("trying", "delivered", "failed", "too_old")) }

const passwordKind = Literal("right", "old", "guess")

const accounts = [
  doing("sign in", { person: whole, password: passwordKind, address: whole }),
  doing("use cookie", { person: whole, back: whole }),
  doing("sign out", { person: whole, back: whole }),
  doing("end other sessions", { person: whole, back: whole }),
  doing("change password", { person: whole, back: whole, password: passwordKind, address: whole })
] as const

const people = [
  doing("place", { person: whole, label: text, kind: text, northM: metres, radiusM: metres }),
  doing("edit place", { person: whole, place: whole, edit }),
  doing("archive place", { person: whole, place: whole }),
  doing("add phone", { person: whole }),
  doing("remove phone", ofPhone),
  doing("offline", ofPhone),
  doing("online", { ...ofPhone, shuffle: yes, duplicate: whole }),
  doing("fix", { ...ofPhone, place: whole, edgeM: metres, accuracyM: NullOr(metres), ageMs: whole }),
  doing("visit", {
    ...ofPhone,
    place: whole,
    edgeM: metres,
    arrivedMs: NullOr(whole),
    stayedMs: NullOr(whole)
  }),
  doing("share", { connection: whole, places: items(whole), isEarlierIncluded: yes }),
  doing("disconnect", { connection: whole }),
  doing("user removes rule", { rule: whole }),
  doing("read access log", { person: whole }),
  doing("consent", {
    person: whole,
    app: whole,
    again: NullOr(whole),
    scopes: items(scope),
    unticked: items(scope),
    places: items(whole),
    earlier: items(whole),
    standardDays: Literal(1, 7, 30, 90, null),
    sensitiveDays: Literal(1, 7, 30, 90),
    externalUserId: NullOr(text),
    isExchanged: yes
  })
] as const

const length = Literal(...PAUSES)

const steering = [
  doing("pause", { connection: whole, length }),
  doing("resume", { connection: whole }),
  doing("end exact location", { connection: whole }),
  doing("pause all", { person: whole, length }),
  doing("resume all", { person: whole }),
  doing("read own history", { person: whole }),
  doing("steer", {
    connection: whole,
    scopes: NullOr(items(scope)),
    standardDays: Literal(1, 7, 30, 90, "never", null),
    sensitiveDays: Literal(1, 7, 30, 90, null)
  }),
  doing("erase", { person: whole, around: Literal("now", "last fix"), beforeMs: whole, afterMs: whole })
] as const

const apps = [
  doing("exchange", {
    connection: whole,
    back: whole,
    verifier: Literal("right", "wrong"),
    client,
    redirectUri: Schema.optional(Literal("wrong"))
  }),
  doing("refresh", { connection: whole, back: whole, client }),
  doing("revoke", { connection: whole, back: whole, token: Literal("access", "refresh", "none"), client }),
  doing("call", { connection: whole, back: whole, isFresh: yes, ask, purpose }),
  doing("rule", {
    connection: whole,
    target: Literal("place", "zone"),
    place: whole,
    radiusM: metres,
    type: Literal("enter", "exit", "dwell"),
    dwellMinutes: whole,
    settleS: Schema.optional(whole),
    silenceS: Schema.optional(whole),
    fromMs: NullOr(whole),
    untilMs: NullOr(whole),
    maxEventAgeS: NullOr(whole),
    webhook: NullOr(whole)
  }),
  doing("remove rule", { rule: whole }),
  doing("read visits", { connection: whole, limit: whole, fromMs: NullOr(whole) })
] as const

const developers = [
  doing("endpoint", { app: whole, url: Literal("new", "same", "http", "private"), events }),
  doing("edit endpoint", { endpoint: whole, events }),
  doing("script", { endpoint: whole, replies: items(reply) }),
  doing("move endpoint", { endpoint: whole }),
  doing("enable endpoint", { endpoint: whole }),
  doing("remove endpoint", { endpoint: whole }),
  doing("rotate secret", { endpoint: whole }),
  doing("test endpoint", { endpoint: whole }),
  doing("redeliver", ofRow),
  doing("retry now", ofRow),
  doing("recover", { endpoint: whole, agoMs: whole }),
  doing("look", { app: whole }),
  doing("new secret", { app: whole }),
  doing("submit app", { app: whole }),
  doing("declare", { app: whole, without: items(scope) }),
  doing("new purpose", { app: whole, key: text, terms }),
  doing("edit purpose", { app: whole, purpose: whole, terms }),
  doing("submit purpose", { app: whole, purpose: whole }),
  doing("archive purpose", { app: whole, purpose: whole })
] as const

const imports = [
  doing("import", { person: whole, from: from(0), entries: from(0), recent: from(0), wrong: from(0) }),
  doing("undo import", { person: whole, back: whole }),
  doing("read imports", { person: whole })
] as const

const listeners = [
  doing("listen", { app: whole, endpoint: NullOr(whole), events, forMs: from(0) }),
  doing("stop listening", { listener: whole }),
  doing("end listening session", { listener: whole })
] as const

const others = [
  doing("decide purpose", { app: whole, purpose: whole, decision }),
  doing("decide app", { app: whole, decision }),
  doing("narrow app", { app: whole, without: items(scope) }),
  doing("revoke app", { app: whole }),
  doing("read flags", {}),
  doing("crash", { program: Literal("server", "worker", "worker2"), downMs: from(0) }),
  doing("jump", { ms: whole }),
  doing("fault", { fault, p: share, times: NullOr(whole) }),
  doing("calm", {})
] as const

const deeds = [
  ...people,
  ...accounts,
  ...steering,
  ...apps,
  ...developers,
  ...listeners,
  ...imports,
  ...others
] as const
const deed: Schema.Schema<Deed> = Schema.Union(...deeds)

const atEdge = { ...ofPhone, place: whole, metres, accuracyM: NullOr(metres), pauseMs: whole }

const step: Schema.Schema<PlanStep> = Schema.Union(
  ...deeds,
  doing("wait", { ms: from(0) }),
  doing("until", {
    moment: Literal(
      "code ends",
      "access ends",
      "race ends",
      "standard ends",
      "sensitive ends",
      "fourteen days left",
      "seven days left",
      "grace ends",
      "old secret ends",
      "window opens",
      "window closes",
      "window is late",
      "dwelt",
      "cooled down",
      "session idle",
      "session over",
      "guesses forgotten",
      "pause ends"
    ),
    of: whole,
    offsetMs: whole
  }),
  doing("together", { apartMs: whole, deeds: items(deed) }),
  doing("walk", { way: Literal("in", "out"), ...atEdge }),
  doing("commute", { times: whole, ...atEdge }),
  doing("calls", { connection: whole, times: whole, purpose })
)

export const planSchema: Schema.Schema<Plan> = Struct({
  seed: from(0),
  scheduling: Literal("fifo", "random"),
  workers: from(1),
  faults: Schema.partialWith(Schema.Record({ key: fault, value: share }), { exact: true }),
  people: from(1),
  apps: from(0),
  hasSandbox: yes,
  steps: items(step)
})
