import { AppFigures, EndpointFigures, Tally } from "@place-access/domain/figures"
import { AppId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"

const APP = AppId.make("app_1")
const ENDPOINT = EndpointId.make("ep_1")
const AT = Timestamp.make(Date.UTC(2026, 2, 1, 12, 30))
const { HOUR, plus } = Timestamp

const call = (status: number, overrides: Partial<AppFigures.LoggedCall> = {}): AppFigures.LoggedCall => ({
  appId: APP,
  at: AT,
  requestId: "req_1",
  endpoint: "GET /v1/me",
  status,
  error: status < 400 ? null : "refused",
  ...overrides
})

describe("the counts of an app", () => {
  it("an answer is neither refused nor failed, 4xx is refused, 429 is limited too, 5xx failed", () => {
    const counts = [200, 403, 429, 503].map((status) => AppFigures.countsOf({ status }, null))
    expect(counts.map(({ failed, limited, refused }) => [refused, limited, failed])).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [1, 1, 0],
      [0, 0, 1]
    ])
  })

  it("an hour belongs to the stretch in which it begins; the end of a stretch is exclusive", () => {
    const hour = AppFigures.hourOf(AT)
    const rows = [hour, plus(hour, HOUR)].map((begins) => ({
      appId: APP,
      hour: begins,
      ...AppFigures.NOTHING,
      calls: 1
    }))
    const sums = (...edges: ReadonlyArray<number>) =>
      AppFigures.between(
        rows,
        edges.map((edge) => plus(hour, edge))
      ).map(({ calls }) => calls)
    expect(sums(0, HOUR, 2 * HOUR)).toEqual([1, 1])
    expect(sums(0, HOUR + 1)).toEqual([2])
    expect(sums(1, HOUR)).toEqual([0])
  })

  it("the share of a rate is rounded up, so that only an unused rate shows 0", () => {
    expect([600, 599, 300, 0].map((remaining) => AppFigures.percentUsed(600, remaining))).toEqual([0, 1, 50, 100])
  })
})

describe("the tally", () => {
  it("adds up the calls of an app's hour, and is empty after they were taken [figures-1]", () => {
    const tally = Tally.make()
    tally.called(call(200), 10)
    tally.called(call(429, { requestId: "req_2" }), 100)
    tally.called(call(200, { at: plus(AT, HOUR) }), null)
    for (const _ of [1, 2]) tally.fired(APP, AT)
    const hour = AppFigures.hourOf(AT)
    expect(tally.take()?.hours).toEqual([
      { appId: APP, hour, calls: 2, refused: 1, limited: 1, failed: 0, unlisted: 0, firings: 2, peakPercent: 100 },
      { appId: APP, hour: plus(hour, HOUR), ...AppFigures.NOTHING, calls: 1 }
    ])
    expect(tally.take()).toBeUndefined()
  })

  it("lists 30 answers and 50 calls of an app in all, so that refusals are seen; it counts every call [figures-2]", () => {
    const tally = Tally.make()
    const many = (status: number) => {
      for (let index = 0; index < 100; index++) tally.called(call(status, { requestId: `${status} ${index}` }), null)
    }
    many(200)
    many(403)
    const batch = tally.take()
    expect(batch?.calls.filter(({ status }) => status === 200)).toHaveLength(Tally.LISTED_ANSWERS)
    expect(batch?.calls).toHaveLength(Tally.LISTED_OF_APP)
    expect(batch?.hours[0]).toMatchObject({ calls: 200, refused: 100, unlisted: 150 })
  })

  it("of one app cannot fill the list of another, and all apps together have a bounded list [figures-1]", () => {
    const tally = Tally.make()
    for (let app = 0; app < Tally.ROWS + 5; app++) tally.called(call(500, { appId: AppId.make(`app_${app}`) }), null)
    const batch = tally.take()
    expect(batch?.calls).toHaveLength(Tally.LISTED)
    expect(batch?.hours).toHaveLength(Tally.ROWS)
  })

  it("counts attempts by outcome and duration, with the error of the newest [figures-3]", () => {
    const tally = Tally.make()
    const attempted = (tookMillis: number, error: string | null, endedAt = AT) =>
      tally.attempted({ appId: APP, endpointId: ENDPOINT, endedAt, tookMillis, error })
    attempted(40, null)
    attempted(50, null)
    attempted(51, null)
    attempted(40, "answered 500", plus(AT, 1))
    attempted(40, "answered 404")
    const counts = tally.take()?.attempts ?? []
    expect(counts.map((one) => [one.isSuccess, one.upToMillis, one.attempts, one.error])).toEqual([
      [true, 50, 2, null],
      [true, 75, 1, null],
      [false, 50, 2, "answered 500"]
    ])
  })
})

const counted = (overrides: Partial<EndpointFigures.AttemptCount>): EndpointFigures.AttemptCount => ({
  appId: APP,
  endpointId: ENDPOINT,
  hour: AppFigures.hourOf(AT),
  isSuccess: true,
  upToMillis: 50,
  attempts: 1,
  lastAt: AT,
  error: null,
  ...overrides
})

describe("the figures of an endpoint", () => {
  it("95 of 100 attempts took at most p95 [figures-3]", () => {
    const p95 = (...rows: ReadonlyArray<readonly [number, number]>) =>
      EndpointFigures.summary(
        rows.map(([upToMillis, attempts]) => counted({ upToMillis, attempts })),
        Timestamp.make(0)
      ).p95Millis
    expect(p95()).toBeNull()
    expect(p95([50, 1])).toBe(50)
    expect(p95([5_000, 5], [50, 95])).toBe(50)
    expect(p95([5_000, 6], [50, 94])).toBe(5_000)
  })

  it("a duration belongs to the smallest bound that is not below it; what is late, to the last", () => {
    expect([0, 10, 11, 5_000, 5_001, 60_000].map(EndpointFigures.boundOf)).toEqual([10, 10, 25, 5_000, 10_000, 10_000])
  })

  it("counts successes among the attempts of hours from the given one on", () => {
    const hour = AppFigures.hourOf(AT)
    const rows = [
      counted({ attempts: 3 }),
      counted({ attempts: 1, isSuccess: false }),
      counted({ attempts: 9, hour: plus(hour, -HOUR) })
    ]
    expect(EndpointFigures.summary(rows, hour)).toEqual({ attempts: 4, succeeded: 3, p95Millis: 50 })
  })

  it("an endpoint fails from its first failed attempt until one succeeds [figures-3]", () => {
    const health = (succeededAt: number | null, failedAt: number | null) =>
      EndpointFigures.health({
        succeededAt: succeededAt === null ? null : plus(AT, succeededAt),
        failedAt: failedAt === null ? null : plus(AT, failedAt),
        error: "answered 500"
      })._tag
    expect(health(null, null)).toBe("Unknown")
    expect(health(0, null)).toBe("Healthy")
    expect(health(null, 0)).toBe("Failing")
    expect(health(0, 1)).toBe("Failing")
    expect(health(1, 0)).toBe("Healthy")
  })
})
