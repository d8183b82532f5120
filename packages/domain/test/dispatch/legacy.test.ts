import { AuditEvent } from "@place-access/domain/audit"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { createSubscription, importRules, removeSubscription } from "@place-access/domain/legacy"
import { removeRuleOfUser } from "@place-access/domain/rules"
import { RuleId, Timestamp } from "@place-access/domain/shared"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { MemoryDatabase, MemoryWebhookSender, RuleSamples } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import {
  deliveries,
  endpointNow,
  fire,
  inVirtualTime,
  posts,
  type Scene,
  scene,
  script,
  seconds,
  URL,
  withWorker,
  type World
} from "../support/webhooks.js"

const { answers, hangs, inTurn, ourFault, refuses, slowly } = MemoryWebhookSender
const { MINUTE, SECOND } = Timestamp

const OLD = "https://old.example.com/hook"
const SUBSCRIBED = "https://old.example.com/subscribed"
const SECRET = "a secret of before endpoints"

const secondsOf = (url: string, from: number) => Effect.map(posts(url), (all) => seconds(all, from))
const log = Effect.map(MemoryDatabase, ({ accessLog }) =>
  accessLog.map(({ disclosed, endpoint, error }) => [endpoint, error, disclosed])
)

/** A rule with its own webhook address, as a line of the import file. */
const importable = ({ connection, place }: Pick<Scene, "connection" | "place">, id: string, url: string) => ({
  id,
  connection_id: connection.id,
  type: "enter",
  place_id: place.id,
  webhook_url: url,
  secret: SECRET,
  created_at: "2025-06-01T00:00:00.000Z"
})

/** An app with an endpoint, a subscription and an imported rule. Only the receiver of the endpoint answers. */
const stage = Effect.gen(function* () {
  const made = yield* scene
  yield* script(answers(204), URL)
  const { secret, subscription } = yield* createSubscription(made.connection, { url: SUBSCRIBED })
  yield* importRules(JSON.stringify(importable(made, "rule_1", OLD)))
  const imported = yield* Effect.flatMap(MemoryDatabase, ({ rules }) =>
    Effect.fromNullable(rules.get(RuleId.make("rule_1")))
  )
  return { ...made, subscription, subscriptionSecret: secret, imported }
})
type Stage = Effect.Effect.Success<typeof stage>

/**
 * The two kinds of legacy receivers. Each has the receiver's address, a program that sends an event to the receiver,
 * and a program that removes the receiver.
 */
const kinds = [
  {
    name: "a rule's own address",
    url: OLD,
    fire: (on: Stage) => fire({ rule: on.imported, place: on.place }, { webhookUrl: OLD }),
    remove: (on: Stage) => removeRuleOfUser(on.user.id, null, on.imported.id)
  },
  {
    name: "a subscription",
    url: SUBSCRIBED,
    fire: (on: Stage) => fire(on),
    remove: (on: Stage) => removeSubscription(on.connection, on.subscription.id)
  }
]

const run = (use: (on: Stage) => Effect.Effect<void, unknown, World>) =>
  inVirtualTime(
    Effect.gen(function* () {
      const on = yield* stage
      yield* withWorker(use(on))
    })
  )

/** Ends the connection by a change of the tables, as if the user had disconnected. */
const end = (on: Stage) =>
  Effect.gen(function* () {
    const { connections } = yield* MemoryDatabase
    connections.set(on.connection.id, {
      ...on.connection,
      endedAt: yield* Timestamp.now,
      endReason: "user_disconnected"
    })
  })

/** Deletes rows of the tables, as if the user's account had been deleted. */
const deleted = (on: Stage) =>
  Effect.map(MemoryDatabase, ({ accessLog, connections, rules, subscriptions }) => {
    connections.delete(on.connection.id)
    rules.clear()
    subscriptions.clear()
    accessLog.length = 0
  })

const suspended = (on: Stage) =>
  Effect.flatMap(StaffStore, (staff) => staff.change(on.connection.userId, AccountChange.suspend(AuditEvent.OPERATOR)))

const ruleScopesGone = (on: Stage) =>
  Effect.map(
    MemoryDatabase,
    ({ connections }) => void connections.set(on.connection.id, { ...on.connection, heldScopes: [] })
  )

