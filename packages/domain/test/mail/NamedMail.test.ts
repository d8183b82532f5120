import { type Mail, NamedMail } from "@place-access/domain/mail"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const { HOUR, MINUTE } = Timestamp
const READER = UserId.make("usr_reader")
const NAME = "Your Bank"

type Kind = "receipt" | "leak" | "decision" | "hand-over" | "notice"

interface Arrival {
  readonly at: Timestamp.Timestamp
  readonly kind: Kind
}

const NAMING: Readonly<Record<Kind, Mail.Naming>> = {
  receipt: NamedMail.foldable,
  leak: { _tag: "Leak", subject: "An app was disconnected", body: "We disconnected an app." },
  decision: NamedMail.decided,
  "hand-over": { _tag: "Always", subject: "An app is in your name now", body: "Replace its secret." },
  notice: NamedMail.chosen
}

const message = (key: string, kind: Kind = "receipt"): Mail.MailMessage => ({
  to: READER,
  dedupeKey: key,
  subject: `You connected ${NAME}`,
  body: `You connected ${NAME}.`,
  link: { site: "portal", path: `/of/${kind}`, label: "It" },
  naming: NAMING[kind]
})

/** Decides about messages in the order in which they arrive. Returns what is written for each message. */
const play = (arrivals: ReadonlyArray<Arrival>, decide = NamedMail.decide) => {
  let count = NamedMail.none
  return arrivals.map(({ at, kind }, index) => {
    const decided = decide(count, message(`message ${index}`, kind), at)
    count = decided.count
    return { at, kind, isOwn: decided.message?.dedupeKey === `message ${index}`, written: decided.message }
  })
}

const arriving =
  (kind: Kind) =>
  (...at: ReadonlyArray<number>): ReadonlyArray<Arrival> =>
    at.map((millis) => ({ at: Timestamp.plus(START, millis), kind }))
const foldable = arriving("receipt")
const leaks = arriving("leak")
const notices = arriving("notice")

const written = (arrivals: ReadonlyArray<Arrival>) => play(arrivals).map((one) => one.written?.subject ?? null)

const NAMED = `You connected ${NAME}`
const FOLDED = "We stop writing about your apps for an hour"
const LEAK = "An app was disconnected"

