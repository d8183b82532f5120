import { HttpApiBuilder } from "@effect/platform"
import {
  createPlaceRule,
  listRules,
  listRulesOfUser,
  removeRule,
  removeRuleOfUser,
  type Rule
} from "@place-access/domain/rules"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { Caller } from "../security/BearerAuth.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import type { RuleBody, UserRule } from "./RulesApi.js"

export const layer = HttpApiBuilder.group(Api, "rules", (handlers) =>
  handlers
    .handle(
      "createPlaceRule",
      ({ payload }) =>
        Effect.gen(function* () {
          const { connection } = yield* Caller
          const rule = yield* createPlaceRule(connection, {
            placeId: payload.place_id,
            type: payload.type,
            dwellMinutes: payload.dwell_minutes,
            webhookUrl: payload.webhook_url,
            activeFrom: payload.active_from,
            activeUntil: payload.active_until,
            maxEventAgeS: payload.max_event_age_s
          })
          yield* CurrentRequest.disclose(`the name of ${rule.target.label}`)
          return encode(rule)
        }).pipe(
          Effect.catchTags({
            WebhookUrlNotRegistered: () => Effect.fail(Errors.webhookUrlNotRegistered),
            RuleLimitReached: ({ instant }) => Effect.fail(Errors.ruleLimitReached(instant)),
            InvalidToken: () => Effect.fail(Errors.invalidToken)
          }),
          toWire
        ),
      { uninterruptible: true }
    )
    .handle("listPlaceRules", () =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const rules = yield* listRules(connection, "Place")
        yield* CurrentRequest.disclose(
          `${rules.length} ${rules.length === 1 ? "rule" : "rules"}, with the names of places`
        )
        return { rules: rules.map(encode), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "removePlaceRule",
      ({ path }) =>
        Effect.gen(function* () {
          const { connection } = yield* Caller
          yield* removeRule(connection, path.id, "Place")
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

export const userLayer = HttpApiBuilder.group(Api, "userRules", (handlers) =>
  handlers
    .handle("list", ({ path }) =>
      Effect.gen(function* () {
        const rules = yield* listRulesOfUser((yield* SignedIn).id, path.id)
        return { rules: rules.map(encodeForUser), nextCursor: null }
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

const encodeForUser = (rule: Rule.Rule): typeof UserRule.Type => ({
  id: rule.id,
  type: rule.type,
  target: { place_id: rule.target._tag === "Place" ? rule.target.placeId : null, label: rule.target.label },
  dwell_minutes: rule.dwellMinutes,
  active_from: rule.window.from,
  active_until: rule.window.until,
  disabled_at: rule.disabledAt,
  created_at: rule.createdAt
})

const encode = (rule: Rule.Rule): typeof RuleBody.Type => ({
  ...encodeForUser(rule),
  webhook_url: rule.webhookUrl,
  max_event_age_s: rule.maxEventAgeS
})
