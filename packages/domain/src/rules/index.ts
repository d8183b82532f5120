export * as ConcurrentLimit from "./ConcurrentLimit.js"
export { createPlaceRule } from "./createPlaceRule.js"
export type { RuleCaller } from "./createRule.js"
export { createZoneRule } from "./createZoneRule.js"
export { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
export {
  type EvaluatedRule,
  getEvaluations,
  getEvaluationsOfUser,
  type GrantEvaluations,
  listEvaluationsOfGrant
} from "./getEvaluations.js"
export { type ListedRule, listRules, listRulesOfUser, type RulesPage } from "./listRules.js"
export * as LiveRule from "./LiveRule.js"
export * as RecentEvaluations from "./RecentEvaluations.js"
export { removeRule, removeRuleOfUser } from "./removeRule.js"
export * as Rule from "./Rule.js"
export * as RuleLife from "./RuleLife.js"
export * as RuleEvaluation from "./RuleEvaluation.js"
export * as RuleRequest from "./RuleRequest.js"
export { type Evaluations, type Kind as RuleKind, RuleStore } from "./RuleStore.js"
