import { Effect, Option } from "effect"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import { DeliveryStore, type DeliveryFilter } from "../../../src/deliveries/DeliveryStore.js"
import type { WebhookEndpoint } from "../../../src/endpoints/WebhookEndpoint.js"
import { EventId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import {
  claim,
  claimOne,
  draft,
  endpointNow,
  finish,
  first,
  found,
  insert,
  type WebhookFixturePorts,
  of,
  withEndpoints
} from "./webhookFixtures.js"

const testOf = (endpoint: WebhookEndpoint, reason: Delivery.FailReason = "exhausted") =>
  Effect.gen(function* () {
    const row = yield* draft(endpoint)
    const envelope = { ...row.envelope, grantId: null, payload: { type: "ping" } as const }
    const begun = Delivery.begin({ ...row, envelope, userId: null })
    const at = Timestamp.plus(row.createdAt, 40)
    const failed = Delivery.move({ ...begun, isTest: true }, { _tag: "Failed", at, reason })
    const attempt = {
      attempt: 1,
      startedAt: row.createdAt,
      endedAt: at,
      status: 404,
      error: "answered 404",
      snippet: ""
    }
    return { failed, attempt }
  })

const listed = (endpoint: WebhookEndpoint, filter: DeliveryFilter) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* DeliveryStore).list(endpoint.appId, filter, 100, undefined)
    return items.map(({ delivery }) => delivery.id)
  })

