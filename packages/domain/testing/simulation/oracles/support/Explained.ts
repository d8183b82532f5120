import type { Run } from "../../Oracle.js"
import { begun } from "./trace/Begun.js"
import { sidesOf } from "./phones/distance.js"
import type { Firing } from "./deliveries/Firings.js"
import { firings } from "./deliveries/Firings.js"
import { archived, circlesOf, effective, type Ground, ground, type MadeRule, sharing } from "./Ground.js"
import { isStopped, mayBeOver } from "./Ended.js"
import { type CompletedCall, isDone, isoOf } from "./trace/Happened.js"
import { erased, erasuresOf } from "./phones/Erasures.js"
import { isLeftBehind } from "./phones/LeftBehind.js"
import { isPutAside, type Phones, phonesOf, type SeenReading } from "./phones/Phones.js"
import { LAST_WORD, LATE_BATCH, MINUTE, SECOND, STALE } from "../../Specification.js"

/**
 * Says why a firing was wrong. The oracle looks among all fixes that the phones may have sent for the fixes that the
 * rule needed. Each problem names the invariant that the firing breaks. If some course of events explains the firing,
 * there is no problem.
 */

export interface Problem {
  readonly invariant: "R1" | "R2" | "R3" | "R5" | "R6" | "R7" | "R11" | "R12" | "R14" | "W1" | "W2" | "G2" | "E2"
  readonly detail: string
}

/** A fix, and an upload that may have brought it. */
interface Candidate {
  readonly fix: SeenReading
  readonly upload: CompletedCall<"upload">
}

type Side = "inside" | "outside"

interface Scene {
  readonly run: Run
  readonly ground: Ground
  readonly phones: Phones
  readonly rule: MadeRule
  readonly firing: Firing
}

/**
 * The problem of each firing that no course of events explains. If the trace does not show which of several rules
 * fired, the firing has a problem only if each of these rules has a problem. The result has the problem of the first
 * rule.
 */
export const problems = (run: Run): ReadonlyArray<Problem & { readonly at: number }> => {
  const found = known.get(run)
  if (found !== undefined) return found
  const made = firings(run).flatMap((firing) => {
    const each = firing.rules.map((rule) => explain(run, firing, rule))
    const [first] = each
    return first === undefined || each.includes(undefined) ? [] : [{ ...first, at: firing.at }]
  })
  known.set(run, made)
  return made
}

const known = new WeakMap<object, ReadonlyArray<Problem & { readonly at: number }>>()

const explain = (run: Run, firing: Firing, rule: MadeRule): Problem | undefined => {
  const scene: Scene = { run, ground: ground(run), phones: phonesOf(run, rule.pair.userId), rule, firing }
  const isOfSilence = firing.type === "dwell" && (rule.fields.silenceS ?? null) !== null
  if (isOfSilence && scene.phones.at(firing.occurredAt).length === 0) return silenceProblem(scene)
  const deciding = decidingOf(scene)
  if ("invariant" in deciding) return deciding
  const earlier = firings(run).filter(
    (other) => other.ruleId === rule.ruleId && other.type === firing.type && other.occurredAt < firing.occurredAt
  )
  return seedProblem(scene, deciding.chances, earlier.at(-1)?.occurredAt ?? -Infinity)
}

