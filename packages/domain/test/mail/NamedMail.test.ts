import { type Mail, NamedMail } from "@place-access/domain/mail"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const { HOUR, MINUTE } = Timestamp
const READER = UserId.make("usr_reader")
const NAME = "Your Bank"

interface Arrival {
  readonly at: Timestamp.Timestamp
  readonly isLeak: boolean
}

const message = (key: string, isLeak = false): Mail.MailMessage => ({
  to: READER,
  dedupeKey: key,
  subject: `You connected ${NAME}`,
  body: `You connected ${NAME}.`,
  naming: isLeak ? { _tag: "Always", subject: "An app was disconnected" } : NamedMail.foldable
})

/** What was written for each of the messages that arrive. */
const play = (arrivals: ReadonlyArray<Arrival>, decide = NamedMail.decide) => {
  let count = NamedMail.none
  return arrivals.map(({ at, isLeak }, index) => {
    const decided = decide(count, message(`message ${index}`, isLeak), at)
    count = decided.count
    return { at, isLeak, isOwn: decided.message?.dedupeKey === `message ${index}`, written: decided.message }
  })
}

const foldable = (...at: ReadonlyArray<number>): ReadonlyArray<Arrival> =>
  at.map((millis) => ({ at: Timestamp.plus(START, millis), isLeak: false }))

const written = (arrivals: ReadonlyArray<Arrival>) => play(arrivals).map((one) => one.written?.subject ?? null)

const NAMED = `You connected ${NAME}`
const FOLDED = "We stop writing about your apps for an hour"

describe("messages that name an app", () => {
  it("are five an hour: the fifth is written as it is, the sixth is folded, the seventh is not written", () => {
    expect(written(foldable(0, 1, 2, 3, 4, 5, 6))).toEqual([NAMED, NAMED, NAMED, NAMED, NAMED, FOLDED, null])
  })

  it("count for less than 60 minutes: the sixth is folded at 59:59.999 and written at 60:00.000", () => {
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

  it("about a leak are always written, beyond the limit under a subject that names no app, and fold nothing", () => {
    const leak = (at: number): Arrival => ({ at: Timestamp.plus(START, at), isLeak: true })
    expect(written([...foldable(0, 1, 2, 3), leak(4), leak(5), ...foldable(6, 7), leak(8)])).toEqual([
      ...Array<string>(5).fill(NAMED),
      "An app was disconnected",
      FOLDED,
      null,
      "An app was disconnected"
    ])
  })

  it("a message that names none is written as it is and does not count", () => {
    const { naming, ...plain } = message("plain")
    expect(naming).toBeDefined()
    const full = { namedAt: foldable(0, 1, 2, 3, 4).map(({ at }) => at), foldedAt: null }
    expect(NamedMail.decide(full, plain, START)).toEqual({ count: full, message: plain })
  })

  it("the outbox is not given what it does not keep", () => {
    expect(play(foldable(0)).at(0)?.written).not.toHaveProperty("naming")
  })

  it("a message of a server whose clock is behind counts beside those of the others, in order of time", () => {
    const behind = Timestamp.plus(START, -40)
    const { count } = NamedMail.decide({ namedAt: [START], foldedAt: null }, message("late"), behind)
    expect(count.namedAt).toEqual([behind, START])
  })
})

/** Milliseconds between messages, mostly at the edges of the hour. */
const gap = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 1, MINUTE) },
  { weight: 3, arbitrary: fc.constantFrom(HOUR / 5, HOUR / 2, HOUR - 1, HOUR, HOUR + 1) },
  { weight: 1, arbitrary: fc.nat(2 * HOUR) }
)
/** So many at once. */
const burst = fc.array(
  fc.nat(7).map((one) => one === 0),
  { minLength: 1, maxLength: 6 }
)
const arrivals = fc.array(fc.record({ gap, burst }), { maxLength: 20 }).map((all): ReadonlyArray<Arrival> => {
  let at = START
  return all.flatMap((one) => {
    at = Timestamp.plus(at, one.gap)
    return one.burst.map((isLeak) => ({ at, isLeak }))
  })
})

/** The first rule that is broken, in words. */
const broken = (all: ReadonlyArray<Arrival>, decide?: typeof NamedMail.decide): string | undefined => {
  const played = play(all, decide)
  const named = played.filter(({ written }) => written?.subject.includes(NAME))
  const folded = played.filter(({ isOwn, written }) => written !== null && !isOwn)
  const mostInAnHour = (some: typeof played) =>
    Math.max(0, ...some.map(({ at }) => some.filter((one) => one.at >= at && one.at - at < HOUR).length))
  if (mostInAnHour(named) > 5) return "more than five names in 60 minutes"
  if (mostInAnHour(folded) > 1) return "two folded messages in 60 minutes"
  if (folded.some(({ written }) => JSON.stringify(written).includes(NAME))) return "a folded message names an app"
  for (const [index, { at, isLeak, isOwn }] of played.entries()) {
    if (isLeak && !isOwn) return "a leak was not told"
    const isAnnounced = folded.some((one) => one.at <= at && at - one.at < HOUR)
    if (!isOwn && !isAnnounced) return "a message was withheld that no folded message stands for"
    const before = played.slice(0, index).filter((one) => at - one.at < HOUR)
    const hasRoom = before.filter(({ written }) => written?.subject.includes(NAME)).length < 5
    if (hasRoom && before.every((one) => one.isOwn) && !isOwn) return "a message was withheld while there was room"
  }
  return undefined
}

describe("for any messages", () => {
  it("never more than five names nor two folded messages in any 60 minutes, nothing withheld unsaid, every leak told", () => {
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
    "leaks are folded, too": (count, one, now) =>
      NamedMail.decide(count, one.naming === undefined ? one : { ...one, naming: NamedMail.foldable }, now),
    "leaks keep the name": (count, one, now) => {
      const { count: after, message: to } = NamedMail.decide(count, one, now)
      return {
        count: after,
        message: to !== null && one.naming?._tag === "Always" ? { ...to, subject: one.subject } : to
      }
    },
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
