import type { Reading } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import { marginM, metresBetween } from "./distance.js"
import { type Did, happened, isDone, mayBeDone } from "./Happened.js"
import { isFuture, isPutAside, keyOf, type Seen } from "./Phones.js"
import { DAY, HOUR } from "./Spec.js"

/**
 * Which readings are of a phone that was left behind (decision M14), once more, over the uploads of a run. The order in which uploads
 * were stored decides. Where the trace leaves it open, because two overlap or nobody knows whether one was stored, nothing is said
 * of the person's several phones from then on.
 */

export type Mark = "yes" | "maybe" | "no"

interface Rest {
  readonly spot: Reading
  readonly since: number
}

interface Followed {
  rest: Rest
  /** The rest that the newest reading ended. */
  before: Rest | undefined
  newest: Reading
}

interface Person {
  readonly marks: Map<string, Mark>
  readonly phones: Map<string, Followed>
  isSure: boolean
  /** The end of the last upload. */
  last: number
}

/** Whoever is back later has been there. */
const SOON = HOUR / 4

/** Never seen moving. */
const NEVER = -Infinity

const known = new WeakMap<object, ReadonlyMap<string, Person>>()

/** Of a reading that was stored. One that was put aside because it was from the future may be stored at any later upload. */
export const isLeftBehind = (run: Run, userId: string, { key }: Pick<Seen, "key">): Mark => {
  const all = known.get(run) ?? read(run)
  known.set(run, all)
  const person = all.get(userId)
  if (person === undefined || person.phones.size < 2) return "no"
  return person.marks.get(key) ?? "maybe"
}

const read = (run: Run): ReadonlyMap<string, Person> => {
  const people = new Map<string, Person>()
  const removals = happened(run).of("removeDevice").filter(mayBeDone)
  for (const did of happened(run).of("upload")) {
    if (!mayBeDone(did)) continue
    const { userId } = did.args
    const person = people.get(userId) ?? { marks: new Map(), phones: new Map(), isSure: true, last: -Infinity }
    people.set(userId, person)
    take(person, did, removals)
  }
  return people
}

const take = (person: Person, did: Did<"upload">, removals: ReadonlyArray<Did<"removeDevice">>): void => {
  const { deviceId, fixes, userId } = did.args
  const mine = removals.filter((one) => one.args.userId === userId && one.begin < did.end)
  const isOpen =
    !isDone(did) ||
    did.begin < person.last ||
    mine.some((one) => !isDone(one) || one.end > did.begin) ||
    fixes.some((fix) => isPutAside(fix, did) === "maybe" || isFuture(fix, did))
  if (isOpen) person.isSure = false
  person.last = Math.max(person.last, did.end)
  const removed = new Set(mine.map(({ args }) => args.deviceId))
  for (const fix of inOrder(fixes.filter((one) => isPutAside(one, did) !== "yes"))) {
    const key = keyOf(deviceId, fix)
    if (person.marks.has(key)) continue
    follow(person, deviceId, fix)
    const mark = decide(person, deviceId, fix, removed)
    // Before there is a second phone, nobody can have been left behind, whatever is open.
    person.marks.set(key, person.phones.size < 2 ? "no" : person.isSure ? mark : "maybe")
  }
}

const decide = (person: Person, deviceId: string, fix: Reading, removed: ReadonlySet<string>): Mark => {
  const others = [...person.phones].flatMap(([id, phone]) =>
    id === deviceId || removed.has(id) || fix.capturedAt - phone.newest.capturedAt > DAY || phone.rest.since === NEVER
      ? []
      : [phone]
  )
  const own = person.phones.get(deviceId)?.rest.since ?? NEVER
  const moved = Math.max(...others.map(({ rest }) => rest.since))
  if (others.length === 0 || own >= moved) return "no"
  if (fix.capturedAt < moved && fix.capturedAt - own < HOUR) return "no"
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
    person.phones.set(deviceId, { rest: { spot: fix, since: NEVER }, before: undefined, newest: fix })
    return
  }
  if (capturedAt <= phone.newest.capturedAt) return
  phone.newest = fix
  const { before, rest } = phone
  phone.before = undefined
  if (isApart(person, rest.spot, fix) === "no") {
    if (marginM(fix) < marginM(rest.spot)) phone.rest = { ...rest, spot: fix }
  } else if (before !== undefined && capturedAt - rest.since <= SOON && isApart(person, before.spot, fix) === "no")
    phone.rest = before
  else {
    phone.rest = { spot: fix, since: capturedAt }
    phone.before = rest
  }
}

/** Nearer to the limit nothing is said. */
const TOLERANCE_M = 0.5

const isApart = (person: Person, one: Reading, other: Reading): Mark => {
  const beyond = metresBetween(one, other) - marginM(one) - marginM(other)
  if (Math.abs(beyond) > TOLERANCE_M) return beyond > 0 ? "yes" : "no"
  person.isSure = false
  return "maybe"
}

/** By capture; of one instant the more accurate first (decision L4). */
const inOrder = (fixes: ReadonlyArray<Reading>): ReadonlyArray<Reading> => {
  const worth = ({ accuracyM }: Reading) =>
    accuracyM !== null && Number.isFinite(accuracyM) && accuracyM > 0 ? accuracyM : Number.MAX_VALUE
  return [...fixes].sort((a, b) => a.capturedAt - b.capturedAt || worth(a) - worth(b) || a.lat - b.lat || a.lon - b.lon)
}
