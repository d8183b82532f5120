import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { Delivery, RetrySchedule, Signature } from "@place-access/domain/deliveries"
import { AppId, DeliveryId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"

const T0 = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const { DAY, HOUR, MINUTE, SECOND } = Timestamp
const at = (millis: number) => Timestamp.plus(T0, millis)

const answered = (status: number): WebhookAnswer => ({ _tag: "Answered", status, snippet: "" })
const UNREACHABLE: WebhookAnswer = { _tag: "Unreachable", detail: "connection refused" }
const NOT_SENT: WebhookAnswer = { _tag: "NotSent", detail: "no resolver" }

describe("retry schedule [§6.4.6]", () => {
  it("30 s, 5 min, 30 min, 2 h, 6 h, 15 h after the end of the previous attempt; seven attempts in all [§6.4.6, §8-attempts, W2]", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => RetrySchedule.nextDue(attempt, T0))
    expect(waits).toEqual([
      at(30 * SECOND),
      at(5 * MINUTE),
      at(30 * MINUTE),
      at(2 * HOUR),
      at(6 * HOUR),
      at(15 * HOUR),
      undefined
    ])
    expect(RetrySchedule.MAX_ATTEMPTS).toBe(7)
  })

  it("the last attempt is 23 h 35 min 30 s after the first when attempts take no time", () => {
    let now = T0
    for (let attempt = 1; attempt < RetrySchedule.MAX_ATTEMPTS; attempt++) {
      now = RetrySchedule.nextDue(attempt, now) ?? T0
    }
    expect(now - T0).toBe(23 * HOUR + 35 * MINUTE + 30 * SECOND)
  })
})

