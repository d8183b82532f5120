import { Effect } from "effect"
import type { InvalidToken } from "../connection/Errors.js"
import type { EndpointStore } from "../endpoints/EndpointStore.js"
import type * as Entropy from "../shared/Entropy.js"
import type { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { createRule, requireEndpoint, type RuleCaller } from "./createRule.js"
import type { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
import type { Rule, Zone } from "./Rule.js"
import * as RuleRequest from "./RuleRequest.js"
import type { RuleStore } from "./RuleStore.js"

/**
 * A standing question about an area that the app draws and names itself (Spec §4.6). The order of what may be wrong is that of
 * `createPlaceRule`; the limit of ten counts both kinds together.
 */
export const createZoneRule = (
  caller: RuleCaller,
  request: RuleRequest.ZoneRuleRequest
): Effect.Effect<
  Rule<Zone>,
  Invalid | WebhookUrlNotRegistered | RuleLimitReached | InvalidToken | StoreError,
  RuleStore | EndpointStore | Entropy.Entropy
> =>
  Effect.gen(function* () {
    const { target, terms } = yield* RuleRequest.checkZone(request, yield* Timestamp.now)
    yield* requireEndpoint(caller, terms)
    return yield* createRule(caller, target, terms)
  }).pipe(Effect.withSpan("createZoneRule"))