describe("messages that name an app", () => {
  it("are five an hour: the fifth is written as it is, the sixth is folded, the seventh is not written", () => {
    expect(written(foldable(0, 1, 2, 3, 4, 5, 6))).toEqual([NAMED, NAMED, NAMED, NAMED, NAMED, FOLDED, null])
  })

  it("count for less than 60 minutes: the sixth is folded at 59:59.999 and written at 60:00.000 [mail-2]", () => {
    expect(written(foldable(0, 1, 2, 3, 4, HOUR - 1)).at(-1)).toBe(FOLDED)
    expect(written(foldable(0, 1, 2, 3, 4, HOUR)).at(-1)).toBe(NAMED)
  })

  it("are not written for 60 minutes after a folded one, and written again from 60:00.000 on", () => {
    const folded = [0, 1, 2, 3, 4, MINUTE]
    expect(written(foldable(...folded, MINUTE + HOUR - 1)).at(-1)).toBeNull()
    expect(written(foldable(...folded, MINUTE + HOUR)).at(-1)).toBe(NAMED)
  })

  it("the folded one names no app, says until when nothing more comes, and leads to where everything is found", () => {
    const folded = play(foldable(0, 1, 2, 3, 4, MINUTE)).at(-1)?.written
    expect(folded).toMatchObject({ to: READER, link: { site: "portal", path: "/connections" } })
    expect(folded?.furtherLinks?.map(({ path }) => path)).toEqual(["/access-log", "/developer"])
    expect(folded?.body).toContain("Until 15 January 2026 at 13:01 UTC")
    expect(JSON.stringify(folded)).not.toContain(NAME)
  })

  it("a decision of ours is always written, beyond the limit under a subject that names no app, and folds nothing", () => {
    const decision = arriving("decision")
    expect(written([...foldable(0, 1, 2, 3), ...decision(4, 5), ...foldable(6, 7), ...decision(8)])).toEqual([
      ...Array<string>(5).fill(NAMED),
      "We decided about one of your apps",
      FOLDED,
      null,
      "We decided about one of your apps"
    ])
  })

  it("a mail that is always written and has a text without a name: beyond the limit it names no app anywhere [teams-5]", () => {
    const played = play([
      ...foldable(0, 1, 2, 3),
      ...arriving("hand-over")(4, 5),
      ...foldable(6),
      ...arriving("hand-over")(7)
    ])
    expect(played.map(({ written: mail }) => mail?.subject)).toEqual([
      ...Array<string>(5).fill(NAMED),
      "An app is in your name now",
      FOLDED,
      "An app is in your name now"
    ])
    expect(played.at(-1)?.written).toMatchObject({ body: "Replace its secret.", link: { path: "/of/hand-over" } })
    expect(JSON.stringify(played.slice(5))).not.toContain(NAME)
  })

  it("notices that the reader chose take three of the five, so they fold no receipt and leave two places for receipts", () => {
    expect(written(notices(0, 1, 2, 3, 4))).toEqual([NAMED, NAMED, NAMED, null, null])
    expect(written([...notices(0, 1, 2, 3), ...foldable(4, 5, 6)]).slice(-3)).toEqual([NAMED, NAMED, FOLDED])
    expect(written([...foldable(0, 1), ...notices(2, 3)]).slice(-2)).toEqual([NAMED, null])
  })

  it("a notice that was left out is written when it is put again, as soon as there is a place for it", () => {
    expect(written(notices(0, 1, 2, HOUR - 1, HOUR)).slice(-2)).toEqual([null, NAMED])
    const flood = foldable(0, 1, 2, 3, 4, 5)
    expect(written([...flood, ...notices(HOUR + 4, HOUR + 5)]).slice(-2)).toEqual([null, NAMED])
  })

  it("a leak beyond the limit is mailed once an hour, folded messages or not, and folds nothing", () => {
    expect(written([...foldable(0, 1, 2, 3), ...leaks(4, 5, 6), ...foldable(7, 8), ...leaks(9)])).toEqual([
      ...Array<string>(5).fill(NAMED),
      LEAK,
      null,
      FOLDED,
      null,
      null
    ])
    expect(written([...foldable(0, 1, 2, 3, 4, 5), ...leaks(6, 7)]).slice(-3)).toEqual([FOLDED, LEAK, null])
  })

  it("a leak without its app's name stands for further ones until 59:59.999; at 60:00.000 one is mailed again", () => {
    const flood = [...foldable(0, 1, 2, 3, HOUR - 3, HOUR - 2), ...leaks(HOUR - 1)]
    expect(written(flood).slice(-2)).toEqual([FOLDED, LEAK])
    expect(written([...flood, ...leaks(2 * HOUR - 3)]).at(-1)).toBeNull()
    const full = { namedAt: foldable(0, 1, 2, 3, 4).map(({ at }) => at), foldedAt: START, leakFoldedAt: null }
    const at = (millis: number) => Timestamp.plus(START, millis)
    const count = { ...full, namedAt: Array<Timestamp.Timestamp>(5).fill(at(HOUR)), leakFoldedAt: START }
    expect(NamedMail.decide(count, message("leak", "leak"), at(HOUR - 1)).message).toBeNull()
    expect(NamedMail.decide(count, message("leak", "leak"), at(HOUR)).message?.subject).toBe(LEAK)
  })

  it("the leak without a name says so, until when no other is mailed, and leads to its app and to all of them", () => {
    const mail = play([...foldable(0, 1, 2, 3, 4), ...leaks(MINUTE)]).at(-1)?.written
    expect(mail).toMatchObject({ to: READER, dedupeKey: "message 5", link: { path: "/of/leak" } })
    expect(mail?.furtherLinks).toEqual([{ site: "portal", path: "/connections", label: "Connected apps" }])
    expect(mail?.body).toMatch(/^We disconnected an app\.\n\n.*Until 15 January 2026 at 13:01 UTC/)
    expect(JSON.stringify(mail)).not.toContain(NAME)
  })

  it("its count is kept as long as the newest message of it, a leak without a name among them", () => {
    const [first, second, third] = [0, 1, 2].map((millis) => Timestamp.plus(START, millis))
    const of = (...[named, folded, leak]: ReadonlyArray<typeof first>): number =>
      NamedMail.lastAt({ namedAt: [named ?? START], foldedAt: folded ?? null, leakFoldedAt: leak ?? null })
    expect([of(first, second, third), of(first, third, second), of(third, first, second), of(first)]).toEqual([
      third,
      third,
      third,
      first
    ])
    expect(NamedMail.lastAt(NamedMail.none)).toBe(0)
  })

  it("a message that names none is written as it is and does not count", () => {
    const { naming, ...plain } = message("plain")
    expect(naming).toBeDefined()
    const full = { namedAt: foldable(0, 1, 2, 3, 4).map(({ at }) => at), foldedAt: null, leakFoldedAt: START }
    expect(NamedMail.decide(full, plain, START)).toEqual({ count: full, message: plain })
  })

  it("the outbox is not given what it does not keep", () => {
    expect(play(foldable(0)).at(0)?.written).not.toHaveProperty("naming")
  })

  it("a message of a server whose clock is behind counts beside those of the others, in order of time", () => {
    const behind = Timestamp.plus(START, -40)
    const { count } = NamedMail.decide({ ...NamedMail.none, namedAt: [START] }, message("late"), behind)
    expect(count.namedAt).toEqual([behind, START])
  })
})

