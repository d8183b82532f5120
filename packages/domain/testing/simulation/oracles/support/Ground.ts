import type { Call, Circle, RuleFields } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import { usesPlaces } from "../../Specification.js"
import { type CompletedCall, happened, type Happened, is, isDone, mayBeDone, textOf } from "./trace/Happened.js"
import { into } from "./trace/into.js"
import * as Register from "./trace/Register.js"
import { Pauses } from "./Pauses.js"
import { ALL, hasScope, scopesAfter, scopesGranted } from "./Scopes.js"

/**
 * What the trace shows about connections, shared places and rules. Many oracles use this file, for example those of
 * answers, visits and webhooks.
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
   * The operations that chose the end of the standard tier, or may have chosen it, each with the number of days until
   * the end; null: no end.
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
  /** The user, the app and the connection to which a token was issued. */
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

type OpenPair = Pair & {
  readonly consents: Array<CompletedCall<"consent">>
  readonly ends: Array<CompletedCall>
  readonly dated: Array<Pair["dated"][number]>
}
type OpenRule = MadeRule & { readonly removals: Array<CompletedCall> }
type ScopesOfApps = Map<string, Register.Register<ReadonlyArray<string>>>

/** Reads the operations of a run one after the other, in the order of the trace. */
class Reading {
  readonly pairs = new Map<string, OpenPair>()
  readonly pauses = new Pauses()
  readonly codes = new Map<string, Holder>()
  readonly tokens = new Map<string, Holder>()
  readonly connections = new Map<string, OpenPair>()
  readonly places = new Map<string, Place>()
  /**
   * All archivings of each place in the run. To judge an operation, the oracles also need archivings that begin after
   * it, because such an archiving may still overlap the operation.
   */
  readonly archivings = new Map<string, Array<CompletedCall>>()
  readonly rules = new Map<string, OpenRule>()
  readonly declared: ScopesOfApps = new Map()
  readonly allowed: ScopesOfApps = new Map()

  readonly happened: Happened

  constructor(happened: Happened) {
    this.happened = happened
    for (const operation of happened.all)
      if (is(operation, "archivePlace") && mayBeDone(operation))
        into(this.archivings, operation.args.placeId, operation)
  }

  pairOf(userId: string, appId: string): OpenPair {
    const key = `${userId} ${appId}`
    const pair = this.pairs.get(key) ?? {
      userId,
      appId,
      consents: [],
      shares: Register.make<ReadonlyMap<string, boolean>>(),
      scopes: Register.make<ReadonlyArray<string>>(),
      ends: [],
      dated: []
    }
    this.pairs.set(key, pair)
    return pair
  }
}

/**
 * Records what an operation changes. `value` is the value of the operation's answer; undefined when the operation
 * failed or got no answer.
 */
type Reader<N extends CompletedCall["name"]> = (at: Reading, operation: CompletedCall<N>, value: unknown) => void

const changeScopes: Reader<"changeConnection" | "endExactLocation"> = (at, operation) => {
  const pair = at.connections.get(operation.args.connectionId)
  if (pair === undefined || !mayBeDone(operation)) return
  const days = "standardDays" in operation.args ? operation.args.standardDays : null
  if (days !== null) pair.dated.push({ did: operation, days: days === "never" ? null : days })
  const after = scopesAfter(at, pair, operation)
  for (const scopes of after) pair.scopes.write(after.length === 1 ? operation : uncertain(operation), scopes)
  // If exact location was all that the app could use, the end of exact location also ends the connection. The oracle
  // treats this end of the connection as uncertain, because a change after the grace period ends nothing.
  if (after.some((scopes) => scopes.length === 0)) pair.ends.push(uncertain(operation))
}

const issueTokens = (at: Reading, operation: CompletedCall, holder: Holder | undefined, value: unknown) => {
  const set = value as { accessToken: string; refreshToken: string } | undefined
  // An exchange or refresh that was refused or got no answer may have ended the connection: a second use of a code or
  // of a refresh token ends the connection.
  if (set === undefined) pushEnd(holder?.pair, operation)
  else if (holder !== undefined) {
    at.tokens.set(set.accessToken, holder)
    at.tokens.set(set.refreshToken, holder)
  }
}

const pauseOne: Reader<"pauseConnection" | "resumeConnection"> = (at, operation) => at.pauses.ofOne(operation)
const pauseAll: Reader<"pauseAll" | "resumeAll"> = (at, operation) => at.pauses.ofAll(operation)

/**
 * The operations that change something that `Ground` shows. An operation that is not in this list changes nothing in
 * `Ground`.
 */