/** The fixes that meet all requirements of the firing. If there are none: the first requirement that leaves no fix. */
const decidingOf = (scene: Scene): Problem | { readonly chances: ReadonlyArray<Candidate> } => {
  const { firing, phones, rule } = scene
  const { activeUntil } = rule.fields
  const at = firing.occurredAt
  const side = firing.type === "exit" ? "outside" : "inside"
  const needs: ReadonlyArray<readonly [Problem["invariant"], string, (chance: Candidate) => boolean]> = [
    ["R1", "its fix came before the rule was made", ({ upload }) => upload.end > rule.made.begin],
    ["R7", "the rule was stopped when its fix came", ({ upload }) => !isStopped(scene.ground, rule, upload)],
    [
      "G2",
      "its app was paused when its fix came",
      ({ upload }) => scene.ground.pauses.during(rule.connectionId, upload) !== "yes"
    ],
    [
      "G2",
      "its fix was captured before the pause of its app ended",
      ({ upload }) => at >= scene.ground.pauses.lastEnd(rule.connectionId, upload).earliest
    ],
    [
      "E2",
      "its fix was captured in a stretch that had been deleted",
      ({ upload }) => erased(scene.run, rule.pair.userId, at, upload.begin, upload.end) !== "yes"
    ],
    [
      "R11",
      "its fix was captured before the rule was made, or before it had what it needs",
      ({ upload }) => at >= begun(scene.ground, rule, upload).earliest
    ],
    ["W1", "its fix was captured outside of the rule's window", () => isInWindow(rule, at)],
    [
      "W2",
      "its fix came more than a day after the window closed",
      ({ upload }) => activeUntil === null || receivedFrom(upload) <= activeUntil + LATE_BATCH
    ],
    ["R5", "its fix was more than 15 minutes old", ({ upload }) => receivedFrom(upload) - at <= STALE],
    [
      "R3",
      `no fix of then is more than its margin ${side}`,
      ({ fix, upload }) =>
        circlesOf(scene.ground, rule, upload.begin, upload.end).some((circle) => sidesOf(circle, fix)[side])
    ],
    ["R12", "its phone was left behind", ({ fix }) => leftOf(scene, fix) !== "yes"]
  ]
  let chances = phones
    .at(at)
    .flatMap((fix) => fix.uploads.map((upload): Candidate => ({ fix, upload })))
    .filter(({ upload }) => upload.begin < firing.at)
  if (chances.length === 0) return problem(scene, "R3", "no fix was captured then")
  for (const [invariant, detail, holds] of needs) {
    chances = chances.filter(holds)
    if (chances.length === 0) return problem(scene, invariant, detail)
  }
  return { chances }
}

/**
 * Checks a firing by silence: a dwell rule with `silence_s` fired without a fix, because the phone sent nothing for
 * `silence_s`. The firing's `occurredAt` is the time at which the stay reached `dwell_minutes`. Returns undefined when
 * the firing is possible (decision rules-14).
 */
const silenceProblem = (scene: Scene): Problem | undefined => {
  const { firing, phones, rule, run } = scene
  const at = firing.occurredAt
  const silence = (rule.fields.silenceS ?? 0) * SECOND
  const inside = [...phones.seen, ...phones.taken]
    .filter((fix) => leftOf(scene, fix) !== "yes" && isInWindow(rule, fix.capturedAt))
    .flatMap((fix) => fix.uploads.map((upload): Candidate => ({ fix, upload })))
    .filter(({ upload }) => upload.begin < firing.at && upload.end > rule.made.begin)
    .filter((chance) => possibleSides(scene, chance).inside)
  const came = at - (rule.fields.dwellMinutes ?? 0) * MINUTE
  if (!inside.some(({ fix }) => fix.capturedAt === came)) return problem(scene, "R6", "nobody came its minutes before")
  const words = inside.filter(({ fix: { capturedAt }, upload }) => {
    const isFresh = receivedFrom(upload) - capturedAt <= STALE
    return isFresh && capturedAt >= came && capturedAt < at && at - capturedAt <= LAST_WORD
  })
  if (words.length === 0) return problem(scene, "R14", "no fresh fix inside came shortly before")
  if (!isInWindow(rule, at)) return problem(scene, "W1", "its minutes ended outside of the window")
  const entryAt = run.entries[firing.at]?.t ?? Infinity
  const isEarly = entryAt < at + silence && !run.entries.some(({ i, t }) => i < firing.at && t >= at + silence)
  return isEarly ? problem(scene, "R14", "the silence was shorter") : undefined
}

/**
 * What is wrong with the fixes before the firing. Before an enter or exit rule fires, it must have seen a fix on the
 * other side of the circle's boundary. A dwell rule must have seen the person inside for long enough.
 */
