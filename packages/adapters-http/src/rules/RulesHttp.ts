import type { Budget } from "@place-access/domain/limits"
import {
  createPlaceRule,
  createZoneRule,
  type ListedRule,
  listRules,
  listRulesOfUser,
  removeRule,
  removeRuleOfUser,
  type Rule,
  RuleLife,
  type RuleLimitReached,
  type RuleRequest
} from "@place-access/domain/rules"
import { type Conflict, Words, gen } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { BearerCaller } from "../security/BearerAuth.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { ownHost } from "./ownHost.js"
import type { RuleBody, UserRule, ZoneRuleBody } from "./RulesApi.js"

export const layer = Group.group(Api, "rules", (handlers) =>
  handlers
    .handle(
      "createPlaceRule",
      ({ payload }) =>
        gen(function* () {
          const { at, connection } = yield* BearerCaller
          const rule = yield* createPlaceRule(connection, { ...termsOf(payload), placeId: payload.place_id })
          return {
            answer: encode({ ...rule, state: RuleLife.state(rule, at) }),
            disclosed: `the name of ${rule.target.label}`
          }
        }).pipe(Effect.catchTags(refusals), toWire),
      { uninterruptible: true }
    )
    .handle(
      "createZoneRule",
      ({ payload }) =>
        gen(function* () {
          const { at, connection } = yield* BearerCaller
          const { label, lat, lon, radius_m: radiusM } = payload
          const rule = yield* createZoneRule(connection, { ...termsOf(payload), lat, lon, radiusM, label })
          return {
            answer: { ...encode({ ...rule, state: RuleLife.state(rule, at) }), ...encodeArea(rule.target) },
            disclosed: `nothing yet; it asked for notifications about ${rule.target.label}`
          }
        }).pipe(
          Effect.catchTags({
            ...refusals,
            BudgetExceeded: ({ retryAfterMillis }: Budget.BudgetExceeded) =>
              Effect.fail(Errors.budgetExceeded(retryAfterMillis / 1_000))
          }),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle("listPlaceRules", ({ urlParams: { cursor, limit } }) =>
      gen(function* () {
        const { connection } = yield* BearerCaller
        const { nextCursor, rules } = yield* listRules(connection, "Place", { limit, cursor })
        return {
          answer: { rules: rules.map(encode), nextCursor },
          disclosed: `${Words.count(rules.length, "rule")}, with the names of places`
        }
      }).pipe(toWire)
    )
    .handle("listZoneRules", ({ urlParams: { cursor, limit } }) =>
      gen(function* () {
        const { connection } = yield* BearerCaller
        const { nextCursor, rules } = yield* listRules(connection, "Zone", { limit, cursor })
        return {
          answer: { rules: rules.flatMap(encodeZone), nextCursor },
          disclosed: `${Words.count(rules.length, "rule")} of its own, on areas that it chose`
        }
      }).pipe(toWire)
    )
    .handle(
      "removePlaceRule",
      ({ path }) =>
        gen(function* () {
          const { connection } = yield* BearerCaller
          return { answer: yield* removeRule(connection, path.id, "Place"), disclosed: null }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "removeZoneRule",
      ({ path }) =>
        gen(function* () {
          const { connection } = yield* BearerCaller
          return { answer: yield* removeRule(connection, path.id, "Zone"), disclosed: null }
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

export const userLayer = Group.group(Api, "userRules", (handlers) =>
  handlers
    .handle("list", ({ path, urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { nextCursor, rules } = yield* listRulesOfUser((yield* SignedIn).id, path.id, { limit, cursor })
        return { rules: rules.map(encodeForUser), nextCursor }
      }).pipe(toWire)
    )
    .handle(
      "removeOfConnection",
      ({ path }) =>
        Effect.gen(function* () {
          yield* removeRuleOfUser((yield* SignedIn).id, path.id, path.rule_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          yield* removeRuleOfUser((yield* SignedIn).id, null, path.rule_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

const termsOf = (payload: {
  readonly type?: unknown
  readonly dwell_minutes?: unknown
  readonly settle_s?: unknown
  readonly silence_s?: unknown
  readonly webhook_url?: unknown
  readonly active_from?: unknown
  readonly active_until?: unknown
  readonly max_event_age_s?: unknown
}): RuleRequest.TermsRequest => ({
  type: payload.type,
  dwellMinutes: payload.dwell_minutes,
  settleS: payload.settle_s,
  silenceS: payload.silence_s,
  webhookUrl: payload.webhook_url,
  activeFrom: payload.active_from,
  activeUntil: payload.active_until,
  maxEventAgeS: payload.max_event_age_s
})

/** The answers to the errors with which the domain refuses new rules, both place rules and zone rules. */
const refusals = {
  WebhookUrlNotRegistered: () => Effect.fail(Errors.webhookUrlNotRegistered),
  RuleLimitReached: ({ instant }: RuleLimitReached) => Effect.fail(Errors.ruleLimitReached(instant)),
  Conflict: ({ reason }: Conflict) => Effect.fail(Errors.conflict(reason)),
  InvalidToken: () => Effect.fail(Errors.invalidToken)
}

const common = (rule: ListedRule) => ({
  id: rule.id,
  type: rule.type,
  target: { place_id: rule.target._tag === "Place" ? rule.target.placeId : null, label: rule.target.label },
  dwell_minutes: rule.dwellMinutes,
  settle_s: rule.settleS,
  silence_s: rule.silenceS,
  active_from: rule.window.from,
  active_until: rule.window.until,
  state: rule.state,
  disabled_at: rule.disabledAt,
  created_at: rule.createdAt
})

const encodeArea = ({ circle }: Rule.ZoneTarget) => ({ lat: circle.lat, lon: circle.lon, radius_m: circle.radiusM })

const encodeForUser = (rule: ListedRule): typeof UserRule.Type => ({
  ...common(rule),
  area: rule.target._tag === "Zone" ? encodeArea(rule.target) : null,
  webhook_host: ownHost(rule)
})

export const encode = (rule: ListedRule): typeof RuleBody.Type => ({
  ...common(rule),
  webhook_url: rule.webhookUrl,
  max_event_age_s: rule.maxEventAgeS
})

/**
 * Encodes a zone rule as a list with one entry, and a place rule as an empty list, so that `flatMap` drops place rules.
 */
const encodeZone = (rule: ListedRule): ReadonlyArray<typeof ZoneRuleBody.Type> =>
  rule.target._tag === "Zone" ? [{ ...encode(rule), ...encodeArea(rule.target) }] : []
