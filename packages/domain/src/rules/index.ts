/**
 * Rules: standing questions of an app, such as "tell me when the user enters Home". A rule is about a shared place or
 * about a zone that the app draws. `RuleEvaluation` is its state machine: each step applies one fix to one rule.
 * `RuleLife` computes whether a rule is active, inactive, disabled or finished. Apps create, list and remove rules.
 * Every upload of fixes evaluates them, and workers fire the rules that waited for `settleS` or `silenceS`.
 *
 * @module
 */

export * as ConcurrentLimit from "./ConcurrentLimit.js"
export {
  createPlaceRule,
  createZoneRule,
  type RuleCaller,
  RuleLimitReached,
  WebhookUrlNotRegistered
} from "./createRules.js"
export {
  type EvaluatedRule,
  getEvaluations,
  getEvaluationsOfUser,
  type GrantEvaluations,
  type ListedRule,
  listEvaluationsOfGrant,
  listRules,
  listRulesOfUser,
  removeRule,
  removeRuleOfUser,
  type RulesPage
} from "./manageRules.js"
export * as LiveRule from "./LiveRule.js"
export * as RecentEvaluations from "./RecentEvaluations.js"
export * as RuleRuns from "./RuleRuns.js"
export * as Rule from "./Rule.js"
export * as RuleLife from "./RuleLife.js"
export * as RuleEvaluation from "./RuleEvaluation.js"
export * as RuleRequest from "./RuleRequest.js"
export { type Evaluations, type RuleKind, RuleStore } from "./RuleStore.js"
