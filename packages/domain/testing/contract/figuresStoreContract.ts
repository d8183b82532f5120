import { Effect } from "effect"
import { type LoggedCall, type AppHour, CALLS_KEPT, hourOf, HOURS_KEPT, NOTHING } from "../../src/figures/AppFigures.js"
import { type AttemptCount, ATTEMPTS_KEPT } from "../../src/figures/EndpointFigures.js"
import { FiguresStore } from "../../src/figures/FiguresStore.js"
import type { FiguresBatch } from "../../src/figures/Tally.js"
import type { RetentionKind } from "../../src/sweeps/Retention.js"
import { RetentionStore } from "../../src/sweeps/RetentionStore.js"
import * as Entropy from "../../src/shared/Entropy.js"
import { AppId, EndpointId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Samples from "./connection/connectionSamples.js"
import * as Webhooks from "./deliveries/webhookFixtures.js"

type Ports = Samples.ConnectionSamplePorts | Webhooks.WebhookFixturePorts | FiguresStore | RetentionStore

const { DAY, HOUR, plus } = Timestamp

const freshApp = Effect.map(Entropy.id("app"), (id) => AppId.make(id))
const freshEndpoint = Effect.map(Entropy.id("ep"), (id) => EndpointId.make(id))
const thisHour = Effect.map(Timestamp.now, hourOf)

const add = (batch: Partial<FiguresBatch>) =>
  Effect.flatMap(FiguresStore, (store) => store.add({ hours: [], calls: [], attempts: [], ...batch }))

const call = (appId: AppId, at: Timestamp.Timestamp, overrides: Partial<LoggedCall> = {}): LoggedCall => ({
  appId,
  at,
  requestId: "req_1",
  endpoint: "GET /v1/places/{place_id}/presence",
  status: 200,
  error: null,
  ...overrides
})

const attempts = (
  appId: AppId,
  endpointId: EndpointId,
  lastAt: Timestamp.Timestamp,
  overrides: Partial<AttemptCount> = {}
): AttemptCount => ({
  appId,
  endpointId,
  hour: hourOf(lastAt),
  isSuccess: true,
  upToMillis: 50,
  attempts: 1,
  lastAt,
  error: null,
  ...overrides
})

const remove = (kind: RetentionKind, until: Timestamp.Timestamp) =>
  Effect.flatMap(RetentionStore, (store) => store.remove(kind, until, 1_000))

/** What every `FiguresStore` must guarantee: counts of all processes add up, and each app has separate counts. */
export const figuresStoreContract: Contract<Ports> = [
  {
    name: "add: counts of the same hour add up, the greatest share of a rate stays, apps and hours are apart [figures-1]",
    run: Effect.gen(function* () {
      const [own, other, hour] = [yield* freshApp, yield* freshApp, yield* thisHour]
      const counts = { calls: 5, refused: 3, limited: 2, failed: 1, unlisted: 4, firings: 6, peakPercent: 70 }
      const row = (appId: AppId, overrides: Partial<AppHour> = {}): AppHour => ({
        appId,
        hour,
        ...counts,
        ...overrides
      })
      yield* add({ hours: [row(own), row(other, { calls: 1 })] })
      yield* add({ hours: [row(own, { hour: plus(hour, HOUR), ...NOTHING, calls: 9 })] })
      yield* add({ hours: [row(own, { peakPercent: 30 })] })
      const store = yield* FiguresStore
      Check.equal(
        yield* store.hours(own, hour, plus(hour, 2 * HOUR)),
        [
          {
            appId: own,
            hour,
            calls: 10,
            refused: 6,
            limited: 4,
            failed: 2,
            unlisted: 8,
            firings: 12,
            peakPercent: 70
          },
          { appId: own, hour: plus(hour, HOUR), ...NOTHING, calls: 9 }
        ],
        "the sums"
      )
      Check.equal((yield* store.hours(own, hour, plus(hour, HOUR))).length, 1, "the end of the range is exclusive")
      Check.equal((yield* store.hours(own, plus(hour, 1), plus(hour, HOUR))).length, 0, "its beginning is inclusive")
    })
  },
  {
    name: "add: of processes that count at the same time no count is lost [figures-1]",
    run: Effect.gen(function* () {
      const [one, two, hour] = [yield* freshApp, yield* freshApp, yield* thisHour]
      const rows = (ids: ReadonlyArray<AppId>) => ids.map((appId): AppHour => ({ appId, hour, ...NOTHING, calls: 1 }))
      yield* Effect.all(
        Array.from({ length: 20 }, (_, index) => add({ hours: rows(index % 2 === 0 ? [one, two] : [two, one]) })),
        { concurrency: 4 }
      )
      const store = yield* FiguresStore
      const sum = (id: AppId) => Effect.map(store.hours(id, hour, plus(hour, HOUR)), (found) => found[0]?.calls)
      Check.equal([yield* sum(one), yield* sum(two)], [20, 20], "calls")
    })
  },
  {
    name: "calls: newest first, page by page, of one app; the same call twice is one; refusals alone [figures-2]",
    run: Effect.gen(function* () {
      const [own, other, at] = [yield* freshApp, yield* freshApp, yield* Timestamp.now]
      const refused = { status: 429, error: "rate_limited" }
      yield* add({
        calls: [
          call(own, at, { requestId: "req_a" }),
          call(own, at, { requestId: "req_b", ...refused }),
          call(own, plus(at, -1), { requestId: "req_c" }),
          call(own, plus(at, 1), { requestId: "req_A", ...refused }),
          call(other, at)
        ]
      })
      yield* add({ calls: [call(own, at, { requestId: "req_a", status: 500 })] })
      const store = yield* FiguresStore
      const page = yield* store.calls(own, { refusedOnly: false }, 3, undefined)
      Check.equal(
        page.items.map(({ requestId }) => requestId),
        ["req_A", "req_b", "req_a"],
        "the first page"
      )
      Check.equal(page.items[0], call(own, plus(at, 1), { requestId: "req_A", ...refused }), "as it was stored")
      Check.equal(page.items[2]?.status, 200, "the first report of a call stays")
      const rest = yield* store.calls(own, { refusedOnly: false }, 3, page.next)
      Check.equal(
        rest.items.map(({ requestId }) => requestId),
        ["req_c"],
        "the second page"
      )
      Check.equal(rest.next, undefined, "and no third")
      Check.equal(
        (yield* store.calls(own, { refusedOnly: true }, 3, undefined)).items.map(({ requestId }) => requestId),
        ["req_A", "req_b"],
        "refusals"
      )
    })
  },
  {
    name: "attempts: counts of an endpoint's hour add up by outcome and bound, with the newest error [figures-3]",
    run: Effect.gen(function* () {
      const [own, endpoint, other] = [yield* freshApp, yield* freshEndpoint, yield* freshEndpoint]
      const at = yield* Timestamp.now
      const failed = { isSuccess: false, error: "answered 500" }
      yield* add({ attempts: [attempts(own, endpoint, at, { attempts: 3 }), attempts(own, other, at)] })
      yield* add({
        attempts: [
          attempts(own, endpoint, at, { attempts: 2 }),
          attempts(own, endpoint, at, failed),
          attempts(own, endpoint, plus(at, -8 * DAY))
        ]
      })
      // This report is about the same hour as an earlier report, but its attempt is older. So the error of the newer
      // attempt must stay.
      yield* add({
        attempts: [
          attempts(own, endpoint, plus(at, -1), { ...failed, hour: hourOf(at), error: "answered 404" }),
          attempts(own, endpoint, at, { upToMillis: 5_000 })
        ]
      })
      const store = yield* FiguresStore
      const found = yield* store.attempts(own, endpoint, plus(hourOf(at), -DAY))
      Check.equal(
        found,
        [
          attempts(own, endpoint, at, { ...failed, attempts: 2 }),
          attempts(own, endpoint, at, { attempts: 5 }),
          attempts(own, endpoint, at, { upToMillis: 5_000 })
        ],
        "the counts"
      )
    })
  },
  {
    name: "newest: the last success and the last failure of each endpoint, whatever the order of reports [figures-3]",
    run: Effect.gen(function* () {
      const [own, failing, quiet] = [yield* freshApp, yield* freshEndpoint, yield* freshEndpoint]
      const at = yield* Timestamp.now
      const failed = (when: Timestamp.Timestamp, error: string, upToMillis: number) =>
        attempts(own, failing, when, { isSuccess: false, error, upToMillis })
      yield* add({
        attempts: [
          attempts(own, failing, plus(at, -HOUR)),
          failed(at, "answered 500", 100),
          failed(plus(at, -10), "answered 404", 5_000),
          attempts(own, quiet, plus(at, -5)),
          attempts(own, yield* freshEndpoint, plus(at, -9 * DAY))
        ]
      })
      const newest = yield* (yield* FiguresStore).newest(own, plus(hourOf(at), -7 * DAY))
      const of = (id: EndpointId) => newest.filter(({ endpointId }) => endpointId === id)
      Check.equal(newest.length, 2, "endpoints with attempts since then")
      Check.equal(
        of(failing),
        [{ endpointId: failing, succeededAt: plus(at, -HOUR), failedAt: at, error: "answered 500" }],
        "the failing one"
      )
      Check.equal(
        of(quiet),
        [{ endpointId: quiet, succeededAt: plus(at, -5), failedAt: null, error: null }],
        "the other one"
      )
    })
  },
  {
    name: "waiting: the deliveries of one endpoint that have not ended",
    run: Effect.gen(function* () {
      const app = yield* Webhooks.ownedApp
      const [own, other] = [yield* Webhooks.endpoint(app.id), yield* Webhooks.endpoint(app.id)]
      yield* Webhooks.insertMany(own, 3)
      yield* Webhooks.insertMany(other, 1)
      const store = yield* FiguresStore
      Check.equal([yield* store.waiting(app.id, own.id), yield* store.waiting(app.id, other.id)], [3, 1], "before")
      const taken = yield* Webhooks.claimOne(other)
      yield* Webhooks.finish(taken, { _tag: "Delivered", at: yield* Timestamp.now }, null)
      Check.equal(yield* store.waiting(app.id, other.id), 0, "after its end")
    })
  },
  {
    name: "users: live connections, and new ones by the hour",
    run: Effect.gen(function* () {
      const store = yield* FiguresStore
      const hour = yield* thisHour
      const { app, connection } = yield* Samples.connected({ connectedAt: plus(hour, 5) })
      Check.equal(
        yield* store.users(app.id, hour),
        { live: 1, isAtMax: false, connected: [{ hour, count: 1 }] },
        "a connection of this hour"
      )
      Check.equal(yield* store.users(app.id, plus(hour, 6)), { live: 1, isAtMax: false, connected: [] }, "an older one")
      yield* Samples.change(connection.id, { _tag: "End", reason: "user_disconnected", at: plus(hour, 7) })
      Check.equal(
        yield* store.users(app.id, hour),
        { live: 0, isAtMax: false, connected: [{ hour, count: 1 }] },
        "an ended connection counts among the new ones only"
      )
    })
  },
  {
    name: "retention: calls for 7 days, counts for as long as a page shows them, that moment included [figures-2]",
    run: Effect.gen(function* () {
      const [own, endpoint, now] = [yield* freshApp, yield* freshEndpoint, yield* Timestamp.now]
      const store = yield* FiguresStore
      const hour = (at: Timestamp.Timestamp): AppHour => ({ appId: own, hour: at, ...NOTHING, calls: 1 })
      const [oldCall, oldHour, oldAttempts] = [-CALLS_KEPT, -HOURS_KEPT, -ATTEMPTS_KEPT].map((age) => plus(now, age))
      if (oldCall === undefined || oldHour === undefined || oldAttempts === undefined) return Check.fail("three ages")
      yield* add({
        calls: [call(own, oldCall), call(own, plus(oldCall, 1))],
        hours: [hour(oldHour), hour(plus(oldHour, 1))],
        attempts: [
          attempts(own, endpoint, oldAttempts, { hour: oldAttempts }),
          attempts(own, endpoint, oldAttempts, { hour: oldAttempts, isSuccess: false, error: "answered 500" }),
          attempts(own, endpoint, plus(oldAttempts, 1), { hour: plus(oldAttempts, 1) })
        ]
      })
      Check.isTrue((yield* remove("app_calls", oldCall)) >= 1, "calls are deleted")
      Check.isTrue((yield* remove("app_hours", oldHour)) >= 1, "counts are deleted")
      Check.isTrue((yield* remove("endpoint_hours", oldAttempts)) >= 2, "attempts are deleted")
      const calls = yield* store.calls(own, { refusedOnly: false }, 10, undefined)
      Check.equal(
        calls.items.map(({ at }) => at),
        [plus(oldCall, 1)],
        "a call a millisecond younger"
      )
      Check.equal((yield* store.hours(own, oldHour, now)).length, 1, "an hour a millisecond younger")
      Check.equal((yield* store.attempts(own, endpoint, oldAttempts)).length, 1, "attempts a millisecond younger")
    })
  }
]