const seedProblem = (scene: Scene, deciding: ReadonlyArray<Candidate>, last: number): Problem | undefined => {
  const { firing, phones, rule } = scene
  const dwellMs = firing.type === "dwell" ? (rule.fields.dwellMinutes ?? 0) * MINUTE : 0
  const side: Side = firing.type === "enter" ? "outside" : "inside"
  const horizon = Math.max(...deciding.map(({ upload }) => upload.end))
  const before = [...phones.seen, ...phones.taken]
    .filter((fix) => fix.capturedAt < firing.occurredAt && leftOf(scene, fix) !== "yes")
    .flatMap((fix) => fix.uploads.map((upload): Candidate => ({ fix, upload })))
    .filter(({ upload }) => upload.begin < Math.min(horizon, firing.at))

  const isSeen = ({ upload }: Candidate) => upload.end > rule.made.begin
  const isIn = ({ fix }: Candidate) => isInWindow(rule, fix.capturedAt)
  const isOn = (which: Side) => (chance: Candidate) => possibleSides(scene, chance)[which]
  const isEarly = ({ fix }: Candidate) => fix.capturedAt <= firing.occurredAt - dwellMs
  const leftAt = dwellMs === 0 ? -Infinity : lastLeft(scene, deciding)
  const isSince = ({ fix }: Candidate) =>
    dwellMs === 0 ? fix.capturedAt > last : fix.capturedAt > leftAt && isEarly({ fix } as Candidate)
  const some = (...all: ReadonlyArray<(chance: Candidate) => boolean>) =>
    before.some((chance) => all.every((holds) => holds(chance)))

  if (some(isSince, isSeen, isIn, isOn(side))) {
    const { connectionId } = rule
    const pausedFrom = lastPause(scene, deciding)
    const isEvaluated = ({ upload }: Candidate) =>
      upload.end > pausedFrom && scene.ground.pauses.during(connectionId, upload) !== "yes"
    if (!some(isSince, isSeen, isIn, isOn(side), isEvaluated))
      return problem(scene, "G2", "what it may have seen before came before a pause")
    const isRepeat =
      dwellMs > 0 &&
      last > -Infinity &&
      !isBegunAnew(scene) &&
      !some(({ fix }) => fix.capturedAt > last, isSeen, isIn, isOn("outside"))
    return isRepeat ? problem(scene, "R6", "it fired before in the same stay") : undefined
  }
  if (dwellMs === 0 && some(isSeen, isIn, isOn(side)))
    return problem(scene, "R2", `nobody saw the ${side} since it fired last`)
  if (some(isSince, isSeen, isOn(side)))
    return problem(scene, "W1", "only fixes from outside of its window came before")
  if (some(isSince, isSeen, isIn, (chance) => isWithinMargin(scene, chance)))
    return problem(scene, "R3", "only fixes within the margin came before")
  if (some(isSince, isIn, isOn(side)))
    return problem(scene, "R1", "what it may have seen before came before it was made")
  if (dwellMs > 0 && some(isSeen, isIn, isOn("inside"))) return problem(scene, "R6", "the stay was shorter")
  return some(isSeen, isIn, (chance) => isOn("inside")(chance) || isOn("outside")(chance))
    ? problem(scene, dwellMs > 0 ? "R6" : "R2", `nobody saw the ${side} before`)
    : problem(scene, "R1", "it is the first that the rule saw")
}

/**
 * The number of the entry at which the rule last forgot its state because of a pause. A pause counts only if the pause
 * certainly began before every upload that may have caused the firing. -Infinity when no pause counts.
 */
const lastPause = ({ ground, rule }: Scene, deciding: ReadonlyArray<Candidate>): number =>
  ground.pauses
    .beginnings(rule.connectionId)
    .filter(({ end, isCertain }) => isCertain && deciding.every(({ upload }) => end < upload.begin))
    .reduce((last, { begin }) => Math.max(last, begin), -Infinity)

const problem = ({ firing, rule }: Scene, invariant: Problem["invariant"], detail: string): Problem => ({
  invariant,
  detail: `rule ${rule.ruleId} fired ${firing.type} for ${isoOf(firing.occurredAt)} (event ${firing.eventId}): ${detail}`
})

export const isInWindow = ({ fields: { activeFrom, activeUntil } }: MadeRule, capturedAt: number): boolean =>
  (activeFrom === null || capturedAt >= activeFrom) && (activeUntil === null || capturedAt < activeUntil)

/**
 * The earliest time at which the service may have received the upload. If the clock was set back during the upload, the
 * end of the upload has the earlier time.
 */
