import type { Call, Circle, RuleFields } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import { type CompletedCall, happened, type Happened, isDone, mayBeDone, textOf } from "./trace/Happened.js"
import { into } from "./trace/into.js"
import * as Register from "./trace/Register.js"
import { Pauses } from "./Pauses.js"
import { afterRenewal, chosenBy } from "./Renewed.js"
import { SENSITIVE } from "../../Specification.js"

/**
 * What the trace shows about connections, shared places and rules. The oracles of rules, visits and webhooks use it.
 */

/** A user and an app. A pair has at most one connection at a time. */
export interface Pair {
  readonly userId: string
  readonly appId: string
  readonly consents: ReadonlyArray<CompletedCall<"consent">>
  /**
   * The places that the user shares with the app. The value is true when the user also shares visits from before the
   * connection.
   */
  readonly shares: Register.Register<ReadonlyMap<string, boolean>>
  readonly scopes: Register.Register<ReadonlyArray<string>>
  /** The operations that ended a connection of the pair, or may have ended it. */
  readonly ends: ReadonlyArray<CompletedCall>
  /**
   * The operations that chose the end of the standard tier, each with the number of days until the end; null: no end.
   */
  readonly dated: ReadonlyArray<{ readonly did: CompletedCall; readonly days: number | null }>
}

export interface Place {
  readonly placeId: string
  readonly userId: string
  readonly circles: Register.Register<Circle>
  readonly labels: Register.Register<{ readonly label: string; readonly kind: string }>
  readonly archivings: ReadonlyArray<CompletedCall>
}

export interface MadeRule {
  readonly ruleId: string
  readonly pair: Pair
  readonly connectionId: string
  readonly kind: "place" | "zone"
  readonly placeId: string | null
  /** The circle of a zone rule. */
  readonly zone: Circle | null
  readonly fields: RuleFields
  readonly made: CompletedCall<"call">
  readonly removals: ReadonlyArray<CompletedCall>
}

export interface Ground {
  readonly happened: Happened
  readonly pairs: ReadonlyMap<string, Pair>
  readonly places: ReadonlyMap<string, Place>
  readonly rules: ReadonlyMap<string, MadeRule>
  readonly declared: ReadonlyMap<string, Register.Register<ReadonlyArray<string>>>
  readonly allowed: ReadonlyMap<string, Register.Register<ReadonlyArray<string>>>
  /** The user and app of each connection, by the connection's id. */
  readonly connections: ReadonlyMap<string, Pair>
  readonly pauses: Pauses
  /** The pair and the connection to which a token was issued. */
  readonly holderOf: (token: string) => { readonly pair: Pair; readonly connectionId: string } | undefined
}

const known = new WeakMap<object, Ground>()

export const ground = (run: Run): Ground => {
  const found = known.get(run)
  if (found !== undefined) return found
  const made = read(happened(run))
  known.set(run, made)
  return made
}

interface Holder {
  readonly pair: Pair
  readonly connectionId: string
}

