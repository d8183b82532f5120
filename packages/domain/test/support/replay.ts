import { Fix, UploadEvaluation } from "@place-access/domain/fixes"
import type { LiveRule, Rule } from "@place-access/domain/rules"
import { RuleEvaluation } from "@place-access/domain/rules"
import { AppId, ConnectionId, PlaceId, RuleId, UserId } from "@place-access/domain/shared"
import type { ReferenceFix, ReferenceRule } from "./referenceRules.js"
import { NOON, time } from "./rules.js"

/** A rule of nobody's, for evaluations without a store. */
const liveRule = (question: RuleEvaluation.Question, id = "rul_1"): LiveRule.LiveRule => {
  const rule: Rule.Rule = {
    userId: UserId.make("usr_1"),
    id: RuleId.make(id),
    connectionId: ConnectionId.make("con_1"),
    appId: AppId.make("app_1"),
    type: question.type,
    target: { _tag: "Place", placeId: PlaceId.make("plc_1"), label: "Home" },
    dwellMinutes: question.dwellMinutes,
    webhookUrl: null,
    window: question.window,
    maxEventAgeS: null,
    createdAt: time(NOON),
    disabledAt: null
  }
  return { rule, circle: question.circle, basis: "1", state: RuleEvaluation.unseeded("1") }
}

export const reading = (fix: ReferenceFix): Fix.Reading => ({
  capturedAt: time(fix.capturedAt),
  lat: fix.lat,
  lon: fix.lon,
  accuracyM: fix.accuracy
})

/** What the product makes of one phone's uploads: when the rule fired, and the state at the end. */
export const replay = (
  question: RuleEvaluation.Question,
  uploads: ReadonlyArray<ReadonlyArray<ReferenceFix>>
): { readonly firings: ReadonlyArray<number>; readonly state: RuleEvaluation.RuleState } => {
  let live = liveRule(question)
  const firings: Array<number> = []
  const known = new Set<string>()
  for (const upload of uploads) {
    const receivedAt = time(upload[0]?.receivedAt ?? NOON)
    const fixes = upload
      .map((fix) => Fix.judge(reading(fix), receivedAt))
      .flatMap((judged) => (judged._tag === "Fix" ? [judged.fix] : []))
    const fresh = Fix.sortedAndDistinct(fixes).filter((fix) => !known.has(Fix.key(fix)))
    const evaluated = UploadEvaluation.evaluate([live], fresh, receivedAt)
    for (const fix of fresh) known.add(Fix.key(fix))
    firings.push(...evaluated.firings.map((firing) => firing.at))
    live = { ...live, state: evaluated.states[0]?.state ?? live.state }
  }
  return { firings, state: live.state }
}

export const toReference = (question: RuleEvaluation.Question): ReferenceRule => ({
  type: question.type,
  dwellMinutes: question.dwellMinutes,
  activeFrom: question.window.from,
  activeUntil: question.window.until
})
