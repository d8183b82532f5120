import { FastCheck } from "effect"
import {
  ACCURACIES,
  AGES,
  BAD_DWELLS,
  BAD_EVENT_AGES,
  BAD_RADII,
  DAY,
  DOWN,
  DWELLS,
  SETTLES,
  EDGES,
  ERASED_AFTER,
  ERASED_BEFORE,
  EVENT_AGES,
  HOUR,
  JUMPS,
  LISTENING,
  MINUTE,
  RADII,
  TOLERANCES
} from "./edges.js"
import { type Deed, type Doing, type Purpose, SCOPES, SENSITIVE } from "./Plan.js"

/**
 * Generators for the values of single steps. The generators prefer boundary values of the specification.
 */

export type Arbitrary<A> = FastCheck.Arbitrary<A>
const { array, constant, constantFrom, integer, oneof, option, uniqueArray } = FastCheck

/** Draws from `usual` `times` times as often as from `rare`, so that the service allows most operations. */
export const mostly = <A>(usual: Arbitrary<A>, rare: Arbitrary<A>, times = 8): Arbitrary<A> =>
  oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: rare })
export const one = <const A>(from: ReadonlyArray<A>): Arbitrary<A> => constantFrom(...from)
const some = <const A>(from: ReadonlyArray<A>, maxLength = from.length): Arbitrary<ReadonlyArray<A>> =>
  uniqueArray(one(from), { maxLength })
export const orNull = <A>(arbitrary: Arbitrary<A>, freq = 3): Arbitrary<A | null> => option(arbitrary, { freq })

const person = integer({ min: 0, max: 2 })
const app = integer({ min: 0, max: 2 })
const place = integer({ min: 0, max: 3 })
const phone = mostly(constant(0), integer({ min: 1, max: 2 }), 5)
const connection = integer({ min: -1, max: 5 })
const endpoint = integer({ min: 0, max: 5 })
const rule = integer({ min: 0, max: 11 })
const delivery = integer({ min: 0, max: 30 })
const purpose = integer({ min: 0, max: 3 })
/** A position counted from the newest item; mostly 0, the newest. */
const back = mostly(constant(0), integer({ min: 1, max: 4 }), 3)
const client = mostly(constant("right" as const), one(["wrong", "other"]), 9)
const places = one<ReadonlyArray<number>>([[0, 1], [0], [1], [0, 1, 2, 3], [0, 2], []])
const without = one<ReadonlyArray<(typeof SCOPES)[number]>>([
  [],
  [],
  ["rules.place"],
  ["rules.zone"],
  ["places.watch"],
  ["visits.read"],
  [...SENSITIVE],
  ["latest.read"],
  ["lookup"]
])
const scopes = mostly(
  constant<ReadonlyArray<(typeof SCOPES)[number]>>(SCOPES),
  uniqueArray(one(SCOPES), { minLength: 1, maxLength: 6 }),
  3
)
const days = one([1, 7, 30, 90])
const standardDays = one([null, 90, 30, 7, 1])
const events = one<ReadonlyArray<"rule.fired" | "places.changed" | "sensitive.lapsed" | "sensitive.removed">>([
  [],
  ["rule.fired"],
  ["places.changed"],
  ["sensitive.lapsed", "sensitive.removed"]
])
const label = one(["Home", "Work", "Gym", "The café"])
const kind = one(["other", "gym", "shop"])
const northM = one([0, 3_000, 700, 1_000, 6_000])
const radius = mostly(one(RADII), one(BAD_RADII), 12)
const terms = FastCheck.record({
  scopes: mostly(constant([...SENSITIVE]), some(SENSITIVE), 1),
  expectedDailyVolume: one([1, 2, 1_000]),
  description: one(["To find the way", "To show what is near to you", "Because of the weather"])
})
const maxAgeS = mostly(one([900, 1, 60, 86_400]), one([0, 86_401]), 10)
const purposeOf = mostly<Purpose>(constant("fitting"), oneof(one(["none", "unknown"]), purpose), 2)
const probability = one([0.01, 0.05, 0.3, 1])

export const reply = one([
  200,
  204,
  500,
  404,
  410,
  429,
  199,
  "refuse",
  "reset",
  "hang",
  "slow",
  "reset_after_2xx",
  { status: 302, location: "https://elsewhere.example/" },
  { status: 200, delayMillis: 4_999 },
  { status: 200, delayMillis: 5_000 },
  { status: 200, delayMillis: 5_001 }
])
/** A reply that makes an attempt fail, because the receiver sends no status 2xx before the deadline. */
export const badReply = one([
  500,
  "refuse",
  "reset",
  "hang",
  "slow",
  404,
  { status: 302, location: "https://elsewhere.example/" }
])