const read = (h: Happened): Ground => {
  const pairs = new Map<
    string,
    Pair & {
      readonly consents: Array<CompletedCall<"consent">>
      readonly ends: Array<CompletedCall>
      readonly dated: Array<Pair["dated"][number]>
    }
  >()
  const pauses = new Pauses()
  const codes = new Map<string, Holder>()
  const tokens = new Map<string, Holder>()
  const connections = new Map<string, ReturnType<typeof pairOf>>()
  const places = new Map<string, Place>()
  const archivings = new Map<string, Array<CompletedCall>>()
  for (const operation of h.all)
    if (is(operation, "archivePlace") && mayBeDone(operation)) into(archivings, operation.args.placeId, operation)
  const rules = new Map<string, MadeRule & { readonly removals: Array<CompletedCall> }>()
  const declared = new Map<string, Register.Register<ReadonlyArray<string>>>()
  const allowed = new Map<string, Register.Register<ReadonlyArray<string>>>()

  const pairOf = (userId: string, appId: string) => {
    const key = `${userId} ${appId}`
    const pair = pairs.get(key) ?? {
      userId,
      appId,
      consents: [],
      shares: Register.make<ReadonlyMap<string, boolean>>(),
      scopes: Register.make<ReadonlyArray<string>>(),
      ends: [],
      dated: []
    }
    pairs.set(key, pair)
    return pair
  }
  const ofApp = (appId: string) => [...pairs.values()].filter((pair) => pair.appId === appId)

  for (const operation of h.all) {
    const { outcome } = operation
    const value = isDone(operation) && outcome?._tag === "ok" ? outcome.value : undefined
    if (is(operation, "createApp")) {
      const appId = (value as { appId: string } | undefined)?.appId
      if (appId !== undefined) declared.set(appId, writing(Register.make(), operation, operation.args.scopes))
    } else if (is(operation, "declareScopes"))
      declared.get(operation.args.appId)?.write(operation, operation.args.scopes)
    else if (is(operation, "narrowApp")) {
      const { appId, scopes } = operation.args
      allowed.set(appId, writing(allowed.get(appId) ?? Register.make<ReadonlyArray<string>>(ALL), operation, scopes))
    } else if (is(operation, "createPlace")) {
      const { kind, label, userId } = operation.args
      const placeId = (value as { placeId: string } | undefined)?.placeId
      if (placeId === undefined) continue
      const circles = writing(Register.make<Circle>(), operation, circleOf(operation.args))
      places.set(placeId, {
        placeId,
        userId,
        circles,
        labels: writing(Register.make(), operation, { label, kind }),
        // The list contains all archivings of the place, even those later in the trace, because a later archiving may
        // overlap an operation that is read before it.
        archivings: archivings.get(placeId) ?? []
      })
    } else if (is(operation, "updatePlace")) {
      const place = places.get(operation.args.placeId)
      place?.circles.write(operation, circleOf(operation.args))
      place?.labels.write(operation, { label: operation.args.label, kind: operation.args.kind })
    } else if (is(operation, "consent")) {
      const { appId, earlier, userId } = operation.args
      const pair = pairOf(userId, appId)
      if (!mayBeDone(operation)) continue
      pair.consents.push(operation)
      const answer = value as { mode: string; code: string; connectionId: string } | undefined
      const granted = scopesGranted(h, pair, operation, answer?.mode)
      for (const scopes of granted) pair.scopes.write(granted.length === 1 ? operation : uncertain(operation), scopes)
      if (answer?.mode !== "renew_sensitive") {
        const shared = new Map(operation.args.places.map((placeId) => [placeId, earlier.includes(placeId)]))
        // A new connection shares exactly the chosen places. If the consent got no answer, the trace does not show
        // whether the connection was new.
        if (answer?.mode === "new") pair.shares.write(operation, shared)
        else writeShares(places, pair, answer === undefined ? uncertain(operation) : operation, shared)
      }
      if (answer?.mode !== "renew_sensitive") pair.dated.push({ did: operation, days: operation.args.standardDays })
      if (answer === undefined) continue
      pauses.shown(answer.connectionId, operation, answer.mode === "new")
      codes.set(answer.code, { pair, connectionId: answer.connectionId })
      connections.set(answer.connectionId, pair)
    } else if (is(operation, "sharePlaces")) {
      const shared = new Map(operation.args.places.map((place) => [place.placeId, place.includeEarlierVisits]))
      const pair = connections.get(operation.args.connectionId)
      if (pair !== undefined) writeShares(places, pair, operation, shared)
    } else if (is(operation, "pauseConnection") || is(operation, "resumeConnection")) pauses.ofOne(operation)
    else if (is(operation, "pauseAll") || is(operation, "resumeAll")) pauses.ofAll(operation)
    else if (is(operation, "changeConnection") || is(operation, "endExactLocation")) {
      const pair = connections.get(operation.args.connectionId)
      if (pair === undefined || !mayBeDone(operation)) continue
      const days = "standardDays" in operation.args ? operation.args.standardDays : null
      if (days !== null) pair.dated.push({ did: operation, days: days === "never" ? null : days })
      const after = scopesAfter({ declared, allowed, h }, pair, operation)
      for (const scopes of after) pair.scopes.write(after.length === 1 ? operation : uncertain(operation), scopes)
      // If exact location was all that the app could use, the end of exact location also ends the connection. The
      // oracle treats this as uncertain: after the grace period, the user's change has no effect.
      if (after.some((scopes) => scopes.length === 0)) pushEnd(pair, uncertain(operation))
    } else if (is(operation, "exchange") || is(operation, "refresh")) {
      const holder = is(operation, "exchange")
        ? codes.get(operation.args.code)
        : tokens.get(operation.args.refreshToken)
      const set = value as { accessToken: string; refreshToken: string } | undefined
      // A refused exchange or refresh may have ended the connection, because a code that is used twice and a spent
      // token end it.
      if (set === undefined) pushEnd(holder?.pair, operation)
      else if (holder !== undefined) {
        tokens.set(set.accessToken, holder)
        tokens.set(set.refreshToken, holder)
      }
    } else if (is(operation, "revoke")) {
      const holder = tokens.get(operation.args.token)
      if (mayBeDone(operation)) pushEnd(holder?.pair, uncertain(operation))
    } else if (is(operation, "disconnect")) {
      if (mayBeDone(operation)) pushEnd(connections.get(operation.args.connectionId), operation)
    } else if (is(operation, "revokeApp")) {
      if (mayBeDone(operation)) for (const pair of ofApp(operation.args.appId)) pushEnd(pair, operation)
    } else if (is(operation, "removeRuleOfUser")) {
      if (mayBeDone(operation)) rules.get(operation.args.ruleId)?.removals.push(operation)
    } else if (is(operation, "call")) {
      const { request, token } = operation.args
      if ("ruleId" in request) {
        // If an app other than the rule's sends this request, the service answers 404 and removes nothing.
        if (mayBeDone(operation)) rules.get(request.ruleId)?.removals.push(operation)
        continue
      }
      const holder = tokens.get(token)
      if (holder === undefined || value === undefined || !("type" in request)) continue
      const ruleId = textOf((value as { body: Record<string, unknown> }).body["id"])
      if (ruleId !== undefined) rules.set(ruleId, { ...made(operation, holder), ruleId, removals: [] })
    }
  }
  return {
    happened: h,
    pairs,
    places,
    rules,
    declared,
    allowed,
    connections,
    pauses,
    holderOf: (token) => tokens.get(token)
  }
}