const receivedFrom = ({ beganAt, endedAt }: CompletedCall): number => Math.min(beganAt, endedAt)

const leftOf = ({ run, rule }: Scene, fix: SeenReading) => isLeftBehind(run, rule.pair.userId, fix)

const possibleSides = ({ ground, rule }: Scene, { fix, upload }: Candidate) => {
  const all = circlesOf(ground, rule, upload.begin, upload.end).map((circle) => sidesOf(circle, fix))
  return { inside: all.some((one) => one.inside), outside: all.some((one) => one.outside) }
}

/** Whether the fix may be so close to the boundary of the rule's circle that it is neither inside nor outside. */
const isWithinMargin = ({ ground, rule }: Scene, { fix, upload }: Candidate): boolean =>
  circlesOf(ground, rule, upload.begin, upload.end).some((circle) => sidesOf(circle, fix).boundary)

/**
 * The capture time of the newest fix that was before the firing and that the rule certainly evaluated as outside of its
 * circle. -Infinity when there is no such fix.
 */
const lastLeft = (scene: Scene, deciding: ReadonlyArray<Candidate>): number => {
  const { firing, phones } = scene
  for (let at = phones.seen.length - 1; at >= 0; at--) {
    const fix = phones.seen[at]
    if (fix === undefined || fix.capturedAt >= firing.occurredAt) continue
    if (isSurelyOutside(scene, deciding, fix)) return fix.capturedAt
  }
  return -Infinity
}

const isSurelyOutside = (scene: Scene, deciding: ReadonlyArray<Candidate>, fix: SeenReading): boolean => {
  const { ground, phones, rule, run } = scene
  const { made, pair, placeId } = rule
  if (
    leftOf(scene, fix) !== "no" ||
    !isInWindow(rule, fix.capturedAt) ||
    !fix.uploads.every(({ begin }) => begin > made.end)
  )
    return false
  return fix.uploads.some((upload) => {
    const { begin, end, endedAt } = upload
    const isInTime = deciding.every((other) => other.upload === upload || end < other.upload.begin)
    if (!isDone(upload) || !isInTime || isPutAside(fix, upload) !== "no") return false
    if (rule.fields.activeUntil !== null && endedAt > rule.fields.activeUntil + LATE_BATCH) return false
    if (rule.removals.some((removal) => removal.begin < end) || mayBeOver(run, rule, end)) return false
    if (effective(ground, pair, `location.rules.${rule.kind}`, begin, end) !== "yes") return false
    const place = placeId === null ? undefined : ground.places.get(placeId)
    if (placeId !== null && sharing(pair, placeId, begin, end) !== "yes") return false
    if (place !== undefined && archived(place, begin, end) !== "no") return false
    const isSureOf = circlesOf(ground, rule, begin, end).every((circle) => {
      const sides = sidesOf(circle, fix)
      return sides.outside && !sides.boundary && !sides.inside
    })
    // A rule ignores a fix if it has already evaluated a fix that is equally new or newer (decision L4).
    return (
      isSureOf && ![...phones.seen, ...phones.taken].some((other) => other !== fix && mayHideIt(other, fix, upload))
    )
  })
}

const mayHideIt = (other: SeenReading, fix: SeenReading, upload: CompletedCall<"upload">): boolean =>
  other.capturedAt >= fix.capturedAt &&
  other.uploads.some(
    (earlier) => earlier.begin < upload.end && (earlier !== upload || other.capturedAt === fix.capturedAt)
  )

/**
 * Whether the rule may have forgotten its state: something on which the rule depends, such as its place, changed after
 * its creation (decision L8).
 */
const isBegunAnew = ({ ground, rule: { connectionId, made, pair, placeId }, run }: Scene): boolean =>
  ground.pauses.beginnings(connectionId).some(({ end }) => end > made.begin) ||
  erasuresOf(run, pair.userId).some(({ end }) => end > made.begin) ||
  [
    pair.shares,
    pair.scopes,
    ground.declared.get(pair.appId),
    ground.allowed.get(pair.appId),
    ground.places.get(placeId ?? "")?.circles
  ].some((register) => register?.writes.some(({ end }) => end > made.begin))
