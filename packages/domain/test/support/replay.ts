import { Carried } from "@place-access/domain/devices"
import { Fix, UploadEvaluation } from "@place-access/domain/fixes"
import { LiveRule, type Rule, RuleEvaluation } from "@place-access/domain/rules"
import { AppId, ConnectionId, DeviceId, PlaceId, RuleId, UserId } from "@place-access/domain/shared"
import type { Ground, Life, Outcome, ReferenceFix } from "./referenceRules.js"
import { NOON, time } from "./rules.js"

/** The terms of a rule. `firesFrom` is left out, because the rules of the reference implementation do not have it. */
type Terms = Omit<RuleEvaluation.Question, "firesFrom">

/** Made only once, because the test runs a hundred thousand scenarios and all of them can use the same ids. */
const USER_ID = UserId.make("usr_1")
const CONNECTION_ID = ConnectionId.make("con_1")
const APP_ID = AppId.make("app_1")
/** The ids of a scenario's rules: each id is the index of the rule in the scenario. */
const RULE_IDS = ["0", "1", "2"].map((id) => RuleId.make(id))
const TARGET: Rule.RuleTarget = { _tag: "Place", placeId: PlaceId.make("plc_1"), label: "Home" }
const BEGINNING = time(0)

/** A rule in the form that the product's plain functions evaluate. */
const liveRule = (question: Terms, index: number): LiveRule.LiveRule => {
  const rule: Rule.Rule = {
    userId: USER_ID,
    id: RULE_IDS[index] ?? RuleId.make(String(index)),
    connectionId: CONNECTION_ID,
    appId: APP_ID,
    type: question.type,
    target: TARGET,
    dwellMinutes: question.dwellMinutes,
    settleS: question.settleS,
    silenceS: question.silenceS,
    webhookUrl: null,
    isLegacy: false,
    window: question.window,
    maxEventAgeS: null,
    createdAt: BEGINNING,
    disabledAt: null
  }
  return {
    rule,
    circle: question.circle,
    basis: "1",
    state: RuleEvaluation.unseeded("1"),
    firesFrom: rule.createdAt
  }
}

export const reading = (fix: ReferenceFix): Fix.Reading => ({
  capturedAt: time(fix.capturedAt),
  lat: fix.lat,
  lon: fix.lon,
  accuracyM: fix.accuracy
})

export const questionOf = (circle: Life["circle"], rule: Life["rules"][number]): Terms => ({
  type: rule.type,
  circle,
  dwellMinutes: rule.dwellMinutes ?? null,
  settleS: rule.settleS ?? null,
  silenceS: null,
  window: {
    from: rule.activeFrom == null ? null : time(rule.activeFrom),
    until: rule.activeUntil == null ? null : time(rule.activeUntil)
  }
})

const DEVICES = [DeviceId.make("dev_0"), DeviceId.make("dev_1")] as const

/** The result of a scenario, computed by the product's plain functions, without programs and stores. */
export const replayLife = (life: Life): ReadonlyArray<Outcome> => {
  const all = life.rules.map((rule, index) => liveRule(questionOf(life.circle, rule), index))
  const firings: ReadonlyArray<Array<number>> = life.rules.map(() => [])
  const known: ReadonlyArray<Set<string>> = [new Set(), new Set()]
  const present = new Set<number>()
  const missing = new Set<Ground>()
  let devices: ReadonlyArray<Carried.Companion> = DEVICES.map((id) => ({
    id,
    staysAtHome: false,
    lastSeenAt: time(NOON),
    movement: null
  }))
  let circle = life.circle
  let version = 0
  const begin = (index: number, at: number): void => {
    const live = all[index]
    if (live !== undefined) all[index] = { ...live, firesFrom: LiveRule.firesFrom(live.firesFrom, time(at)) }
  }
  const standing = () =>
    all.filter((_, index) => present.has(index) && !needs(life, index).some((what) => missing.has(what)))
  const store = ({ firings: told, states }: UploadEvaluation.UploadOutcome): void => {
    for (const { at, rule } of told) firings[Number(rule.id)]?.push(at)
    for (const { ruleId, state } of states) {
      const live = all[Number(ruleId)]
      if (live !== undefined) all[Number(ruleId)] = { ...live, state }
    }
  }
  const settle = (now: number): void => store(UploadEvaluation.settle(standing(), time(now)))
  for (const happening of life.happenings) {
    settle(happening._tag === "Upload" ? (happening.fixes[0]?.receivedAt ?? NOON) : happening.at)
    switch (happening._tag) {
      case "Created":
        present.add(happening.rule)
        begin(happening.rule, happening.at)
        break
      case "Removed":
        present.delete(happening.rule)
        break
      case "Moved":
        if (happening.circle === circle) break
        circle = happening.circle
        version++
        for (const [index, live] of all.entries())
          if (life.rules[index]?.about === "place") {
            all[index] = { ...live, circle: happening.circle, basis: `${live.basis}, moved ${version}` }
            begin(index, happening.at)
          }
        break
      case "Withdrawn":
        missing.add(happening.what)
        break
      case "GivenBack":
        version++
        if (missing.delete(happening.what))
          for (const [index, live] of all.entries())
            if (needs(life, index).includes(happening.what)) {
              all[index] = { ...live, basis: `${live.basis}, back ${version}` }
              begin(index, happening.at)
            }
        break
      case "Upload": {
        const receivedAt = time(happening.fixes[0]?.receivedAt ?? NOON)
        const before = known[happening.device] ?? new Set()
        const fixes = happening.fixes
          .map((fix) => Fix.judge(reading(fix), receivedAt))
          .flatMap((judged) => (judged._tag === "Fix" ? [judged.fix] : []))
        const fresh = Fix.sortedAndDistinct(fixes).filter((fix) => isAdded(before, Fix.key(fix)))
        const { carried, movement } = Carried.judge(DEVICES[happening.device] ?? DEVICES[0], devices, fresh)
        devices = devices.map((one, index) => (index === happening.device ? { ...one, movement } : one))
        const evaluated = UploadEvaluation.evaluate(standing(), carried, receivedAt)
        store(evaluated)
      }
    }
  }
  settle(Number.MAX_SAFE_INTEGER)
  return all.map(({ basis, state }, index) => {
    const { asOf, side } = RuleEvaluation.on(basis, state)
    return { firings: firings[index] ?? [], seenAt: asOf, side }
  })
}

/** Adds the key to the set. Returns true if the set did not have it. */
const isAdded = (known: Set<string>, key: string): boolean => known.size !== known.add(key).size

const OF_PLACE_RULES: ReadonlyArray<Ground> = ["place", "place scope"]
const OF_ZONE_RULES: ReadonlyArray<Ground> = ["zone scope"]
const needs = (life: Life, rule: number): ReadonlyArray<Ground> =>
  life.rules[rule]?.about === "place" ? OF_PLACE_RULES : OF_ZONE_RULES