describe("after an attempt [§3.5]", () => {
  it.each([200, 201, 202, 204, 226, 299])("%i is a success [§3.5-arrives]", (status) => {
    expect(Delivery.afterAttempt({ ...TEMPLATE, attempt: 3 }, answered(status), T0)).toEqual({
      _tag: "Delivered",
      at: T0
    })
  })

  it.each([100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599])(
    "%i is a failure like any other [§6.4.5, deliveries-1]",
    (status) => {
      expect(Delivery.afterAttempt(TEMPLATE, answered(status), T0)).toEqual({
        _tag: "Retry",
        attempt: 2,
        dueAt: at(30 * SECOND)
      })
    }
  )

  it("a delivery is due when its event becomes too old, if the next attempt would be due later [§3.5-ages]", () => {
    const envelope = { ...TEMPLATE.envelope, occurredAt: T0 }
    const due = (attempt: number, endedAt: Timestamp.Timestamp) =>
      Delivery.afterAttempt({ ...TEMPLATE, envelope, attempt, maxEventAgeS: 3_600 }, answered(500), endedAt)
    // The event may be sent until it is an hour old. If the third attempt ends when the event is 30 minutes old, the
    // fourth attempt is due exactly when the event is an hour old, and this attempt is still allowed.
    expect(due(3, at(30 * MINUTE))).toEqual({ _tag: "Retry", attempt: 4, dueAt: at(HOUR) })
    expect(due(3, at(30 * MINUTE + 1))).toEqual({ _tag: "Retry", attempt: 4, dueAt: at(HOUR + 1) })
    expect(due(3, at(30 * MINUTE + 2))).toEqual({ _tag: "Retry", attempt: 4, dueAt: at(HOUR + 1) })
    expect(due(4, at(36 * MINUTE))).toEqual({ _tag: "Retry", attempt: 5, dueAt: at(HOUR + 1) })
    // If the event became too old during the attempt, the retry is due at a time that has already passed.
    expect(due(4, at(HOUR + 3 * SECOND))).toEqual({ _tag: "Retry", attempt: 5, dueAt: at(HOUR + 1) })
    // The seventh attempt is the last, even for an event that is not too old yet.
    expect(due(7, at(36 * MINUTE))).toEqual({ _tag: "Failed", at: at(36 * MINUTE), reason: "exhausted" })
  })

  it("the seventh failure is the end, exhausted [§3.5-used-up]", () => {
    for (const answer of [answered(500), UNREACHABLE]) {
      expect(Delivery.afterAttempt({ ...TEMPLATE, attempt: 7 }, answer, T0)).toEqual({
        _tag: "Failed",
        at: T0,
        reason: "exhausted"
      })
    }
  })

  it("a fault of our own spends no attempt, not even the last one", () => {
    for (const attempt of [1, 7]) {
      expect(Delivery.afterAttempt({ ...TEMPLATE, attempt }, NOT_SENT, T0)).toEqual({
        _tag: "Postponed",
        dueAt: at(5 * SECOND),
        faultsSince: T0
      })
    }
  })

  /**
   * A delivery whose four attempts, at `T0` and 24, 48 and 71 hours later, failed because of the service's own faults.
   * The delivery is due at `endedAt`.
   */
  const faultsUntil = (endedAt: Timestamp.Timestamp): Delivery.Delivery => {
    let delivery = Delivery.move(TEMPLATE, Delivery.afterAttempt(TEMPLATE, NOT_SENT, T0))
    for (const hours of [24, 48, 71]) {
      const dueAt = at(hours * HOUR)
      delivery = Delivery.move({ ...delivery, dueAt }, Delivery.afterAttempt({ ...delivery, dueAt }, NOT_SENT, dueAt))
    }
    return { ...delivery, dueAt: endedAt }
  }

  it("but with a limit: after three days of these faults it ends, and does not count against the endpoint [W3-faults]", () => {
    const last = at(3 * DAY)
    expect(Delivery.afterAttempt(faultsUntil(last), NOT_SENT, last)).toMatchObject({
      _tag: "Postponed",
      faultsSince: T0
    })
    const late = at(3 * DAY + 1)
    const end = Delivery.afterAttempt(faultsUntil(late), NOT_SENT, late)
    expect(end).toEqual({ _tag: "Failed", at: late, reason: "not_sent" })
    expect(Delivery.effectOnEndpoint({ replayNo: 0, isTest: false, isHurried: false }, end)).toBe("none")
  })

  it("the three days begin with the first of these faults, however long the delivery waited before [W3-pause]", () => {
    const now = at(30 * DAY)
    const first = Delivery.afterAttempt(TEMPLATE, NOT_SENT, now)
    expect(first).toMatchObject({ _tag: "Postponed", faultsSince: now })
    const late = Timestamp.plus(now, 3 * DAY + 1)
    const waiting = { ...Delivery.move(TEMPLATE, first), dueAt: late }
    expect(Delivery.afterAttempt(waiting, NOT_SENT, late)._tag).toBe("Failed")
  })

  it("the three days begin again after a pause of more than an hour, in which no worker tried [W3-pause]", () => {
    const waiting = Delivery.move(TEMPLATE, Delivery.afterAttempt(TEMPLATE, NOT_SENT, T0))
    for (const [pause, since] of [
      [HOUR, T0],
      [HOUR + 1, at(5 * SECOND + HOUR + 1)]
    ] as const) {
      const how = Delivery.afterAttempt(waiting, NOT_SENT, at(5 * SECOND + pause))
      expect(how).toMatchObject({ _tag: "Postponed", faultsSince: since })
    }
    expect(Delivery.afterAttempt(waiting, NOT_SENT, at(4 * DAY))._tag).toBe("Postponed")
  })

  it("a receiver's answer ends the faults: the next attempt has three days of its own [W3-faults]", () => {
    const waiting = faultsUntil(at(2 * DAY))
    const retried = Delivery.move(waiting, Delivery.afterAttempt(waiting, UNREACHABLE, at(2 * DAY)))
    expect(retried.faultsSince).toBeNull()
  })

  it("a clock that was set back during an attempt makes its time no less than nothing", () => {
    const row = Delivery.attemptOf(1, answered(200), at(5_000), T0)
    expect([row?.startedAt, row?.endedAt]).toEqual([at(5_000), at(5_000)])
  })

  it("the log says what the receiver did, and nothing when nothing was sent", () => {
    const log = (answer: WebhookAnswer) => Delivery.attemptOf(2, answer, T0, at(12))
    const row = { attempt: 2, startedAt: T0, endedAt: at(12) }
    expect(log({ _tag: "Answered", status: 204, snippet: "" })).toEqual({
      ...row,
      status: 204,
      error: null,
      snippet: ""
    })
    expect(log({ _tag: "Answered", status: 302, snippet: "moved" })).toEqual({
      ...row,
      status: 302,
      error: "answered 302",
      snippet: "moved"
    })
    expect(log(UNREACHABLE)).toEqual({ ...row, status: null, error: "connection refused", snippet: null })
    expect(log(NOT_SENT)).toBeNull()
  })
})

describe("a lease that runs out [W2]", () => {
  it("twice the attempt is made again at once, then after the schedule's waits, once more after that, and no tenth time", () => {
    const due = Array.from({ length: 10 }, (_, lapses) => Delivery.dueAfterLapse(T0, lapses, at(HOUR)))
    const waits = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]
    expect(due).toEqual([T0, T0, ...waits.map((wait) => at(HOUR + wait)), T0, undefined])
    expect(Delivery.MAX_LAPSES).toBe(9)
  })
})

