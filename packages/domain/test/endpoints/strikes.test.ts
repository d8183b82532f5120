import { listDeliveries, redeliver } from "@place-access/domain/deliveries"
import { StrikeWarning, updateEndpoint, WebhookEndpoint } from "@place-access/domain/endpoints"
import { warnOfStrikes } from "@place-access/domain/deliveries"
import { everything } from "@place-access/domain/leases"
import { MailOutbox, sendMail } from "@place-access/domain/mail"
import { DeliveryId, Timestamp } from "@place-access/domain/shared"
import { MemoryMailer, MemoryMailOutbox, MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  deliveries,
  endpointNow,
  fire,
  inVirtualTime,
  scene,
  type Scene,
  script,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers, refuses } = MemoryWebhookSender

const post = Layer.merge(MemoryMailer.layer, MemoryMailOutbox.layer)

/** Runs `use` while a worker sends webhooks and a loop sends mail about strikes every hour. */
const working = <A>(use: (stage: Scene) => Effect.Effect<A, unknown, Parts>) =>
  inVirtualTime(
    Effect.gen(function* () {
      const stage = yield* scene
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(warnOfStrikes(), Effect.sleep("1 hour"))))
      return yield* withWorker(use(stage))
    }).pipe(Effect.scoped, Effect.provide(post))
  )
type Parts =
  | (Parameters<typeof inVirtualTime>[0] extends Effect.Effect<unknown, unknown, infer R> ? R : never)
  | Layer.Layer.Success<typeof post>

/** Fires `count` events, a second apart, and then waits a day. By then all attempts have failed. */
const lose = (stage: Scene, count: number) =>
  Effect.gen(function* () {
    yield* script(answers(503, "s3cret of the receiver"))
    for (let index = 0; index < count; index++) {
      yield* fire(stage)
      yield* Effect.sleep("1 second")
    }
    yield* Effect.sleep("1 day")
  })

const arrive = (stage: Scene) =>
  Effect.gen(function* () {
    yield* script(answers(200))
    yield* fire(stage)
    yield* Effect.sleep("1 minute")
  })

const subjects = Effect.gen(function* () {
  const kept = yield* (yield* MailOutbox).recent(100)
  return kept.map(({ message }) => message.subject).toReversed()
})

const strikes = (stage: Scene) => Effect.map(endpointNow(stage), (endpoint) => endpoint.strikes)

const TEN = (stage: Scene) => `A webhook endpoint of ${stage.app.name} failed 10 times in a row`
const TWENTY = (stage: Scene) => `A webhook endpoint of ${stage.app.name} was disabled`

describe("an endpoint that fails, and its developer's mail", () => {
  it("none with nine in a row, one with the tenth, none up to nineteen, one with the twentieth, which disables [endpoints-7]", () => {
    working((stage) =>
      Effect.gen(function* () {
        yield* lose(stage, 9)
        expect([yield* strikes(stage), yield* subjects]).toEqual([9, []])
        yield* lose(stage, 1)
        expect([yield* strikes(stage), yield* subjects]).toEqual([10, [TEN(stage)]])
        yield* lose(stage, 9)
        expect([yield* strikes(stage), yield* subjects]).toEqual([19, [TEN(stage)]])
        expect((yield* endpointNow(stage)).disabledAt).toBeNull()
        yield* lose(stage, 1)
        expect((yield* endpointNow(stage)).disabledAt).not.toBeNull()
        yield* lose(stage, 3)
        expect([yield* strikes(stage), yield* subjects]).toEqual([20, [TEN(stage), TWENTY(stage)]])
      })
    )
  })

  it("twenty that fail within a second are mailed as ten and as twenty", () => {
    working((stage) =>
      Effect.gen(function* () {
        yield* script(refuses)
        for (let index = 0; index < 25; index++) yield* fire(stage)
        yield* Effect.sleep("2 days")
        expect((yield* subjects).sort()).toEqual([TEN(stage), TWENTY(stage)])
      })
    )
  })

  it("a success begins a new series: nine more are quiet, ten are mailed again [endpoints-7]", () => {
    working((stage) =>
      Effect.gen(function* () {
        yield* lose(stage, 11)
        yield* arrive(stage)
        yield* lose(stage, 9)
        expect([yield* strikes(stage), yield* subjects]).toEqual([9, [TEN(stage)]])
        yield* lose(stage, 1)
        expect([yield* strikes(stage), yield* subjects]).toEqual([10, [TEN(stage), TEN(stage)]])
      })
    )
  })

  it("a success between the tenth and the look for mails takes nothing back", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* withWorker(Effect.zipRight(lose(stage, 10), arrive(stage)))
        expect([yield* strikes(stage), yield* subjects]).toEqual([0, []])
        expect(yield* warnOfStrikes()).toBe(1)
        expect(yield* subjects).toEqual([TEN(stage)])
      }).pipe(Effect.provide(post))
    )
  })

  it("enabling begins a new series: it is warned of and disabled again [§3.4-enable]", () => {
    working((stage) =>
      Effect.gen(function* () {
        yield* lose(stage, 20)
        yield* updateEndpoint(stage.developer, stage.app.id, stage.endpoint.id, { enabled: true }, "unchecked")
        yield* lose(stage, 20)
        expect((yield* subjects).sort()).toEqual([TEN(stage), TEN(stage), TWENTY(stage), TWENTY(stage)])
      })
    )
  })

  it("what is sent again by hand is no tenth, and no success either [§3.4-by-hand]", () => {
    working((stage) =>
      Effect.gen(function* () {
        yield* lose(stage, 9)
        const [lost] = yield* deliveries
        yield* redeliver(stage.developer, stage.app.id, lost?.id ?? DeliveryId.make("none"))
        yield* Effect.sleep("1 day")
        expect([yield* strikes(stage), yield* subjects]).toEqual([9, []])
        yield* script(answers(200))
        const { deliveries: rows } = yield* listDeliveries(stage.developer, stage.app.id, {
          state: "failed",
          limit: 1,
          cursor: undefined
        })
        yield* redeliver(stage.developer, stage.app.id, rows[0]?.delivery.id ?? DeliveryId.make("none"))
        yield* Effect.sleep("1 minute")
        expect(yield* strikes(stage)).toBe(9)
        yield* lose(stage, 1)
        expect(yield* subjects).toEqual([TEN(stage)])
      })
    )
  })

  it("the letter says which app and endpoint, how many, the last answer's status and where to go, and nothing that the receiver wrote", () => {
    working((stage) =>
      Effect.gen(function* () {
        yield* lose(stage, 10)
        yield* sendMail({ portal: "https://me.example/portal", service: "https://api.example" }, everything.people)
        const [letter] = yield* Effect.flatMap(MemoryMailer.Post, ({ letters }) => letters)
        expect(letter?.to).toBe(stage.developer.email)
        const own = `https://api.example/developer/apps/${stage.app.id}`
        expect(letter?.text).toBe(
          [
            `Events do not reach an endpoint of your app "${stage.app.name}":`,
            `${URL}`,
            "On 1 January 2026 at 23:35 UTC it came to 10 events in a row that failed at every one of their seven attempts. The last attempt ended with: answered 503.",
            "At 20 in a row we disable the endpoint: what waits for it then fails, and nothing more is sent there. One event that arrives sets the count back to 0; what you send again by hand does not count.",
            "Send the endpoint a test to see what it answers. When it works, send again what failed: it is kept for 30 days.",
            `What failed there:\n${own}/deliveries?endpoint=${stage.endpoint.id}&state=failed`,
            `The endpoint:\n${own}/webhooks#${stage.endpoint.id}`
          ].join("\n\n")
        )
      })
    )
  })
})