const ask = oneof(
  FastCheck.record({ about: one(["me", "places", "latest", "place rules", "zone rules"]) }),
  FastCheck.record({ about: constant("latest" as const) }),
  FastCheck.record({ about: constant("current place" as const), maxAgeS }),
  FastCheck.record({ about: constant("presence" as const), place, maxAgeS }),
  FastCheck.record({ about: constant("zone" as const), place, radiusM: radius, maxAgeS }),
  FastCheck.record({
    about: one(["place at", "location at"]),
    agoMs: one([0, MINUTE, 15 * MINUTE, HOUR, DAY]),
    toleranceS: one(TOLERANCES)
  }),
  FastCheck.record({ about: one(["range", "days"]), agoMs: one([DAY, HOUR, 31 * DAY]) })
)

const of = <const D extends Doing, F>(doing: D, fields: { [K in keyof F]: Arbitrary<F[K]> }) =>
  FastCheck.record({ do: constant(doing), ...fields }) as unknown as Arbitrary<Extract<Deed, { readonly do: unknown }>>

const password = mostly(constant("right" as const), one(["guess", "old"]), 2)
const address = integer({ min: 0, max: 3 })
const pauseLength = one(["hour", "hour", "day", "until_resumed"])

/**
 * Gives some rules a `settle_s`. The value is computed from values that were drawn already, because an additional draw
 * would change the plans of all seeds.
 */
const waiting = (rule: Arbitrary<Deed>): Arbitrary<Deed> =>
  rule.map((step) => {
    if (step.do !== "rule" || step.type === "dwell") return step
    const settleS = SETTLES[(step.place + step.connection + step.dwellMinutes) % SETTLES.length]
    return settleS === undefined ? step : { ...step, settleS }
  })

