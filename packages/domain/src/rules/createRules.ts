import { Effect, Either, Option, Schema } from "effect"
import { type Connection, InvalidToken } from "../connection/index.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import { orBudgetExceeded } from "../limits/spendLimits.js"
import * as ZoneQuestions from "../limits/ZoneQuestions.js"
import { AccountLimits } from "../quotas/index.js"
import { Conflict, Entropy, NotFound, program, RuleId, Timestamp } from "../shared/index.js"
import type { Rule, PlaceTarget, RuleTarget, ZoneTarget } from "./Rule.js"
import * as RuleLimits from "./RuleLimits.js"
import * as RuleRequest from "./RuleRequest.js"
import type { RuleTerms } from "./RuleRequest.js"
import { RuleStore, type VisiblePlace } from "./RuleStore.js"

/**
 * `webhook_url` is not exactly the address of one of the app's endpoints. Wire: 400 `webhook_url_not_registered` (Spec
 * §7).
 */
export class WebhookUrlNotRegistered extends Schema.TaggedError<WebhookUrlNotRegistered>()(
  "WebhookUrlNotRegistered",
  {}
) {
  override get message(): string {
    return "The webhook URL is not the address of an endpoint of the app"
  }
}

/**
 * At `instant` the rule would be the connection's eleventh active rule. Wire: 409 `rule_limit_reached`, with `instant`
 * (Spec §4.6.6).
 */
export class RuleLimitReached extends Schema.TaggedError<RuleLimitReached>()("RuleLimitReached", {
  instant: Timestamp.Timestamp
}) {
  override get message(): string {
    return "The connection has as many active rules as it may have"
  }
}

/**
 * Creates a rule about a shared place (Spec §4.6). The checks, in this order:
 * 1. the fields of the request, with all problems in one error
 * 2. the endpoint's address
 * 3. whether the app can see the place
 * 4. the limit of ten active rules
 * 5. the limit of rules that uploads evaluate (`Conflict`, decision rules-15)
 */
export const createPlaceRule = program(
  "createPlaceRule",
  function* (caller: RuleCaller, request: RuleRequest.PlaceRuleRequest) {
    const { placeId, terms } = yield* RuleRequest.checkPlace(request, yield* Timestamp.now)
    yield* requireEndpoint(caller, terms)
    const id = RuleId.make(yield* Entropy.id("rul"))
    const created = yield* (yield* RuleStore).create(caller.userId, caller.id, (present, now, places) => {
      const rule = Either.flatMap(visiblePlace(places, placeId), (target) =>
        admitted(ruleOf(caller, id, target, terms, now), present, now)
      )
      return { outcome: rule, rule: Either.getOrNull(rule) }
    })
    const result: Rule<PlaceTarget> = yield* yield* orEnded(caller, created)
    return result
  }
)

/**
 * The place, if it is shared with the app and not archived. Fails with `NotFound` for every other id, whether or not
 * the place exists, so that the app cannot find out which places exist.
 */
const visiblePlace = (places: ReadonlyArray<VisiblePlace>, text: string): Either.Either<PlaceTarget, NotFound> => {
  const place = places.find(({ id }) => id === text)
  return place === undefined
    ? Either.left(new NotFound({ what: "place" }))
    : Either.right({ _tag: "Place", placeId: place.id, label: place.label })
}

/**
 * Creates a rule about an area that the app draws and names (Spec §4.6). The checks are made in the order of
 * `createPlaceRule`; both kinds of rule share both limits. The budget of zone questions comes last, so that a rule
 * that is refused for another reason does not spend a question.
 */
export const createZoneRule = program(
  "createZoneRule",
  function* (caller: RuleCaller, request: RuleRequest.ZoneRuleRequest) {
    const { target, terms } = yield* RuleRequest.checkZone(request, yield* Timestamp.now)
    yield* requireEndpoint(caller, terms)
    const id = RuleId.make(yield* Entropy.id("rul"))
    const created = yield* (yield* RuleStore).createZone(caller.userId, caller.id, (present, now, before) =>
      decide(ruleOf(caller, id, target, terms, now), present, now, before)
    )
    const { asking, rule } = yield* orEnded(caller, created)
    if (asking !== null) yield* orBudgetExceeded(asking)
    return yield* rule
  }
)

interface Decided {
  readonly outcome: {
    readonly rule: Either.Either<Rule<ZoneTarget>, RuleLimitReached | Conflict>
    /** Null when a limit of rules refused the rule, because then no question was spent. */
    readonly asking: ZoneQuestions.ZoneQuestionOutcome | null
  }
  readonly rule: Rule | null
  readonly questions: ZoneQuestions.ZoneQuestions | null
}

const decide = (
  wanted: Rule<ZoneTarget>,
  present: ReadonlyArray<Rule>,
  now: Timestamp.Timestamp,
  before: ZoneQuestions.ZoneQuestions
): Decided => {
  const rule = admitted(wanted, present, now)
  if (Either.isLeft(rule)) return { outcome: { rule, asking: null }, rule: null, questions: null }
  const asking = ZoneQuestions.ask(before, wanted.target.circle, now, wanted.window.from)
  return asking._tag === "Allowed"
    ? { outcome: { rule, asking }, rule: rule.right, questions: asking.questions }
    : { outcome: { rule, asking }, rule: null, questions: null }
}

/**
 * The connection of the calling app. `createPlaceRule` and `createZoneRule` do not check the scope of the app: the
 * guard of the endpoint has checked the scope together with the token.
 */
export type RuleCaller = Pick<Connection.Connection, "userId" | "id" | "appId">

/**
 * Fails unless `webhookUrl` is null or the address of one of the app's endpoints. The endpoint may be disabled or not
 * subscribed: the worker checks both at each event (Spec §4.6.7).
 */
const requireEndpoint = ({ appId }: Pick<RuleCaller, "appId">, { webhookUrl }: Pick<RuleTerms, "webhookUrl">) =>
  Effect.gen(function* () {
    if (webhookUrl === null) return
    const endpoints = yield* (yield* EndpointStore).list(appId)
    if (!endpoints.some((endpoint) => endpoint.url === webhookUrl)) return yield* new WebhookUrlNotRegistered()
  })

/**
 * Returns the rule, or the error of the limit that the rule would exceed (`RuleLimits.exceeded`). The store calls this
 * function under its lock, so that two requests cannot both add the last rule that the limit allows.
 */
const admitted = <T extends RuleTarget>(
  rule: Rule<T>,
  present: ReadonlyArray<Rule>,
  now: Timestamp.Timestamp
): Either.Either<Rule<T>, RuleLimitReached | Conflict> => {
  const windows = present.map((one) => one.window)
  const limit = RuleLimits.exceeded(windows, rule.window, now)
  if (limit === undefined) return Either.right(rule)
  return Either.left(
    limit._tag === "Active"
      ? new RuleLimitReached({ instant: limit.instant })
      : new Conflict({ reason: AccountLimits.RULES.refusal })
  )
}

/**
 * Turns a missing result of the store into `InvalidToken`. The result is missing when the connection or its standard
 * tier ended after the check of the token and before the lock.
 */
const orEnded = <A>(caller: RuleCaller, created: Option.Option<A>): Effect.Effect<A, InvalidToken> =>
  Option.match(created, {
    onSome: Effect.succeed,
    onNone: () => new InvalidToken({ known: { userId: caller.userId, connectionId: caller.id, appId: caller.appId } })
  })

const ruleOf = <T extends RuleTarget>(
  caller: RuleCaller,
  id: RuleId,
  target: T,
  terms: RuleTerms,
  createdAt: Timestamp.Timestamp
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
