import { Struct } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import * as Pause from "../../../src/connection/Pause.js"
import * as EffectiveScopes from "../../../src/connection/EffectiveScopes.js"
import * as App from "../../../src/apps/App.js"
import * as LiveRule from "../../../src/rules/LiveRule.js"
import type { Rule } from "../../../src/rules/Rule.js"
import type { AppId, ConnectionId } from "../../../src/shared/Ids.js"
import type { Scope } from "../../../src/shared/Scope.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import type { Tables } from "../MemoryDatabase.js"

/**
 * Functions about rules that several stores share: the circle and the label of a rule, and whether the rule may fire.
 */

export type StoredRule = Rule & {
  readonly deletedAt: Timestamp | null
  /** The label that the place had when the user stopped sharing it. Undefined while the place is shared. */
  readonly withdrawnLabel?: string | undefined
}

/** The rules of the connection that are not deleted. */
export const ofConnection = (tables: Tables, id: ConnectionId): ReadonlyArray<StoredRule> =>
  [...tables.rules.values()].filter((rule) => rule.connectionId === id && rule.deletedAt === null)

/**
 * The circle of a rule, the rule's basis (`LiveRule.basis`), and the time from which on the rule may fire. Undefined
 * when the place of the rule is archived or not shared. For a zone rule the result is never undefined.
 */
export const ground = (
  tables: Tables,
  connection: Connection,
  rule: Rule,
  now: Timestamp
): Pick<LiveRule.LiveRule, "circle" | "basis" | "firesFrom"> | undefined => {
  const scopeSince = since(tables, connection, LiveRule.neededScope(rule.target), now)
  const begins = firesFrom(tables, connection, rule, now)
  if (rule.target._tag === "Zone") {
    return { circle: rule.target.circle, basis: LiveRule.zoneBasis(scopeSince), firesFrom: begins }
  }
  const { placeId } = rule.target
  const place = tables.places.get(placeId)
  const shared = connection.places.find((one) => one.placeId === placeId)
  if (place === undefined || place.archivedAt !== null || shared === undefined) return undefined
  const basis = LiveRule.placeBasis(place.geometryVersion, shared.sharedAt, scopeSince)
  return { circle: place.circle, basis, firesFrom: begins }
}

/** The time from which on the rule may fire, as `LiveRule.firesFrom` computes it. */
export const firesFrom = (tables: Tables, connection: Connection, rule: Rule, now: Timestamp): Timestamp => {
  const scopeSince = since(tables, connection, LiveRule.neededScope(rule.target), now)
  if (rule.target._tag === "Zone") return LiveRule.firesFrom(rule.createdAt, scopeSince)
  const { placeId } = rule.target
  const validFrom = tables.placeShapes.get(placeId)?.at(-1)?.validFrom ?? null
  const sharedAt = connection.places.find((one) => one.placeId === placeId)?.sharedAt ?? null
  return LiveRule.firesFrom(rule.createdAt, validFrom, sharedAt, scopeSince)
}

const since = (
  { rulesSince }: Tables,
  { appId, id, pause }: Connection,
  scope: Scope,
  now: Timestamp
): Timestamp | null => {
  const times = [appId, id].map((of) => rulesSince.get(`${of} ${scope}`)).filter((at) => at !== undefined)
  return LiveRule.latest(times.sort((a, b) => b - a)[0] ?? null, Pause.endedAt(pause, now))
}

/**
 * Records, for each scope that rules need, that the app or connection has regained this scope at the time `now`. A fix
 * that was captured before this time then fires no rule that needs the scope. Does nothing if no scope was regained.
 * Every store that changes the scopes of an app or a connection must call this function.
 */
export const noteScopes = (
  { rulesSince }: Tables,
  id: AppId | ConnectionId,
  before: ReadonlyArray<Scope>,
  after: ReadonlyArray<Scope>,
  now: Timestamp
): void => {
  for (const scope of [LiveRule.PLACE_SCOPE, LiveRule.ZONE_SCOPE]) {
    if (LiveRule.isRegained(scope, before, after)) rulesSince.set(`${id} ${scope}`, now)
  }
}

/**
 * Whether the rule may fire: the connection is not paused, and the scope that the rule needs is in effect
 * (`EffectiveScopes.effective`).
 */
export const isAllowed = (tables: Tables, connection: Connection, rule: Rule, now: Timestamp): boolean => {
  const app = tables.apps.get(connection.appId)?.app
  return (
    app !== undefined &&
    !Pause.isOn(connection.pause, now) &&
    EffectiveScopes.effective(connection, app, now).includes(LiveRule.neededScope(rule.target))
  )
}

const isNarrowed = (tables: Tables, connection: Connection, rule: Rule): boolean => {
  const app = tables.apps.get(connection.appId)?.app
  const scope = LiveRule.neededScope(rule.target)
  return app === undefined || !App.scopes(app).includes(scope) || !connection.heldScopes.includes(scope)
}

/**
 * The rule with the present label of its place. If the user has stopped sharing the place, the rule keeps the label
 * that the place had when the sharing stopped.
 */
export const relabelled = (tables: Tables, stored: StoredRule): Rule => {
  const rule = Struct.omit(stored, "deletedAt", "withdrawnLabel")
  if (rule.target._tag === "Zone") return rule
  const label = stored.withdrawnLabel ?? tables.places.get(rule.target.placeId)?.label ?? rule.target.label
  return { ...rule, target: { ...rule.target, label } }
}

/**
 * Updates two fields of a rule: the time since which it is disabled (`RuleStore.list`), and the label that its place
 * had when the user stopped sharing the place. Clears the first field while the rule is not disabled, and the second
 * field while the place is shared.
 */
export const notice = (tables: Tables, connection: Connection, rule: StoredRule, now: Timestamp): StoredRule => {
  const { target } = rule
  const place = target._tag === "Place" ? tables.places.get(target.placeId) : undefined
  const archivedAt = place?.archivedAt
  const stands = ground(tables, connection, rule, now) !== undefined && !isNarrowed(tables, connection, rule)
  const disabledAt = LiveRule.disabledSince(stands, rule.disabledAt, archivedAt ?? null, now)
  const isShared = target._tag === "Zone" || connection.places.some(({ placeId }) => placeId === target.placeId)
  const withdrawnLabel = isShared ? undefined : (rule.withdrawnLabel ?? place?.label)
  if (disabledAt === rule.disabledAt && withdrawnLabel === rule.withdrawnLabel) return rule
  const noticed = { ...rule, disabledAt, withdrawnLabel }
  tables.rules.set(rule.id, noticed)
  return noticed
}

/**
 * Updates the disabled time and the kept label of each rule of a connection (`notice`). A store must call this function
 * after it changed the places or the scopes of the connection.
 */
export const followSharing = (tables: Tables, id: ConnectionId, now: Timestamp): void => {
  const connection = tables.connections.get(id)
  if (connection === undefined) return
  for (const rule of ofConnection(tables, id)) notice(tables, connection, rule, now)
}
