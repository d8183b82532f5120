import { Effect, Either, Option } from "effect"
import type { Connection } from "../connection/Connection.js"
import { InvalidToken } from "../connection/Errors.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import * as Entropy from "../shared/Entropy.js"
import { RuleId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as ConcurrentLimit from "./ConcurrentLimit.js"
import { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
import type { Rule, Target } from "./Rule.js"
import type { Terms } from "./RuleRequest.js"
import { RuleStore } from "./RuleStore.js"

/** The connection that asks; its token had the scope. */
export type RuleCaller = Pick<Connection, "userId" | "id" | "appId" | "places">

/** Registered means that it is there; whether it is enabled or subscribed decides later what it gets (Spec §4.6.7). */
export const requireEndpoint = (
  { appId }: Pick<RuleCaller, "appId">,
  { webhookUrl }: Pick<Terms, "webhookUrl">
): Effect.Effect<void, WebhookUrlNotRegistered | StoreError, EndpointStore> =>
  Effect.gen(function* () {
    if (webhookUrl === null) return
    const endpoints = yield* (yield* EndpointStore).list(appId)
    if (!endpoints.some((endpoint) => endpoint.url === webhookUrl)) return yield* new WebhookUrlNotRegistered()
  })

/** Stores the rule that was found to be good in itself, unless some instant would see eleven. */
export const createRule = <T extends Target>(
  caller: RuleCaller,
  target: T,
  terms: Terms
): Effect.Effect<Rule<T>, RuleLimitReached | InvalidToken | StoreError, RuleStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const id = RuleId.make(yield* Entropy.id("rul"))
    const created = yield* (yield* RuleStore).create(caller.userId, caller.id, (present, now) =>
      admitted(ruleOf(caller, id, target, terms, now), present, now)
    )
    // Ended between the check of the token and the lock: the token is worth nothing any more.
    if (Option.isNone(created)) {
      return yield* new InvalidToken({
        known: { userId: caller.userId, connectionId: caller.id, appId: caller.appId }
      })
    }
    return yield* created.value
  })

const ruleOf = <T extends Target>(
  caller: RuleCaller,
  id: RuleId,
  target: T,
  terms: Terms,
  createdAt: Timestamp
): Rule<T> => ({
  userId: caller.userId,
  id,
  connectionId: caller.id,
  appId: caller.appId,
  target,
  ...terms,
  isLegacy: false,
  createdAt,
  disabledAt: null
})

/** Decided under the lock. */
const admitted = <T extends Target>(
  rule: Rule<T>,
  present: ReadonlyArray<Rule>,
  now: Timestamp
): { readonly outcome: Either.Either<Rule<T>, RuleLimitReached>; readonly rule: Rule | null } => {
  const windows = present.map((one) => one.window)
  const instant = ConcurrentLimit.firstOverflow(windows, rule.window, now)
  return instant === undefined
    ? { outcome: Either.right(rule), rule }
    : { outcome: Either.left(new RuleLimitReached({ instant })), rule: null }
}