describe("too old [§4.6.8, T3]", () => {
  it.each([
    [30 * SECOND, false],
    [30 * SECOND + 1, true],
    [30 * SECOND - 1, false],
    [-5 * MINUTE, false]
  ])("with a limit of 30 s an event of age %i ms: %s", (age, expected) => {
    expect(Delivery.isTooOld({ occurredAt: T0, maxEventAgeS: 30 }, at(age))).toBe(expected)
  })

  it("an event without a limit is never too old", () => {
    expect(Delivery.isTooOld({ occurredAt: T0, maxEventAgeS: null }, at(400 * DAY))).toBe(false)
  })

  it("an event becomes too old a millisecond after its limit, and without a limit never [§3.5-ages]", () => {
    const envelope = { ...TEMPLATE.envelope, occurredAt: T0 }
    const tooOldAt = (maxEventAgeS: number | null) => Delivery.tooOldAt({ envelope, maxEventAgeS })
    expect(tooOldAt(30)).toBe(at(30 * SECOND + 1))
    expect(tooOldAt(null)).toBeNull()
    expect(Delivery.isTooOld({ occurredAt: T0, maxEventAgeS: 30 }, tooOldAt(30)!)).toBe(true)
  })
})

describe("what counts against an endpoint [§6.4.7]", () => {
  const first = { replayNo: 0, isTest: false, isHurried: false }
  const ends: ReadonlyArray<Delivery.DeliveryFinish> = [
    { _tag: "Delivered", at: T0 },
    { _tag: "Failed", at: T0, reason: "exhausted" },
    { _tag: "Failed", at: T0, reason: "not_authorised" },
    { _tag: "Failed", at: T0, reason: "endpoint_disabled" },
    { _tag: "Failed", at: T0, reason: "endpoint_removed" },
    { _tag: "TooOld", at: T0 },
    { _tag: "Retry", attempt: 2, dueAt: T0 },
    { _tag: "Postponed", dueAt: T0, faultsSince: T0 }
  ]

  it("exhausted against, delivered for, anything else neither [§6.4.7]", () => {
    const effects = ends.map((end) => Delivery.effectOnEndpoint(first, end))
    expect(effects).toEqual(["clear", "strike", "none", "none", "none", "none", "none", "none"])
  })

  it("of a replay, a test or an attempt that was brought forward by hand nothing", () => {
    for (const row of [
      { ...first, replayNo: 1 },
      { ...first, isTest: true },
      { ...first, isHurried: true }
    ]) {
      expect(new Set(ends.map((end) => Delivery.effectOnEndpoint(row, end)))).toEqual(new Set(["none"]))
    }
  })
})

/**
 * A second implementation of §3.5 and §6.4.6, written from the specification. It returns the times of the attempts, in
 * seconds from the first, for the given results and durations of the POSTs.
 */
const expected = (answers: ReadonlyArray<{ readonly kind: "ok" | "no" | "ours"; readonly takesMs: number }>) => {
  const steps = [30, 300, 1_800, 7_200, 21_600, 54_000]
  const posts: Array<number> = []
  let clock = 0
  let failures = 0
  for (const { kind, takesMs } of answers) {
    posts.push(clock)
    clock += takesMs
    if (kind === "ok") return { posts, state: "delivered", attempt: failures + 1, end: clock }
    if (kind === "ours") {
      clock += 5_000
      continue
    }
    const step = steps[failures]
    failures++
    if (step === undefined) return { posts, state: "failed", attempt: 7, end: clock }
    clock += step * 1_000
  }
  return { posts, state: "trying", attempt: failures + 1, end: clock }
}

const answerSeries = fc.array(
  fc.record({
    kind: fc.constantFrom("ok" as const, "no" as const, "no" as const, "no" as const, "no" as const, "ours" as const),
    takesMs: fc.constantFrom(0, 0, 1, 4_999, 5_000)
  }),
  { maxLength: 24 }
)