/** The milliseconds between two messages, mostly boundary values of the hour. */
const gap = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 1, MINUTE) },
  { weight: 3, arbitrary: fc.constantFrom(HOUR / 5, HOUR / 2, HOUR - 1, HOUR, HOUR + 1) },
  { weight: 1, arbitrary: fc.nat(2 * HOUR) }
)
/** Several messages at the same time. */
const burst = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Kind>("receipt") },
    { weight: 3, arbitrary: fc.constant<Kind>("leak") },
    { weight: 1, arbitrary: fc.constant<Kind>("decision") },
    { weight: 1, arbitrary: fc.constant<Kind>("hand-over") },
    { weight: 2, arbitrary: fc.constant<Kind>("notice") }
  ),
  { minLength: 1, maxLength: 6 }
)
const arrivals = fc.array(fc.record({ gap, burst }), { maxLength: 20 }).map((all): ReadonlyArray<Arrival> => {
  let at = START
  return all.flatMap((one) => {
    at = Timestamp.plus(at, one.gap)
    return one.burst.map((kind) => ({ at, kind }))
  })
})

/** A sentence about the first rule that is broken; undefined when none is. */
const broken = (all: ReadonlyArray<Arrival>, decide?: typeof NamedMail.decide): string | undefined => {
  const played = play(all, decide)
  type Played = (typeof played)[number]
  /**
   * Whether the written mail names the app. For the mail about a reviewer's decision only the subject counts: its body
   * may always name the app, because no reviewer decides a hundred times in an hour.
   */
  const hasName = ({ kind, written }: Played): boolean =>
    (kind === "decision" ? written?.subject : JSON.stringify(written))?.includes(NAME) === true
  const named = played.filter(hasName)
  const folded = played.filter(({ isOwn, written }) => written !== null && !isOwn)
  const nameless = played.filter((one) => one.kind === "leak" && one.isOwn && !hasName(one))
  const mostInAnHour = (some: typeof played) =>
    Math.max(0, ...some.map(({ at }) => some.filter((one) => one.at >= at && one.at - at < HOUR).length))
  if (mostInAnHour(named) > 5) return "more than five names in 60 minutes"
  if (mostInAnHour(folded) > 1) return "two folded messages in 60 minutes"
  if (mostInAnHour(nameless) > 1) return "two leaks without a name in 60 minutes"
  const isAlwaysWritten = ({ kind }: Played): boolean => kind === "decision" || kind === "hand-over"
  if (mostInAnHour(played.filter((one) => !isAlwaysWritten(one) && one.written !== null)) > 7) {
    return "more than seven messages in 60 minutes"
  }
  if (folded.some(hasName)) return "a folded message names an app"
  for (const [index, one] of played.entries()) {
    const before = played.slice(0, index).filter(({ at }) => one.at - at < HOUR)
    if (isAlwaysWritten(one) && !one.isOwn) return "a decision or a hand-over was not told"
    if (one.kind === "notice") {
      const isFree = before.filter(hasName).length < 3 && !before.some((other) => folded.includes(other))
      if (isFree && !hasName(one)) return "a notice was withheld while there was room"
      if (!isFree && one.written !== null) return "a notice took a place of receipts"
      continue
    }
    const standsFor = one.kind === "leak" ? nameless : folded
    const isAnnounced = one.written !== null || before.some((other) => standsFor.includes(other))
    if (!isAnnounced) return "a message was withheld that none stands for"
    if (one.kind === "leak" && one.written !== null && !one.isOwn) return "a leak was folded into another message"
    const hasRoom = before.filter(hasName).length < 5 && !before.some((other) => folded.includes(other))
    if (hasRoom && !hasName(one)) return "a name was withheld while there was room"
  }
  return undefined
}