/**
 * Writes which places are shared after the user chose `chosen`. An archived place that was shared stays shared, whether
 * or not it was chosen (Spec §3.1, §4.5). If an archiving overlaps the choice, either may have come first, and both
 * results are possible.
 */
const writeShares = (
  places: ReadonlyMap<string, Place>,
  { shares }: Pair,
  operation: CompletedCall,
  chosen: ReadonlyMap<string, boolean>
): void => {
  if (!mayBeDone(operation)) return
  const before = shares.possible(operation.begin, operation.end)
  const kept = (shared: ReadonlyMap<string, boolean>, ...when: ReadonlyArray<"yes" | "maybe" | "no">) =>
    [...shared].filter(([id]) => {
      const place = places.get(id)
      return place !== undefined && when.includes(archived(place, operation.begin, operation.end))
    })
  const after = before.flatMap((shared) => [
    new Map([...kept(shared, "yes"), ...chosen]),
    new Map([...kept(shared, "yes", "maybe"), ...chosen])
  ])
  // A consent that got no answer may have made a new connection, which shares exactly the chosen places.
  const all = after.length === 0 || !isDone(operation) ? [...after, chosen] : after
  const values = new Map(all.map((value) => [JSON.stringify([...value].sort()), value]))
  for (const value of values.values()) shares.write(values.size === 1 ? operation : uncertain(operation), value)
}

/**
 * The scopes that the connection may have after a change by the user. The user does not see a scope that the app does
 * not declare or that an admin took from the app, so such a scope stays (decision connection-6). If the change sets the
 * end date of exact location, it also takes away the sensitive ones of these scopes. An empty list means that exact
 * location was all that the app could use, so its end has ended the connection. If another consent or change overlaps,
 * the scopes are unknown.
 */
const scopesAfter = (
  { allowed, declared, h }: Pick<Ground, "allowed" | "declared"> & { readonly h: Happened },
  { appId, scopes, userId }: Pair,
  operation: CompletedCall<"changeConnection" | "endExactLocation">
): ReadonlyArray<ReadonlyArray<string>> => {
  if (overlapping(h, userId, operation).length > 0) return [ALL, []]
  const { args } = operation
  if ("scopes" in args && args.scopes === null && args.sensitiveDays === null) return []
  const { begin, end } = operation
  const [ones, others] = [declared.get(appId), allowed.get(appId)].map((of) => of?.possible(begin, end) ?? [ALL])
  const isSensitive = (scope: string): boolean => SENSITIVE.has(scope)
  const after = scopes.possible(begin, end).flatMap((before) =>
    before === ALL
      ? [ALL, []]
      : (ones ?? []).flatMap((one) =>
          (others ?? []).map((other) => {
            const isSeen = (scope: string): boolean => hasScope(one, scope) && hasScope(other, scope)
            if (!("scopes" in args)) {
              const standard = before.filter((scope) => !isSensitive(scope))
              return standard.length === before.length || standard.some(isSeen) ? standard : []
            }
            const drops = args.sensitiveDays !== null
            const unseen = before.filter((scope) => !isSeen(scope) && !(drops && isSensitive(scope)))
            return [...unseen, ...(args.scopes ?? before.filter(isSeen))]
          })
        )
  )
  return distinct(after)
}

/**
 * The scopes that the connection may have after a consent. A renewal keeps the standard scopes, and a consent without
 * an answer may be a renewal. If a change, or a consent that is no renewal, overlaps, it is unknown which scopes the
 * renewal keeps.
 */