describe("the life of a delivery", () => {
  it("for any series of answers: attempts, waits and end as the specification says [§6.4.6]", () => {
    fc.assert(
      fc.property(answerSeries, (answers) => {
        let delivery = { ...TEMPLATE }
        const posts: Array<number> = []
        let end = 0
        for (const { kind, takesMs } of answers) {
          if (delivery.dueAt === null) break
          posts.push(delivery.dueAt - T0)
          const endedAt = Timestamp.plus(delivery.dueAt, takesMs)
          const answer = kind === "ok" ? answered(200) : kind === "ours" ? NOT_SENT : UNREACHABLE
          delivery = Delivery.move(delivery, Delivery.afterAttempt(delivery, answer, endedAt))
          end = (delivery.dueAt ?? endedAt) - T0
        }
        expect({ posts, state: delivery.state, attempt: delivery.attempt, end }).toEqual(expected(answers))
      }),
      { numRuns: 500 }
    )
  })

  /** A second list of what each step changes, written from the specification. */
  const STEPS: ReadonlyArray<readonly [Delivery.DeliveryStep, Partial<Delivery.Delivery>]> = [
    [
      { _tag: "Delivered", at: at(9) },
      { state: "delivered", dueAt: null, endedAt: at(9) }
    ],
    [
      { _tag: "Failed", at: at(9), reason: "exhausted" },
      { state: "failed", failReason: "exhausted", dueAt: null, endedAt: at(9) }
    ],
    [
      { _tag: "TooOld", at: at(9) },
      { state: "too_old", dueAt: null, endedAt: at(9) }
    ],
    [
      { _tag: "Retry", attempt: 5, dueAt: at(9) },
      { attempt: 5, dueAt: at(9), isHurried: false, faultsSince: null }
    ],
    [
      { _tag: "Postponed", dueAt: at(9), faultsSince: at(8) },
      { dueAt: at(9), faultsSince: at(8) }
    ],
    [{ _tag: "Claimed", dueAt: at(9) }, { dueAt: at(9) }],
    [
      { _tag: "Hurried", dueAt: at(9) },
      { dueAt: at(9), isHurried: true }
    ]
  ]

  it.each(STEPS)(
    "$_tag changes these fields and no other; an ended delivery stays as it is [§3.5]",
    (step, changes) => {
      for (const isHurried of [false, true]) {
        const before = { ...TEMPLATE, attempt: 4, isHurried, faultsSince: at(7) }
        expect(Delivery.move(before, step)).toEqual({ ...before, ...changes })
        for (const state of ["delivered", "failed", "too_old"] as const) {
          const ended = { ...before, state, dueAt: null, endedAt: T0 }
          expect(Delivery.move(ended, step)).toEqual(ended)
        }
      }
    }
  )

  it("once ended it has no due time and keeps its result", () => {
    for (const finish of [
      { _tag: "Delivered", at: T0 },
      { _tag: "TooOld", at: T0 },
      { _tag: "Failed", at: T0, reason: "not_authorised" }
    ] as const) {
      const ended = Delivery.move(TEMPLATE, finish)
      expect([ended.dueAt, ended.endedAt]).toEqual([null, T0])
    }
  })
})

const TEMPLATE: Delivery.Delivery = {
  appId: "app_1" as Delivery.Delivery["appId"],
  id: "dlv_1" as Delivery.Delivery["id"],
  endpointId: "ep_1" as Delivery.Delivery["endpointId"],
  envelope: {
    eventId: "evt_1" as Delivery.Delivery["envelope"]["eventId"],
    appId: "app_1" as Delivery.Delivery["appId"],
    grantId: null,
    payload: { type: "ping" },
    occurredAt: T0
  },
  userId: null,
  maxEventAgeS: null,
  state: "trying",
  failReason: null,
  attempt: 1,
  dueAt: T0,
  createdAt: T0,
  endedAt: null,
  replayNo: 0,
  isTest: false,
  isHurried: false,
  faultsSince: null,
  originalAt: T0
}

describe("signature header [§6.4.2]", () => {
  it("signs whole unix seconds, a dot and the raw body [§6.4.2]", () => {
    expect(Signature.message(Timestamp.make(1_700_000_000_999), '{"a":1}')).toBe('1700000000.{"a":1}')
  })

  it("carries t and one v1 per secret, the newest first", () => {
    expect(Signature.header(Timestamp.make(1_700_000_000_999), ["aa", "bb"])).toBe("t=1700000000,v1=aa,v1=bb")
  })
})

describe("the row of an attempt in the log", () => {
  const exchange = { url: "https://app.example/hook", request: [], response: [] }

  it("has the exchange when there was one, and lacks the field otherwise", () => {
    expect(Delivery.attemptOf(2, answered(204), T0, at(SECOND), exchange)).toEqual({
      attempt: 2,
      startedAt: T0,
      endedAt: at(SECOND),
      status: 204,
      error: null,
      snippet: "",
      exchange
    })
    expect(Delivery.attemptOf(1, UNREACHABLE, T0, at(SECOND))).toStrictEqual({
      attempt: 1,
      startedAt: T0,
      endedAt: at(SECOND),
      status: null,
      error: "connection refused",
      snippet: null
    })
  })

  it("never ends before it begins, when the clock was set back during it", () => {
    expect(Delivery.attemptOf(1, answered(500), T0, at(-1))).toMatchObject({ startedAt: T0, endedAt: T0 })
  })
})

