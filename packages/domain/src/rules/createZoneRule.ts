import { Effect, Either } from "effect"
import type { InvalidToken } from "../connection/Errors.js"
import type { EndpointStore } from "../endpoints/EndpointStore.js"
import { orBudgetExceeded } from "../limits/askZone.js"
import type { BudgetExceeded } from "../limits/Budget.js"
import * as ZoneQuestions from "../limits/ZoneQuestions.js"
import * as Entropy from "../shared/Entropy.js"
import { RuleId } from "../shared/Ids.js"
import type { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { admitted, orEnded, requireEndpoint, ruleOf, type RuleCaller } from "./createRule.js"
import type { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
import type { Rule, Zone } from "./Rule.js"
import * as RuleRequest from "./RuleRequest.js"
import { RuleStore } from "./RuleStore.js"

/**
 * A standing question about an area that the app draws and names itself (Spec §4.6). The order of what may be wrong is that of
 * `createPlaceRule`; the limit of ten counts both kinds together. Then comes the budget of questions about zones, which a rule that
 * is refused for another reason does not touch.
 */
export const createZoneRule = (
  caller: RuleCaller,
  request: RuleRequest.ZoneRuleRequest
): Effect.Effect<
  Rule<Zone>,
  Invalid | WebhookUrlNotRegistered | RuleLimitReached | BudgetExceeded | InvalidToken | StoreError,
  RuleStore | EndpointStore | Entropy.Entropy
> =>
  Effect.gen(function* () {
    const { target, terms } = yield* RuleRequest.checkZone(request, yield* Timestamp.now)
    yield* requireEndpoint(caller, terms)
    const id = RuleId.make(yield* Entropy.id("rul"))
    const created = yield* (yield* RuleStore).createZone(caller.userId, caller.id, (present, now, before) =>
      decide(ruleOf(caller, id, target, terms, now), present, now, before)
    )
    const { asking, rule } = yield* orEnded(caller, created)
    if (asking !== null) yield* orBudgetExceeded(asking)
    return yield* rule
  }).pipe(Effect.withSpan("createZoneRule"))

interface Decided {
  readonly outcome: {
    readonly rule: Either.Either<Rule<Zone>, RuleLimitReached>
    /** Null: nothing was asked, because the rule does not fit. */
    readonly asking: ZoneQuestions.Asking | null
  }
  readonly rule: Rule | null
  readonly asked: ZoneQuestions.ZoneQuestions | null
}

const decide = (
  wanted: Rule<Zone>,
  present: ReadonlyArray<Rule>,
  now: Timestamp.Timestamp,
  before: ZoneQuestions.ZoneQuestions
): Decided => {
  const rule = admitted(wanted, present, now)
  if (Either.isLeft(rule)) return { outcome: { rule, asking: null }, rule: null, asked: null }
  const asking = ZoneQuestions.ask(before, wanted.target.circle, now)
  return asking._tag === "Asked"
    ? { outcome: { rule, asking }, rule: rule.right, asked: asking.questions }
    : { outcome: { rule, asking }, rule: null, asked: null }
}