const READERS: { readonly [N in CompletedCall["name"]]?: Reader<N> } = {
  createApp: (at, operation, value) => {
    const appId = (value as { appId: string } | undefined)?.appId
    if (appId !== undefined) at.declared.set(appId, writing(Register.make(), operation, operation.args.scopes))
  },
  declareScopes: (at, operation) => at.declared.get(operation.args.appId)?.write(operation, operation.args.scopes),
  narrowApp: (at, operation) => {
    const { appId, scopes } = operation.args
    const before = at.allowed.get(appId) ?? Register.make<ReadonlyArray<string>>(ALL)
    at.allowed.set(appId, writing(before, operation, scopes))
  },
  createPlace: (at, operation, value) => {
    const { kind, label, userId } = operation.args
    const placeId = (value as { placeId: string } | undefined)?.placeId
    if (placeId === undefined) return
    at.places.set(placeId, {
      placeId,
      userId,
      circles: writing(Register.make<Circle>(), operation, circleOf(operation.args)),
      labels: writing(Register.make(), operation, { label, kind }),
      archivings: at.archivings.get(placeId) ?? []
    })
  },
  updatePlace: (at, operation) => {
    const place = at.places.get(operation.args.placeId)
    place?.circles.write(operation, circleOf(operation.args))
    place?.labels.write(operation, { label: operation.args.label, kind: operation.args.kind })
  },
  consent: (at, operation, value) => {
    const { appId, earlier, userId } = operation.args
    const pair = at.pairOf(userId, appId)
    if (!mayBeDone(operation)) return
    pair.consents.push(operation)
    const answer = value as { mode: string; code: string; connectionId: string } | undefined
    const granted = scopesGranted(at.happened, pair, operation, answer?.mode)
    for (const scopes of granted) pair.scopes.write(granted.length === 1 ? operation : uncertain(operation), scopes)
    if (answer?.mode !== "renew_sensitive") {
      const shared = new Map(operation.args.places.map((placeId) => [placeId, earlier.includes(placeId)]))
      // A new connection shares exactly the chosen places; a consent to an existing connection also keeps archived
      // places. If the consent got no answer, the trace does not show whether the connection was new, so both results
      // are possible.
      if (answer?.mode === "new") pair.shares.write(operation, shared)
      // A change for which the page asks about no places keeps the shared places (decision consent-14).
      else if (answer === undefined || operation.args.requested.some(usesPlaces))
        writeShares(at.places, pair, answer === undefined ? uncertain(operation) : operation, shared)
      pair.dated.push({ did: operation, days: operation.args.standardDays })
    }
    if (answer === undefined) return
    at.pauses.shown(answer.connectionId, operation, answer.mode === "new")
    at.codes.set(answer.code, { pair, connectionId: answer.connectionId })
    at.connections.set(answer.connectionId, pair)
  },
  sharePlaces: (at, operation) => {
    const shared = new Map(operation.args.places.map((place) => [place.placeId, place.includeEarlierVisits]))
    const pair = at.connections.get(operation.args.connectionId)
    if (pair !== undefined) writeShares(at.places, pair, operation, shared)
  },
  pauseConnection: pauseOne,
  resumeConnection: pauseOne,
  pauseAll,
  resumeAll: pauseAll,
  changeConnection: changeScopes,
  endExactLocation: changeScopes,
  exchange: (at, operation, value) => issueTokens(at, operation, at.codes.get(operation.args.code), value),
  refresh: (at, operation, value) => issueTokens(at, operation, at.tokens.get(operation.args.refreshToken), value),
  revoke: (at, operation) => {
    if (mayBeDone(operation)) pushEnd(at.tokens.get(operation.args.token)?.pair, uncertain(operation))
  },
  disconnect: (at, operation) => {
    if (mayBeDone(operation)) pushEnd(at.connections.get(operation.args.connectionId), operation)
  },
  revokeApp: (at, operation) => {
    if (!mayBeDone(operation)) return
    for (const pair of at.pairs.values()) if (pair.appId === operation.args.appId) pair.ends.push(operation)
  },
  removeRuleOfUser: (at, operation) => {
    if (mayBeDone(operation)) at.rules.get(operation.args.ruleId)?.removals.push(operation)
  },
  call: (at, operation, value) => {
    const { request, token } = operation.args
    if ("ruleId" in request) {
      // The call removes a rule. If the rule belongs to another app, the service answers 404 and removes nothing.
      if (mayBeDone(operation)) at.rules.get(request.ruleId)?.removals.push(operation)
      return
    }
    const holder = at.tokens.get(token)
    if (holder === undefined || value === undefined || !("type" in request)) return
    const ruleId = textOf((value as { body: Record<string, unknown> }).body["id"])
    if (ruleId !== undefined) at.rules.set(ruleId, { ...made(operation, holder), ruleId, removals: [] })
  }
}

const read = (h: Happened): Ground => {
  const at = new Reading(h)
  for (const operation of h.all) {
    const { outcome } = operation
    const value = isDone(operation) && outcome?._tag === "ok" ? outcome.value : undefined
    const reader = READERS[operation.name] as Reader<CompletedCall["name"]> | undefined
    reader?.(at, operation, value)
  }
  const { allowed, connections, declared, pairs, pauses, places, rules, tokens } = at
  const holderOf = (token: string) => tokens.get(token)
  return { happened: h, pairs, places, rules, declared, allowed, connections, pauses, holderOf }
}

/**
 * Writes which places are shared after the user chose `chosen`. An archived place that was shared stays shared, whether
 * or not it was chosen (Spec §3.1, §4.5). If the archiving of a place overlaps the user's choice, the trace does not
 * show which came first, so the place may be shared or not.
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

export const isSameCircle = (one: Circle, other: Circle): boolean =>
  one.lat === other.lat && one.lon === other.lon && one.radiusM === other.radiusM

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
 * Whether the user shared the place with the app between the entries `begin` and `end`: certainly (`yes`), possibly
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