/** The generator of each kind of step. The key is the `do` of the step. */
export const DEEDS = {
  "sign in": of("sign in", { person, password, address }),
  "use cookie": of("use cookie", { person, back }),
  "sign out": of("sign out", { person, back }),
  "end other sessions": of("end other sessions", { person, back }),
  "change password": of("change password", { person, back, password, address }),
  pause: of("pause", { connection, length: pauseLength }),
  resume: of("resume", { connection }),
  "pause all": of("pause all", { person, length: pauseLength }),
  "resume all": of("resume all", { person }),
  "end exact location": of("end exact location", { connection }),
  steer: of("steer", {
    connection,
    scopes: orNull(scopes, 1),
    standardDays: one([null, 30, 7, 1, "never"]),
    sensitiveDays: one([null, 30, 7, 1])
  }),
  erase: of("erase", {
    person,
    around: one(["now", "last fix"]),
    beforeMs: one(ERASED_BEFORE),
    afterMs: mostly(one(ERASED_AFTER), constant(HOUR), 8)
  }),
  "read own history": of("read own history", { person }),
  place: of("place", { person, label, kind, northM, radiusM: radius }),
  "edit place": of("edit place", {
    person,
    place,
    edit: oneof(FastCheck.record({ label }), FastCheck.record({ northM }), FastCheck.record({ radiusM: one(RADII) }))
  }),
  "archive place": of("archive place", { person, place }),
  "add phone": of("add phone", { person }),
  "remove phone": of("remove phone", { person, phone }),
  offline: of("offline", { person, phone }),
  online: of("online", { person, phone, shuffle: FastCheck.boolean(), duplicate: one([1, 1, 2, 3]) }),
  fix: of("fix", { person, phone, place, edgeM: one(EDGES), accuracyM: one(ACCURACIES), ageMs: one(AGES) }),
  visit: of("visit", {
    person,
    phone,
    place,
    edgeM: one(EDGES),
    arrivedMs: orNull(one([0, MINUTE, HOUR, 2 * HOUR, DAY, 3 * DAY])),
    stayedMs: orNull(one([10 * MINUTE, 5 * MINUTE, 0, HOUR]), 1)
  }),
  share: of("share", { connection, places, isEarlierIncluded: FastCheck.boolean() }),
  disconnect: of("disconnect", { connection }),
  "user removes rule": of("user removes rule", { rule }),
  "read access log": of("read access log", { person }),
  consent: of("consent", {
    person,
    app,
    again: orNull(connection, 1),
    scopes,
    unticked: mostly(constant([]), some(SCOPES, 4), 4),
    places,
    earlier: one<ReadonlyArray<number>>([[], [0], [1]]),
    standardDays,
    sensitiveDays: days,
    externalUserId: orNull(one(["customer-1", "customer-2"]), 1),
    isExchanged: mostly(constant(true), constant(false), 6)
  }),
  exchange: of("exchange", { connection, back, verifier: mostly(constant("right"), constant("wrong"), 4), client }),
  refresh: of("refresh", { connection, back, client }),
  revoke: of("revoke", {
    connection,
    back,
    token: one(["refresh", "access", "none"]),
    client: mostly(constant("right"), one(["wrong", "other"]), 1)
  }),
  call: of("call", { connection, back, isFresh: mostly(constant(true), constant(false), 2), ask, purpose: purposeOf }),
  rule: waiting(
    of("rule", {
      connection,
      target: one(["place", "zone"]),
      place,
      radiusM: radius,
      type: one(["enter", "exit", "dwell"]),
      dwellMinutes: mostly(one(DWELLS), one(BAD_DWELLS), 10),
      fromMs: orNull(one([0, MINUTE, HOUR, -HOUR, DAY]), 1),
      untilMs: orNull(one([HOUR, 5 * MINUTE, DAY, 2 * DAY, 1, 0, -1, -HOUR]), 1),
      maxEventAgeS: orNull(mostly(one(EVENT_AGES), one(BAD_EVENT_AGES)), 1),
      webhook: orNull(one([0, 1, -1]), 1)
    })
  ),
  "remove rule": of("remove rule", { rule }),
  "read visits": of("read visits", { connection, limit: one([100, 1, 2, 500]), fromMs: orNull(one([DAY, HOUR]), 1) }),
  endpoint: of("endpoint", { app, url: mostly(constant("new"), one(["same", "http", "private"]), 5), events }),
  "edit endpoint": of("edit endpoint", { endpoint, events }),
  script: of("script", { endpoint, replies: array(reply, { minLength: 1, maxLength: 7 }) }),
  "move endpoint": of("move endpoint", { endpoint }),
  "enable endpoint": of("enable endpoint", { endpoint }),
  "remove endpoint": of("remove endpoint", { endpoint }),
  "rotate secret": of("rotate secret", { endpoint }),
  "test endpoint": of("test endpoint", { endpoint }),
  redeliver: of("redeliver", { app, delivery, state: one(["failed", "delivered", "too_old", "trying", null]) }),
  "retry now": of("retry now", { app, delivery, state: one(["trying", "trying", "failed", null]) }),
  recover: of("recover", { endpoint, agoMs: one([DAY, HOUR, 30 * DAY]) }),
  look: of("look", { app }),
  "new secret": of("new secret", { app }),
  "submit app": of("submit app", { app }),
  declare: of("declare", { app, without }),
  "new purpose": of("new purpose", { app, key: one(["third", "navigation", "Bad Key", "fourth"]), terms }),
  "edit purpose": of("edit purpose", { app, purpose, terms }),
  "submit purpose": of("submit purpose", { app, purpose }),
  "archive purpose": of("archive purpose", { app, purpose }),
  "decide purpose": of("decide purpose", { app, purpose, decision: one(["approve", "approve", "reject"]) }),
  "decide app": of("decide app", { app, decision: one(["approve", "approve", "reject"]) }),
  "narrow app": of("narrow app", { app, without }),
  "revoke app": of("revoke app", { app }),
  "read flags": of("read flags", {}),
  import: of("import", {
    person,
    from: one([0, 6, 12, 20]),
    entries: integer({ min: 0, max: 20 }),
    recent: one([0, 0, 3]),
    wrong: one([0, 0, 2])
  }),
  "undo import": of("undo import", { person, back }),
  "read imports": of("read imports", { person }),
  listen: of("listen", { app, endpoint: orNull(endpoint, 2), events, forMs: one(LISTENING) }),
  "stop listening": of("stop listening", { listener: endpoint }),
  "end listening session": of("end listening session", { listener: endpoint }),
  crash: of("crash", { program: one(["worker", "server", "worker2"]), downMs: one(DOWN) }),
  jump: of("jump", { ms: one(JUMPS) }),
  fault: of("fault", {
    fault: one(["port.fail", "port.unknown", "port.slow", "crash", "upload.duplicate", "upload.reorder", "clock.jump"]),
    p: probability,
    times: one([1, 2, 5])
  }),
  calm: of("calm", {})
} as const satisfies Record<Deed["do"], Arbitrary<Deed>>

export const CROSSING_M = one([100, 140, 51, 60])