describe("for any messages", () => {
  it("never more than five names, one folded message and one leak without a name in any 60 minutes, nothing withheld unsaid", () => {
    fc.assert(
      fc.property(arrivals, (all) => {
        expect(broken(all)).toBeUndefined()
      }),
      { numRuns: 500 }
    )
  })

  const PLANTED: Readonly<Record<string, typeof NamedMail.decide>> = {
    "six an hour": (count, one, now) =>
      NamedMail.decide({ ...count, namedAt: count.namedAt.slice(count.namedAt.length > 4 ? 1 : 0) }, one, now),
    "the sixth is dropped, and nothing says so": (count, one, now) => {
      const decided = NamedMail.decide(count, one, now)
      return decided.message?.dedupeKey.startsWith("folded") === true ? { ...decided, message: null } : decided
    },
    "a folded message for each": (count, one, now) => NamedMail.decide({ ...count, foldedAt: null }, one, now),
    "leaks without limit": (count, one, now) => NamedMail.decide({ ...count, leakFoldedAt: null }, one, now),
    "leaks without limit, their names in the body": (count, one, now) => {
      if (one.naming?._tag !== "Leak") return NamedMail.decide(count, one, now)
      return NamedMail.decide(count, { ...one, naming: { _tag: "Always", subject: one.naming.subject } }, now)
    },
    "once there is room again, the next leak without a name comes early": (count, one, now) => {
      const decided = NamedMail.decide(count, one, now)
      const isNamed = decided.message?.subject.includes(NAME) === true
      return isNamed ? { ...decided, count: { ...decided.count, leakFoldedAt: null } } : decided
    },
    "leaks are folded, too": (count, one, now) =>
      NamedMail.decide(count, one.naming?._tag === "Leak" ? { ...one, naming: NamedMail.foldable } : one, now),
    "no leak is mailed after a folded message": (count, one, now) =>
      NamedMail.decide({ ...count, leakFoldedAt: count.leakFoldedAt ?? count.foldedAt }, one, now),
    "leaks keep the name in their subject": (count, one, now) => {
      const { count: after, message: to } = NamedMail.decide(count, one, now)
      return {
        count: after,
        message: to !== null && one.naming?._tag === "Leak" ? { ...to, subject: one.subject } : to
      }
    },
    "leaks keep the name in their body": (count, one, now) => {
      const { count: after, message: to } = NamedMail.decide(count, one, now)
      return { count: after, message: to !== null && one.naming?._tag === "Leak" ? { ...to, body: one.body } : to }
    },
    "notices are folded like receipts": (count, one, now) =>
      NamedMail.decide(count, one.naming?._tag === "Notice" ? { ...one, naming: NamedMail.foldable } : one, now),
    "hand-overs keep the name in their body": (count, one, now) => {
      if (one.naming?._tag !== "Always") return NamedMail.decide(count, one, now)
      return NamedMail.decide(count, { ...one, naming: { _tag: "Always", subject: one.naming.subject } }, now)
    },
    "decisions are folded, too": (count, one, now) =>
      NamedMail.decide(count, one.naming?._tag === "Always" ? { ...one, naming: NamedMail.foldable } : one, now),
    "a window that begins anew at the hour": (count, one, now) => {
      const since = now - (now % HOUR)
      return NamedMail.decide({ ...count, namedAt: count.namedAt.filter((at) => at >= since) }, one, now)
    },
    "an hour is over a millisecond early": (count, one, now) =>
      NamedMail.decide({ ...count, namedAt: count.namedAt.filter((at) => now - at < HOUR - 1) }, one, now)
  }

  for (const [name, decide] of Object.entries(PLANTED)) {
    it(`sees what is planted: ${name}`, () => {
      const run = fc.check(
        fc.property(arrivals, (all) => broken(all, decide) === undefined),
        { numRuns: 2_000 }
      )
      expect(run.failed).toBe(true)
    })
  }
})