describe("what is posted", () => {
  it("to a rule's own address: no app_id and no endpoint_id, signed with its own secret [§6.4.8-payloads]", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(200), OLD)
        const event = yield* fire({ rule: on.imported, place: on.place }, { webhookUrl: OLD })
        yield* Effect.sleep("1 millis")
        const [post, ...more] = yield* posts(OLD)
        expect(more).toEqual([])
        expect(JSON.parse(post?.body ?? "")).toEqual({
          event_id: event.id,
          type: "place.enter",
          occurred_at: "2026-01-01T00:00:00.000Z",
          grant_id: on.connection.id,
          rule_id: "rule_1",
          target: { place_id: on.place.id, label: "Home" }
        })
        const t = event.occurredAt / SECOND
        expect(new Map(post?.headers).get("X-Service-Signature")).toBe(
          `t=${t},v1=${MemoryWebhookSender.sign(SECRET, `${t}.${post?.body}`)}`
        )
      })
    )
  })

  it("to a subscription: subscription_id in their place, signed with the subscription's secret [§6.4.8-payloads]", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(200), SUBSCRIBED)
        const event = yield* fire(on)
        yield* Effect.sleep("1 millis")
        const [post] = yield* posts(SUBSCRIBED)
        expect(JSON.parse(post?.body ?? "")).toEqual({
          event_id: event.id,
          subscription_id: on.subscription.id,
          type: "place.enter",
          occurred_at: "2026-01-01T00:00:00.000Z",
          grant_id: on.connection.id,
          rule_id: on.rule.id,
          target: { place_id: on.place.id, label: "Home" }
        })
        const t = event.occurredAt / SECOND
        expect(new Map(post?.headers).get("X-Service-Signature")).toBe(
          `t=${t},v1=${MemoryWebhookSender.sign(on.subscriptionSecret, `${t}.${post?.body}`)}`
        )
      })
    )
  })

  it("what a rule with its own address fires goes to no endpoint, not even of that address, and to no subscription [§6.4.9-migration]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const { endpoints } = yield* MemoryDatabase
        endpoints.set(on.endpoint.id, { ...on.endpoint, url: EndpointUrl.EndpointUrl.make(OLD) })
        yield* script(answers(200), OLD)
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire({ rule: on.imported, place: on.place }, { webhookUrl: OLD })
            yield* Effect.sleep("1 hour")
          })
        )
        expect((yield* posts(OLD)).length).toBe(1)
        expect(yield* posts(SUBSCRIBED)).toEqual([])
        expect(yield* deliveries).toEqual([])
      })
    )
  })

  it("a subscription gets place and zone firings, nothing else, and nothing of a rule that names an endpoint", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(200), SUBSCRIBED)
        const zone = yield* RuleSamples.rule(on.connection, RuleSamples.ZONE)
        const target = { placeId: null, label: "Quay" }
        yield* fire(on)
        yield* fire({ ...on, rule: zone }, { payload: { type: "zone.exit", ruleId: zone.id, target } })
        yield* fire(on, { payload: { type: "places.changed", placesVersion: 2 } })
        yield* fire(on, { webhookUrl: URL })
        yield* Effect.sleep("1 hour")
        const types = (yield* posts(SUBSCRIBED)).map(({ body }) => (JSON.parse(body) as { type: string }).type)
        expect(types).toEqual(["place.enter", "zone.exit"])
      })
    )
  })
})