/** What every `DeliveryStore` must guarantee about the delivery log (Spec §2.9). */
export const logging: Contract<WebhookFixturePorts> = [
  {
    name: "recordTest: the log has it, marked as a test; it is never claimed and never counts",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const { failed, attempt } = yield* testOf(endpoint)
        yield* store.recordTest(failed, attempt)
        Check.equal(yield* found(failed), { delivery: failed, isReplayed: false, attempts: [attempt] }, "found")
        const page = yield* store.list(endpoint.appId, {}, 10, undefined)
        Check.equal(page.items, [{ delivery: failed, isReplayed: false, lastAttempt: attempt }], "listed")
        Check.equal(of(yield* claim(), endpoint), [], "not claimed")
        Check.equal(yield* endpointNow(endpoint), endpoint, "not counted")
      })
    )
  },
  {
    name: "recordTest: a test that was never sent has no attempt [W3-faults]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const { failed } = yield* testOf(endpoint, "not_sent")
        yield* store.recordTest(failed, null)
        Check.equal(yield* found(failed), { delivery: failed, isReplayed: false, attempts: [] }, "found")
        const page = yield* store.list(endpoint.appId, {}, 10, undefined)
        Check.equal(page.items, [{ delivery: failed, isReplayed: false, lastAttempt: null }], "listed")
        Check.equal(of(yield* claim(), endpoint), [], "not claimed")
        Check.equal(yield* endpointNow(endpoint), endpoint, "not counted")
      })
    )
  },
  {
    name: "find: only within the app that it belongs to",
    run: withEndpoints((mine) =>
      withEndpoints((other) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          const { id } = yield* insert(mine)
          Check.isTrue(Option.isSome(yield* store.find(mine.appId, id)), "found in its own")
          Check.isTrue(Option.isNone(yield* store.find(other.appId, id)), "not in another")
          Check.equal(yield* listed(other, {}), [], "nor listed there")
        })
      )
    )
  },
  {
    name: "finish: whatever a receiver answered can be kept [deliveries-13]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        // The sender replaces bytes that are not UTF-8 by U+FFFD before the store gets the text. NUL is valid UTF-8,
        // but some stores cannot keep NUL. Such a store may replace NUL by U+FFFD.
        const answers = [
          "\0",
          "a\0b\0",
          "\uFFFD\uFFFD",
          "\uFEFFé🏡\u2028",
          "\u001b[31m'; DROP TABLE deliveries; --",
          ""
        ]
        const stored = (text: string | null | undefined) => text?.replaceAll("\0", "\uFFFD")
        for (const text of answers) {
          const row = yield* insert(endpoint)
          const at = yield* Timestamp.now
          const exchange = { url: "https://hooks.example.com/x", request: [], response: [["x-odd", text] as const] }
          const attempt = { attempt: 1, startedAt: at, endedAt: at, status: 500, error: text, snippet: text, exchange }
          const held = first(of(yield* claim(), endpoint))
          Check.isTrue(yield* finish(held, { _tag: "Failed", at, reason: "not_sent" }, attempt), "written")
          const [kept] = (yield* found(row)).attempts
          const parts = [kept?.error, kept?.snippet, kept?.exchange?.response[0]?.[1]].map(stored)
          Check.equal(parts, [stored(text), stored(text), stored(text)], JSON.stringify(text))
        }
      })
    )
  },
  {
    name: "list: each row with what the receiver did last",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        yield* insert(endpoint)
        const before = yield* store.list(endpoint.appId, {}, 10, undefined)
        Check.equal(first(before.items).lastAttempt, null, "nothing before the first attempt")
        const now = yield* Timestamp.now
        const attempt = { attempt: 1, startedAt: now, endedAt: now, status: null, error: "refused", snippet: null }
        const second = { _tag: "Retry", attempt: 2, dueAt: now } as const
        yield* finish(yield* claimOne(endpoint), second, attempt)
        const last = {
          ...attempt,
          attempt: 2,
          startedAt: Timestamp.plus(now, 1),
          status: 200,
          error: null,
          snippet: "ok"
        }
        const exchange = { url: endpoint.url, request: [], response: [["x-odd", "1"] as const] }
        yield* finish(yield* claimOne(endpoint), { _tag: "Delivered", at: now }, { ...last, exchange })
        const after = yield* store.list(endpoint.appId, {}, 10, undefined)
        Check.equal(first(after.items).lastAttempt, last, "the newest attempt, without its exchange")
      })
    )
  },
  {
    name: "list: newest first, then by id, page by page without gap or repeat",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const now = yield* Timestamp.now
        const rows = yield* Effect.forEach([0, 0, 0, 1, 1, 2, 3, 3, 3], (age) =>
          insert(endpoint, { createdAt: Timestamp.plus(now, -age) })
        )
        const expected = rows
          .map(({ createdAt, id }) => ({ createdAt, id }))
          .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
          .map(({ id }) => id)
        Check.equal(yield* listed(endpoint, {}), expected, "in one piece")
        for (const size of [1, 2, 3, 4, 8, 9]) {
          const seen: Array<string> = []
          let after: ReadonlyArray<string | number> | undefined
          do {
            const page = yield* store.list(endpoint.appId, {}, size, after)
            Check.isTrue(page.items.length <= size, "no page is longer than asked")
            seen.push(...page.items.map(({ delivery }) => delivery.id))
            after = page.next
          } while (after !== undefined)
          Check.equal(seen, expected, `in pages of ${size}`)
        }
      })
    )
  },
  {
    name: "list: a filter may leave out deliveries whose event the log does not show [deliveries-13]",
    run: withEndpoints((one, two) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const at = (minutes: number) => Timestamp.plus(now, -minutes * Timestamp.MINUTE)
        const end = (reason: Delivery.FailReason, minutes: number) =>
          Effect.gen(function* () {
            const row = yield* insert(one, { createdAt: at(minutes) })
            yield* finish(yield* claimOne(one), { _tag: "Failed", at: now, reason }, null)
            return row
          })
        const refused = yield* end("not_authorised", 5)
        // This delivery ended before the service checked whether the app may get the event of the delivery.
        const unchecked = yield* end("endpoint_disabled", 4)
        const replay = yield* insert(one, { createdAt: at(3), replayNo: 1 })
        const test = yield* insert(one, { createdAt: at(2), replayNo: 1, isTest: true })
        const waiting = yield* insert(two, { createdAt: at(1) })
        const types = ["place.enter" as const]
        const all = [waiting, test, replay, unchecked, refused].map(({ id }) => id)
        Check.equal(yield* listed(one, { types }), all, "all")
        const shown = yield* listed(one, { types, leavesOutWithheld: true })
        Check.equal(shown, [waiting.id, test.id], "without the withheld ones")
      })
    )
  },
  {
    name: "list: by endpoint, event, payload type, state and time of creation, alone and together",
    run: withEndpoints((one, two) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const at = (minutes: number) => Timestamp.plus(now, -minutes * Timestamp.MINUTE)
        const early = yield* insert(one, { createdAt: at(3) })
        const { envelope } = yield* draft(two)
        const left = {
          ...envelope,
          payload: { ...first([envelope.payload]), type: "place.exit" } as typeof envelope.payload
        }
        const late = yield* insert(two, { createdAt: at(1), envelope: left })
        yield* finish(yield* claimOne(two), { _tag: "Delivered", at: now }, null)
        const filters: ReadonlyArray<readonly [DeliveryFilter, ReadonlyArray<string>]> = [
          [{ endpointId: one.id }, [early.id]],
          [{ endpointId: two.id }, [late.id]],
          [{ eventId: early.envelope.eventId }, [early.id]],
          [{ eventId: EventId.make("evt_none") }, []],
          [{ types: ["place.exit"] }, [late.id]],
          [{ types: ["place.enter", "place.exit"] }, [late.id, early.id]],
          [{ types: ["ping"] }, []],
          [{ types: [] }, []],
          [{ state: "trying" }, [early.id]],
          [{ state: "delivered" }, [late.id]],
          [{ state: "failed" }, []],
          [{ from: at(3) }, [late.id, early.id]],
          [{ from: Timestamp.plus(at(3), 1) }, [late.id]],
          [{ to: at(1) }, [early.id]],
          [{ to: Timestamp.plus(at(1), 1) }, [late.id, early.id]],
          [{ endpointId: one.id, types: ["place.enter"], state: "trying", from: at(3), to: at(2) }, [early.id]],
          [{ endpointId: one.id, state: "delivered" }, []]
        ]
        for (const [filter, expected] of filters) {
          Check.equal(yield* listed(one, filter), expected, JSON.stringify(filter))
        }
      })
    )
  },
  {
    name: "list: by the reason of the failure, and by the answer to the newest attempt, in pages too [deliveries-20]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const now = yield* Timestamp.now
        const retry = { _tag: "Retry", attempt: 2, dueAt: now } as const
        const over = { _tag: "Failed", at: now, reason: "exhausted" } as const
        /**
         * The id of a delivery whose attempts got the answers `statuses`. The last attempt ends the delivery with
         * `end`.
         */
        const answeredBy = (statuses: ReadonlyArray<number | null>, end: Parameters<typeof finish>[1]) =>
          Effect.gen(function* () {
            const row = yield* insert(endpoint)
            for (const [index, status] of statuses.entries()) {
              const error = status === 200 ? null : "it failed"
              const attempt = { attempt: index + 1, startedAt: now, endedAt: now, status, error, snippet: null }
              const how = index === statuses.length - 1 ? end : retry
              yield* finish(yield* claimOne(endpoint), how, attempt)
            }
            return row.id
          })
        const gone = yield* answeredBy([500, 410], over)
        const silent = yield* answeredBy([null], over)
        const well = yield* answeredBy([500, 200], { _tag: "Delivered", at: now })
        const late = yield* answeredBy([204], over)
        const refused = (yield* insert(endpoint)).id
        yield* finish(yield* claimOne(endpoint), { _tag: "Failed", at: now, reason: "not_authorised" }, null)
        const same = (filter: DeliveryFilter, expected: ReadonlyArray<string>) =>
          Effect.map(listed(endpoint, filter), (found) =>
            Check.equal([...found].sort(), [...expected].sort(), JSON.stringify(filter))
          )
        yield* same({ failReason: "exhausted" }, [gone, silent, late])
        yield* same({ failReason: "not_authorised" }, [refused])
        yield* same({ failReason: "abandoned" }, [])
        yield* same({ status: 410 }, [gone])
        yield* same({ status: 500 }, [])
        yield* same({ status: 200 }, [well])
        yield* same({ status: 204 }, [late])
        yield* same({ status: null }, [silent])
        yield* same({ status: 410, failReason: "exhausted", state: "failed" }, [gone])
        yield* same({ status: 410, failReason: "not_authorised" }, [])
        const paged = yield* store.list(endpoint.appId, { failReason: "exhausted" }, 2, undefined)
        Check.equal([paged.items.length, paged.next !== undefined], [2, true], "a page of two, and there are more")
        const rest = yield* store.list(endpoint.appId, { failReason: "exhausted" }, 2, paged.next)
        Check.equal([rest.items.length, rest.next], [1, undefined], "the last one")
      })
    )
  }
]