const scopesGranted = (
  h: Happened,
  { scopes, userId }: Pair,
  operation: CompletedCall<"consent">,
  mode: string | undefined
): ReadonlyArray<ReadonlyArray<string>> => {
  const chosen = chosenBy(operation.args)
  const isRenewal = mode === "renew_sensitive"
  if (!isRenewal && mode !== undefined) return [chosen]
  const isMixed = overlapping(h, userId, operation).some((other) => !is(other, "consent") || modeOf(other) !== mode)
  if (isRenewal && isMixed) return [ALL, []]
  const before = scopes.possible(operation.begin, operation.end)
  const renewed = before.map((one) => (one === ALL ? ALL : afterRenewal(one, chosen)))
  return distinct(isRenewal && renewed.length > 0 ? renewed : [chosen, ...renewed])
}

const modeOf = (operation: CompletedCall<"consent">): string | undefined =>
  operation.outcome?._tag === "ok" ? operation.outcome.value.mode : undefined

/** The user's other consents and changes that overlap this call. */
const overlapping = (h: Happened, userId: string, operation: CompletedCall): ReadonlyArray<CompletedCall> =>
  h.all.filter(
    (other) =>
      (is(other, "consent") || is(other, "changeConnection") || is(other, "endExactLocation")) &&
      other !== operation &&
      other.args.userId === userId &&
      other.begin < operation.end &&
      other.end > operation.begin
  )

const distinct = (all: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => [
  ...new Map(all.map((one) => [JSON.stringify([...new Set(one)].sort()), one])).values()
]

/** Stands for a list of scopes that is unknown and may contain any scope. */
const ALL: ReadonlyArray<string> = ["*"]

export const hasScope = (scopes: ReadonlyArray<string>, scope: string): boolean =>
  scopes === ALL || scopes.includes(scope)

export const isSameCircle = (one: Circle, other: Circle): boolean =>
  one.lat === other.lat && one.lon === other.lon && one.radiusM === other.radiusM

export const is = <N extends CompletedCall["name"]>(operation: CompletedCall, name: N): operation is CompletedCall<N> =>
  operation.name === name

/** A copy of the operation with an unknown outcome. A write by this copy counts as possible, but not as certain. */
const uncertain = (operation: CompletedCall): CompletedCall => ({ ...operation, outcome: null })

const pushEnd = (pair: Pair | undefined, operation: CompletedCall) =>
  (pair?.ends as Array<CompletedCall> | undefined)?.push(operation)

const writing = <V>(register: Register.Register<V>, by: CompletedCall, value: V): Register.Register<V> => {
  register.write(by, value)
  return register
}

const circleOf = ({ lat, lon, radiusM }: Circle): Circle => ({ lat, lon, radiusM })

const made = (operation: CompletedCall<"call">, { connectionId, pair }: Holder) => {
  const request = operation.args.request as Extract<Call["request"], RuleFields>
  return {
    pair,
    connectionId,
    kind: request.endpoint === "POST /v1/rules/place" ? ("place" as const) : ("zone" as const),
    placeId: request.endpoint === "POST /v1/rules/place" ? request.placeId : null,
    zone: request.endpoint === "POST /v1/rules/zone" ? circleOf(request) : null,
    fields: request,
    made: operation
  }
}

/**
 * Whether the place was shared with the pair between the entries `begin` and `end`: certainly (`yes`), possibly
 * (`maybe`) or certainly not (`no`).
 */
export const sharing = (pair: Pair, placeId: string, begin: number, end: number): "yes" | "maybe" | "no" => {
  const possible = pair.shares.possible(begin, end)
  const having = possible.filter((shared) => shared.has(placeId)).length
  return having === 0 ? "no" : having === possible.length ? "yes" : "maybe"
}

export const archived = (place: Place, begin: number, end: number): "yes" | "maybe" | "no" =>
  place.archivings.some((operation) => isDone(operation) && operation.end < begin)
    ? "yes"
    : place.archivings.some((operation) => operation.begin <= end)
      ? "maybe"
      : "no"

export const effective = (
  ground: Ground,
  pair: Pair,
  scope: string,
  begin: number,
  end: number
): "yes" | "maybe" | "no" => {
  const answers = [pair.scopes, ground.declared.get(pair.appId), ground.allowed.get(pair.appId)].map((register) => {
    if (register === undefined) return "yes"
    const possible = register.possible(begin, end)
    const having = possible.filter((scopes) => hasScope(scopes, scope)).length
    return having === 0 ? "no" : having === possible.length ? "yes" : "maybe"
  })
  return answers.includes("no") ? "no" : answers.includes("maybe") ? "maybe" : "yes"
}

/**
 * The circles that a rule may have had between the entries `begin` and `end`: the circle of its zone, or the circles of
 * its place.
 */
export const circlesOf = (ground: Ground, rule: MadeRule, begin: number, end: number): ReadonlyArray<Circle> =>
  rule.zone !== null ? [rule.zone] : (ground.places.get(rule.placeId ?? "")?.circles.possible(begin, end) ?? [])