describe("the message about strikes", () => {
  const at = Timestamp.make(Date.UTC(2026, 2, 1, 9, 5))
  const ids = { appId: "app_1", deliveryId: "dlv_1", endpointId: "ep_1" } as unknown as StrikeWarning.StrikeWarning
  const about = (overrides: Partial<WebhookEndpoint.WebhookEndpoint>, name = "Brew") =>
    ({
      app: { id: "app_1", name, ownerId: "usr_1" },
      endpoint: { id: "ep_1", url: "https://a.example/hook", description: null, ...overrides },
      lastAttempt: null
    }) as unknown as StrikeWarning.About
  const message = (strikes: number, overrides: Partial<WebhookEndpoint.WebhookEndpoint> = {}, name?: string) =>
    StrikeWarning.message({ ...ids, strikes, at }, about(overrides, name))

  it("of a disabled endpoint says so, and how it is brought back", () => {
    const { body, furtherLinks, link, subject } = message(20, {
      description: WebhookEndpoint.EndpointDescription.make("The main one")
    })
    expect(subject).toBe("A webhook endpoint of Brew was disabled")
    expect(body).toBe(
      `We disabled an endpoint of your app "Brew":

https://a.example/hook
The main one

On 1 March 2026 at 09:05 UTC it came to 20 events in a row that failed at every one of their seven attempts.

Nothing is sent there any more. Events that waited for it have failed. Events that happen while it is disabled are not kept for it: your app finds out by asking again.

When your receiver works, send the endpoint a test and enable it. Then send the failed events again, from the day on which your receiver stopped working. That was a day or more before this e-mail: an event fails about a day after it happened. Failed events are kept for 30 days.`
    )
    expect([link, furtherLinks]).toEqual([
      {
        site: "service",
        path: "/developer/apps/app_1/webhooks#ep_1",
        label: "Test it, enable it, send again what failed"
      },
      [
        {
          site: "service",
          path: "/developer/apps/app_1/deliveries?endpoint=ep_1&state=failed",
          label: "What failed there"
        }
      ]
    ])
  })

  it("leaves out the query of the address, where receivers put keys", () => {
    const url = "https://a.example/hook?key=s3cret" as WebhookEndpoint.WebhookEndpoint["url"]
    const { body } = message(10, { url })
    expect(body).toContain("https://a.example/hook?…")
    expect(body).not.toContain("s3cret")
  })

  it("keeps its subject on one line", () => {
    expect(message(10, {}, "Brew\r\nBcc: all").subject).toBe(
      "A webhook endpoint of Brew Bcc: all failed 10 times in a row"
    )
  })

  it("warns at 10 and at what disables", () => {
    expect(WebhookEndpoint.WARNED_STRIKES).toEqual([10, WebhookEndpoint.MAX_STRIKES])
  })
})