describe.each(kinds)("the older schedule: $name", ({ fire, remove, url }) => {
  it("three attempts: at once, 30 s after the first has ended and 5 min after the second, and then no more [§6.4.8]", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(500), url)
        const { occurredAt } = yield* fire(on)
        yield* Effect.sleep(30 * SECOND - 1)
        expect(yield* secondsOf(url, occurredAt)).toEqual([0])
        yield* Effect.sleep(2)
        expect(yield* secondsOf(url, occurredAt)).toEqual([0, 30])
        yield* Effect.sleep(5 * MINUTE - 2)
        expect(yield* secondsOf(url, occurredAt)).toEqual([0, 30])
        yield* Effect.sleep(2)
        expect(yield* secondsOf(url, occurredAt)).toEqual([0, 30, 330])
        yield* Effect.sleep("3 days")
        expect((yield* posts(url)).length).toBe(3)
      })
    )
  })

  it("the waits begin when an attempt ends; one that is not answered ends after 5 s", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(inTurn(hangs, slowly(2_000, answers(503)), answers(200)), url)
        const { occurredAt } = yield* fire(on)
        yield* Effect.sleep("1 hour")
        expect(yield* secondsOf(url, occurredAt)).toEqual([0, 35, 337])
      })
    )
  })

  it.each([200, 204, 299])("the answer %i ends the schedule [§6.4.8]", (status) => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(inTurn(refuses, answers(status)), url)
        const { occurredAt } = yield* fire(on)
        yield* Effect.sleep("1 hour")
        expect(yield* secondsOf(url, occurredAt)).toEqual([0, 30])
      })
    )
  })

  it("faults of our own spend no attempt, and end it after 10 minutes", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(inTurn(ourFault, ourFault, answers(500)), url)
        const { occurredAt } = yield* fire(on)
        yield* Effect.sleep("1 hour")
        expect(yield* secondsOf(url, occurredAt)).toEqual([0, 5, 10, 40, 340])
        yield* script(ourFault, url)
        yield* fire(on)
        yield* Effect.sleep("1 hour")
        expect((yield* posts(url)).length).toBe(5 + 10 * 12 + 2)
      })
    )
  })

  it("the 10 minutes begin with the first of these faults, however long the event waited for a worker [legacy-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        yield* script(inTurn(ourFault, answers(200)), url)
        const { occurredAt } = yield* fire(on)
        yield* Effect.sleep("1 hour")
        yield* withWorker(Effect.sleep("1 minute"))
        expect(yield* secondsOf(url, occurredAt)).toEqual([3_600, 3_605])
      })
    )
  })

  it("what is taken away between two attempts stops it [legacy-4-checks]", () => {
    for (const takeAway of [remove, end, ruleScopesGone, suspended]) {
      run((on) =>
        Effect.gen(function* () {
          yield* script(answers(500), url)
          yield* fire(on)
          yield* Effect.sleep(30 * SECOND - 1)
          yield* takeAway(on)
          yield* Effect.sleep("1 hour")
          expect((yield* posts(url)).length).toBe(1)
          expect((yield* log).map(([, error]) => error)).toEqual([null, "not_authorised"])
        })
      )
    }
  })

  it("an account that is deleted between two attempts stops it, and gets no new entry in its access log [deliveries-12]", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(500), url)
        yield* fire(on)
        yield* Effect.sleep(30 * SECOND - 1)
        yield* deleted(on)
        yield* Effect.sleep("1 hour")
        expect((yield* posts(url)).length).toBe(1)
        expect(yield* log).toEqual([])
      })
    )
  })

  it("what was taken away before the first attempt is not sent", () => {
    for (const takeAway of [end, ruleScopesGone]) {
      run((on) =>
        Effect.gen(function* () {
          yield* takeAway(on)
          yield* fire(on)
          yield* Effect.sleep("1 hour")
          expect(yield* posts(url)).toEqual([])
          expect(yield* log).toEqual([
            ["webhook place.enter", "not_authorised", "nothing: “arrived at Home” was not sent"]
          ])
        })
      )
    }
  })

  it("a restart loses what waits, and finishes the attempt under way [§6.4.8-memory, legacy-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        yield* script(inTurn(answers(500), slowly(3_000, answers(500))), url)
        const from = yield* Timestamp.now
        yield* withWorker(Effect.zipRight(fire(on), Effect.sleep("31 seconds")))
        expect(yield* Timestamp.now).toBe(from + 33 * SECOND)
        yield* withWorker(Effect.sleep("1 day"))
        expect((yield* posts(url)).length).toBe(2)
      })
    )
  })
})

