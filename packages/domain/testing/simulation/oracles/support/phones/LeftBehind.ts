import type { Reading } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { marginM, metresBetween } from "./distance.js"
import { type CompletedCall, happened, isDone, mayBeDone } from "../trace/Happened.js"
import { erased, erasuresOf } from "./Erasures.js"
import { isFuture, isPutAside, keyOf, type SeenReading } from "./Phones.js"
import { BACK_SOON, MOVED_BEFORE, SILENT } from "../../../Specification.js"

/**
 * Finds the readings of phones that their user left behind (decision M14), without the product's code. The result
 * depends on the order in which the service stored the uploads. If the trace does not show this order, for example
 * because two uploads overlap, the oracle decides nothing about the user's phones from then on.
 */

export type Mark = "yes" | "maybe" | "no"

interface Rest {
  /** The position of the phone, from one of its readings. Undefined when the user deleted the time of this reading. */
  readonly spot: Reading | undefined
  readonly since: number
}

interface Followed {
  rest: Rest
  /**
   * The spot of the phone before its present spot, if the newest reading moved the phone; otherwise undefined. A phone
   * that soon comes back to this earlier spot counts as not having moved.
   */
  before: Rest | undefined
  /**
   * The time and the position of the newest reading. The position is undefined when the user deleted the time of the
   * reading.
   */
  newestAt: number
  newest: Reading | undefined
}

interface Person {
  readonly marks: Map<string, Mark>
  readonly phones: Map<string, Followed>
  /** The user's deletions of history whose effect `phones` already contains. */
  readonly forgotten: Set<CompletedCall<"eraseHistory">>
  isSure: boolean
  /** The number (`i`) of the trace entry at which the person's last upload ended. */
  last: number
}

/** Stands for the time of the last movement of a phone that is not known to have moved. */
const NEVER = -Infinity

const known = new WeakMap<object, ReadonlyMap<string, Person>>()

/**
 * Whether a reading comes from a phone that was left behind. The answer is `no` for a user with a single phone. The
 * answer is `maybe` for a reading that the oracle has not judged. An example is a reading that was quarantined because
 * its time was in the future: any later upload may store this reading.
 */
export const isLeftBehind = (run: Run, userId: string, { key }: Pick<SeenReading, "key">): Mark => {
  const all = known.get(run) ?? read(run)
  known.set(run, all)
  const person = all.get(userId)
  if (person === undefined || person.phones.size < 2) return "no"
  return person.marks.get(key) ?? "maybe"
}

const read = (run: Run): ReadonlyMap<string, Person> => {
  const people = new Map<string, Person>()
  const removals = happened(run).of("removeDevice").filter(mayBeDone)
  for (const operation of happened(run).of("upload")) {
    if (!mayBeDone(operation)) continue
    const { userId } = operation.args
    const person = people.get(userId) ?? newPerson()
    people.set(userId, person)
    take(run, person, operation, removals)
  }
  return people
}

const newPerson = (): Person => ({
  marks: new Map(),
  phones: new Map(),
  forgotten: new Set(),
  isSure: true,
  last: -Infinity
})

const take = (
  run: Run,
  person: Person,
  operation: CompletedCall<"upload">,
  removals: ReadonlyArray<CompletedCall<"removeDevice">>
): void => {
  const { deviceId, fixes, userId } = operation.args
  const erasures = erasuresOf(run, userId).filter((one) => one.begin < operation.end)
  for (const one of erasures) forget(person, one)
  const mine = removals.filter((one) => one.args.userId === userId && one.begin < operation.end)
  const isOpen =
    !isDone(operation) ||
    operation.begin < person.last ||
    erasures.some((one) => !isDone(one) || one.end > operation.begin) ||
    mine.some((one) => !isDone(one) || one.end > operation.begin) ||
    fixes.some((fix) => isPutAside(fix, operation) === "maybe" || isFuture(fix, operation))
  if (isOpen) person.isSure = false
  person.last = Math.max(person.last, operation.end)
  const removed = new Set(mine.map(({ args }) => args.deviceId))
  const isStored = (fix: Reading) =>
    isPutAside(fix, operation) !== "yes" &&
    erased(run, userId, fix.capturedAt, operation.begin, operation.end) !== "yes"
  for (const fix of inOrder(fixes.filter(isStored))) {
    const key = keyOf(deviceId, fix)
    if (person.marks.has(key)) continue
    follow(person, deviceId, fix)
    const mark = decide(person, deviceId, fix, removed)
    // A user with a single phone left no phone behind, even if other facts are unknown.
    person.marks.set(key, person.phones.size < 2 ? "no" : person.isSure ? mark : "maybe")
  }
}