describe("what may be sent", () => {
  const envelope = { payload: { type: "ping" }, occurredAt: T0, grantId: null } as never

  it("a ping is about nobody and needs no permission, however old it is", () => {
    const ping = { appId: AppId.make("app_1"), envelope, maxEventAgeS: 30, createdAt: T0, originalAt: T0 }
    expect(Delivery.verdict(ping, Option.none(), at(DAY))).toBe("send")
  })

  const scopes = ["location.rules.place"] as const
  const authorisation = {
    connection: {
      appId: AppId.make("app_1"),
      heldScopes: scopes,
      standardExpiresAt: null,
      sensitiveExpiresAt: null,
      endedAt: null,
      pause: null
    },
    app: { declaredScopes: scopes, allowedScopes: null, revokedAt: null },
    ruleStands: true
  }
  const payload = { type: "place.enter", ruleId: "rul_1", placeId: "plc_1", label: "Home" }
  const made = (
    originalAt: Timestamp.Timestamp,
    occurredAt: Timestamp.Timestamp,
    maxEventAgeS: number | null = null
  ) => ({
    appId: AppId.make("app_1"),
    envelope: { appId: AppId.make("app_1"), payload, occurredAt, grantId: null } as never,
    maxEventAgeS,
    createdAt: originalAt,
    originalAt
  })

  it("no event that waited when a pause began, also when the clock of the phone was ahead [connection-5]", () => {
    const connection = { ...authorisation.connection, pause: { from: at(MINUTE), until: at(3 * MINUTE) } }
    const verdict = (delivery: ReturnType<typeof made>) =>
      Delivery.verdict(delivery, Option.some({ ...authorisation, connection }), at(5 * MINUTE))
    expect(verdict(made(T0, at(4 * MINUTE)))).toBe("not_authorised")
    expect(verdict(made(at(4 * MINUTE), at(2 * MINUTE)))).toBe("not_authorised")
    expect(verdict(made(at(3 * MINUTE), at(4 * MINUTE)))).toBe("send")
  })

  it("during a suspension an event waits, but not for longer than its rule or the limit allows [staff-1]", () => {
    const verdict = (delivery: ReturnType<typeof made>, now: number, wasSuspended?: true) =>
      Delivery.verdict(
        delivery,
        Option.some({ ...authorisation, isSuspended: true, ...(wasSuspended ? { wasSuspended } : {}) }),
        at(now)
      )
    expect(verdict(made(T0, T0), Delivery.SUSPENDED_LIMIT)).toBe("suspended")
    expect(verdict(made(T0, T0), Delivery.SUSPENDED_LIMIT + 1)).toBe("not_authorised")
    expect(verdict({ ...made(T0, T0), createdAt: at(1) }, Delivery.SUSPENDED_LIMIT + 1)).toBe("suspended")
    expect(verdict(made(T0, T0, 60), MINUTE)).toBe("suspended")
    expect(verdict(made(T0, T0, 60), MINUTE + 1)).toBe("too_old")
    expect(verdict(made(T0, T0), MINUTE, true)).toBe("not_authorised")
  })

  it("waits for the end of a suspension for a twentieth of its age, 10 minutes at least and an hour at most [staff-1]", () => {
    const wait = (minutes: number) => Delivery.suspendedWait(minutes * MINUTE) / MINUTE
    expect([0, 200, 220, 1_200, 1_300].map(wait)).toEqual([10, 10, 11, 60, 60])
  })
})

describe("the order of claims [deliveries-16]", () => {
  const row = (id: string, dueAt: Timestamp.Timestamp | null) => ({ id: DeliveryId.make(id), dueAt })

  it("by due time, then by the codes of the id's characters; a row without a due time first", () => {
    const rows = [
      row("dlv_b", at(1)),
      row("dlv_a", at(2)),
      row("dlv_B", at(1)),
      row("dlv_c", null),
      row("dlv_a2", at(1))
    ]
    expect(rows.sort(Delivery.byDueTime).map(({ id }) => id)).toEqual(["dlv_c", "dlv_B", "dlv_a2", "dlv_b", "dlv_a"])
  })
})