describe("beside other deliveries", () => {
  it("one entry of the access log, however many receivers and attempts [legacy-4-log]", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(500), SUBSCRIBED)
        yield* createSubscription(on.connection, { url: `${SUBSCRIBED}/2` })
        yield* fire(on)
        yield* Effect.sleep("1 hour")
        expect((yield* posts(URL)).length).toBe(1)
        expect((yield* posts(SUBSCRIBED)).length).toBe(3)
        expect((yield* posts(`${SUBSCRIBED}/2`)).length).toBe(3)
        expect(yield* log).toEqual([["webhook place.enter", null, "arrived at Home"]])
      })
    )
  })

  it("an app without endpoints gets its event all the same, and the log says so", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const { endpoints } = yield* MemoryDatabase
        endpoints.clear()
        yield* script(answers(200), SUBSCRIBED)
        yield* withWorker(Effect.zipRight(fire(on), Effect.sleep("1 hour")))
        expect((yield* posts(SUBSCRIBED)).length).toBe(1)
        expect(yield* log).toEqual([["webhook place.enter", null, "arrived at Home"]])
      })
    )
  })

  it("they count for no endpoint and have no row in the delivery log [§6.4.8, legacy-4-log]", () => {
    run((on) =>
      Effect.gen(function* () {
        yield* script(answers(500), OLD)
        for (let round = 0; round < 25; round++)
          yield* fire({ rule: on.imported, place: on.place }, { webhookUrl: OLD })
        yield* Effect.sleep("1 hour")
        expect((yield* posts(OLD)).length).toBe(75)
        expect(yield* deliveries).toEqual([])
        expect(yield* endpointNow(on)).toMatchObject({ strikes: 0, disabledAt: null })
      })
    )
  })

  it("a healthy receiver waits for none of eight silent ones of the same app, however much they are sent [legacy-5]", () => {
    run((on) =>
      Effect.gen(function* () {
        const silent = Array.from({ length: 8 }, (_, index) => `silent_${index}`)
        yield* importRules(silent.map((id) => JSON.stringify(importable(on, id, `${OLD}/${id}`))).join("\n"))
        const { rules } = yield* MemoryDatabase
        yield* Effect.forEach(silent, (id) => script(hangs, `${OLD}/${id}`))
        yield* script(answers(200), OLD)
        const toSilent = Effect.forEach(silent, (id) =>
          Effect.flatMap(Effect.fromNullable(rules.get(RuleId.make(id))), (rule) =>
            fire({ rule, place: on.place }, { webhookUrl: `${OLD}/${id}` })
          )
        )
        yield* Effect.replicateEffect(toSilent, 20)
        yield* Effect.sleep("1 second")
        const event = yield* fire({ rule: on.imported, place: on.place }, { webhookUrl: OLD })
        yield* Effect.sleep("1 second")
        expect(yield* secondsOf(OLD, event.occurredAt)).toEqual([0])
      })
    )
  })

  it("silent receivers of one app do not hold up another's [legacy-5]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [slow, quick] = [yield* scene, yield* scene]
        yield* createSubscription(slow.connection, { url: OLD })
        yield* createSubscription(quick.connection, { url: SUBSCRIBED })
        yield* script(hangs, OLD)
        yield* script(answers(200), SUBSCRIBED)
        const from = yield* Timestamp.now
        yield* withWorker(
          Effect.gen(function* () {
            for (let round = 0; round < 100; round++) yield* fire(slow)
            yield* fire(quick)
            yield* Effect.sleep("1 hour")
          })
        )
        expect(yield* secondsOf(SUBSCRIBED, from)).toEqual([0])
        expect((yield* posts(OLD)).length).toBe(300)
      })
    )
  })

  it("events that an address does not answer for one app do not hold up another app's at the same address [legacy-5]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [slow, quick] = [yield* scene, yield* scene]
        yield* createSubscription(slow.connection, { url: OLD })
        yield* createSubscription(quick.connection, { url: OLD })
        const isSlow = ({ body }: MemoryWebhookSender.Post) => body.includes(slow.connection.id)
        yield* script((post) => (isSlow(post) ? hangs : answers(200))(post), OLD)
        const from = yield* Timestamp.now
        yield* withWorker(
          Effect.gen(function* () {
            for (let round = 0; round < 100; round++) yield* fire(slow)
            yield* fire(quick)
            yield* Effect.sleep("1 hour")
          })
        )
        const all = yield* posts(OLD)
        const toQuick = all.filter((post) => !isSlow(post))
        expect(seconds(toQuick, from)).toEqual([0])
        expect(all.length - toQuick.length).toBe(300)
      })
    )
  })

  it("receivers of two apps that never answer fill two thirds of a worker's memory and lose what is beyond; another app loses nothing [legacy-5]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [slow, slower, quick] = [yield* scene, yield* scene, yield* scene]
        yield* createSubscription(slow.connection, { url: OLD })
        yield* createSubscription(slower.connection, { url: `${OLD}/2` })
        yield* createSubscription(quick.connection, { url: SUBSCRIBED })
        yield* Effect.forEach([OLD, `${OLD}/2`], (url) => script(hangs, url))
        yield* script(answers(200), SUBSCRIBED)
        const use = Effect.gen(function* () {
          for (let round = 0; round < 50; round++) {
            yield* Effect.forEach([slow, slower], (app) => fire(app))
            yield* Effect.sleep("1 second")
          }
          const { occurredAt } = yield* fire(quick)
          yield* Effect.sleep("1 hour")
          expect(yield* secondsOf(SUBSCRIBED, occurredAt)).toEqual([0])
        })
        yield* withWorker(use, { legacyRoom: 30 })
        const tried = yield* Effect.forEach([OLD, `${OLD}/2`], (url) => Effect.map(posts(url), ({ length }) => length))
        expect(tried).toEqual([3 * 10, 3 * 10])
      })
    )
  })

  it.each([
    [29, 0],
    [30, 1],
    [329, 1],
    [330, 2]
  ])(
    "max_event_age_s at every attempt: an age of %i s allows %i retries after the first [legacy-4-checks]",
    (maxEventAgeS, retries) => {
      run((on) =>
        Effect.gen(function* () {
          yield* script(answers(500), OLD)
          yield* fire({ rule: on.imported, place: on.place }, { webhookUrl: OLD, maxEventAgeS })
          yield* Effect.sleep("1 hour")
          expect((yield* posts(OLD)).length).toBe(1 + retries)
          const isWhole = retries === 2
          expect((yield* log).map(([, error]) => error)).toEqual(isWhole ? [null] : [null, "too_old"])
        })
      )
    }
  )
})