const decide = (person: Person, deviceId: string, fix: Reading, removed: ReadonlySet<string>): Mark => {
  const others = [...person.phones].flatMap(([id, phone]) =>
    id === deviceId || removed.has(id) || fix.capturedAt - phone.newestAt > SILENT || phone.rest.since === NEVER
      ? []
      : [phone]
  )
  const own = person.phones.get(deviceId)?.rest.since ?? NEVER
  const moved = Math.max(...others.map(({ rest }) => rest.since))
  if (others.length === 0 || own >= moved) return "no"
  if (fix.capturedAt < moved && fix.capturedAt - own < MOVED_BEFORE) return "no"
  const apart = others
    .filter(({ rest }) => rest.since === moved)
    .map(({ newest, rest }): Mark => {
      const either = [isApart(person, rest.spot, fix), isApart(person, newest, fix)]
      return either.includes("yes") ? "yes" : either.includes("maybe") ? "maybe" : "no"
    })
  return apart.includes("no") ? "no" : apart.includes("maybe") ? "maybe" : "yes"
}

const follow = (person: Person, deviceId: string, fix: Reading): void => {
  const phone = person.phones.get(deviceId)
  const { capturedAt } = fix
  if (phone === undefined) {
    person.phones.set(deviceId, {
      rest: { spot: fix, since: NEVER },
      before: undefined,
      newestAt: capturedAt,
      newest: fix
    })
    return
  }
  if (capturedAt <= phone.newestAt) return
  phone.newestAt = capturedAt
  phone.newest = fix
  const { before, rest } = phone
  phone.before = undefined
  if (rest.spot === undefined) phone.rest = { ...rest, spot: fix }
  else if (isApart(person, rest.spot, fix) === "no") {
    if (marginM(fix) < marginM(rest.spot)) phone.rest = { ...rest, spot: fix }
  } else if (before !== undefined && capturedAt - rest.since <= BACK_SOON && isApart(person, before.spot, fix) === "no")
    phone.rest = before
  else {
    phone.rest = { spot: fix, since: capturedAt }
    phone.before = rest
  }
}

/** Forgets the positions that phones had in the deleted stretch of time. The time of a phone's last move is kept. */
const forget = (person: Person, erasing: CompletedCall<"eraseHistory">): void => {
  if (person.forgotten.has(erasing)) return
  person.forgotten.add(erasing)
  const { from, until } = erasing.args
  for (const phone of person.phones.values()) {
    const { before, newestAt, rest } = phone
    if (newestAt >= from && newestAt < until) phone.newest = undefined
    if (newestAt >= from && rest.since < until) phone.rest = { ...rest, spot: phone.newest }
    // `before` is the spot where the phone was until its last move. If this move came after the beginning of the
    // deleted time, the user may have deleted readings of that spot, so the oracle forgets the spot.
    if (before !== undefined && rest.since > from && before.since < until) phone.before = undefined
  }
}

/**
 * If the distance between two readings differs by less than this, in metres, from the sum of their margins, the oracle
 * does not decide whether the positions are apart.
 */
const TOLERANCE_M = 0.5

/**
 * Whether the distance of two positions is greater than the sum of their accuracy margins, so that they cannot be the
 * same spot. A phone whose position was deleted counts as apart from every other position, until the phone sends a
 * reading.
 */
const isApart = (person: Person, one: Reading | undefined, other: Reading): Mark => {
  if (one === undefined) return "yes"
  const beyond = metresBetween(one, other) - marginM(one) - marginM(other)
  if (Math.abs(beyond) > TOLERANCE_M) return beyond > 0 ? "yes" : "no"
  person.isSure = false
  return "maybe"
}

/** Sorts fixes by capture time. Of fixes with the same time, the more accurate fix comes first (decision L4). */
const inOrder = (fixes: ReadonlyArray<Reading>): ReadonlyArray<Reading> => {
  const worth = ({ accuracyM }: Reading) =>
    accuracyM !== null && Number.isFinite(accuracyM) && accuracyM > 0 ? accuracyM : Number.MAX_VALUE
  return [...fixes].sort((a, b) => a.capturedAt - b.capturedAt || worth(a) - worth(b) || a.lat - b.lat || a.lon - b.lon)
}
