import { Effect, Either, Option } from "effect"
import type { Connection } from "../connection/Connection.js"
import { InvalidToken } from "../connection/Errors.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import type { RuleId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as ConcurrentLimit from "./ConcurrentLimit.js"
import { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
import type { Rule, Target } from "./Rule.js"
import type { Terms } from "./RuleRequest.js"

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

/** A rule for the store, unless some instant would see eleven. Decided under the lock. */
export const admitted = <T extends Target>(
  rule: Rule<T>,
  present: ReadonlyArray<Rule>,
  now: Timestamp
): Either.Either<Rule<T>, RuleLimitReached> => {
  const windows = present.map((one) => one.window)
  const instant = ConcurrentLimit.firstOverflow(windows, rule.window, now)
  return instant === undefined ? Either.right(rule) : Either.left(new RuleLimitReached({ instant }))
}

/** What the store decided. The connection may have ended between the check of the token and the lock: the token is worth nothing any more. */
export const orEnded = <A>(caller: RuleCaller, created: Option.Option<A>): Effect.Effect<A, InvalidToken> =>
  Option.match(created, {
    onSome: Effect.succeed,
    onNone: () => new InvalidToken({ known: { userId: caller.userId, connectionId: caller.id, appId: caller.appId } })
  })

export const ruleOf = <T extends Target>(
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
