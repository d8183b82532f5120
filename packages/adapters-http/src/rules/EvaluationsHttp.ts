import {
  type EvaluatedRule,
  getEvaluations,
  getEvaluationsOfUser,
  type GrantEvaluations,
  listEvaluationsOfGrant,
  type RuleKind
} from "@place-access/domain/rules"
import { type RuleId, Words, gen } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { orPaused } from "../answers/orPaused.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { BearerCaller } from "../security/BearerAuth.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { toBody } from "./EvaluationsApi.js"
import { encode } from "./RulesHttp.js"

export const layer = Group.group(Api, "evaluations", (handlers) => {
  const list = (id: RuleId, kind: RuleKind) =>
    gen(function* () {
      const caller = yield* BearerCaller
      const evaluated = yield* getEvaluations(caller.connection, id, kind)
      const isEmpty = evaluated.recent.length === 0
      return orPaused(caller, isEmpty, { answer: toList(evaluated), disclosed: disclosed(evaluated) })
    }).pipe(toWire)
  return handlers
    .handle("place", ({ path }) => list(path.id, "Place"))
    .handle("zone", ({ path }) => list(path.id, "Zone"))
})

export const userLayer = Group.group(Api, "userEvaluations", (handlers) =>
  handlers.handle("list", ({ path }) =>
    Effect.gen(function* () {
      return toList(yield* getEvaluationsOfUser((yield* SignedIn).id, path.id, path.rule_id))
    }).pipe(toWire)
  )
)

export const developerLayer = Group.group(Api, "developerRules", (handlers) =>
  handlers.handle("list", ({ path, urlParams: { cursor, grant_id: grantId, limit } }) =>
    Effect.gen(function* () {
      const found = yield* listEvaluationsOfGrant(yield* SignedIn, path.app_id, grantId, { limit, cursor })
      yield* logged(found)
      return {
        rules: found.rules.map(({ recent, rule }) => ({ ...encode(rule), evaluations: toBody(recent) })),
        nextCursor: found.nextCursor,
        ...(found.isPaused ? { reason: "paused" as const } : {})
      }
    }).pipe(toWire)
  )
)

/**
 * Enters the developer's call into the access log of the connection's user, like the app's own calls. Without this
 * entry a developer could read the evaluations without the user's knowledge.
 */
export const logged = ({ connection, isPaused, rules }: GrantEvaluations): Effect.Effect<void> =>
  Effect.zipRight(
    CurrentRequest.developerReads({ userId: connection.userId, appId: connection.appId, connectionId: connection.id }),
    CurrentRequest.discloses(
      isPaused
        ? `${Words.count(rules.length, "rule")} without their last checks, to the app's developer`
        : `${Words.count(rules.length, "rule")} with their last checks, to the app's developer`
    )
  )

const disclosed = ({ recent, rule }: EvaluatedRule): string =>
  `${recent.length === 0 ? "no checks" : `the last ${Words.count(recent.length, "check")}`} of a rule on ${rule.target.label}`

const toList = ({ recent }: EvaluatedRule) => ({ evaluations: toBody(recent), nextCursor: null })
