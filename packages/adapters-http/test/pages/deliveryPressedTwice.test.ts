import { DeliveryStore } from "@place-access/domain/deliveries"
import { WorkSignal } from "@place-access/domain/events"
import { IdempotencyStore } from "@place-access/domain/idempotency"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { stage } from "../support/webhooks.js"
import type { Answer } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

const { DAY, HOUR } = Timestamp

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Row {
  readonly id: string
  readonly endpoint_id: string
  readonly state: string
  readonly replay: boolean
}

const where = ({ headers, status }: Answer) => [status, headers.get("location")]

/** An app whose receiver answers 200, and the developer's browser. */
const visit = async () => {
  const on = await stage(world)
  await on.script(MemoryWebhookSender.answers(200))
  const browser = await signedIn(world, on.developer.account.email)
  const rows = async () => ((await on.developer.get(on.log)).json as { deliveries: ReadonlyArray<Row> }).deliveries
  return { on, browser, rows, path: `/developer/apps/${on.app.id}` }
}

describe("Redeliver that is pressed twice [idempotency-6]", () => {
  /** An event that was delivered, and the page of its delivery. */
  const delivered = async () => {
    const visited = await visit()
    await visited.on.fire()
    await visited.on.work()
    const [row] = await visited.rows()
    const page = `${visited.path}/deliveries/${row?.id}`
    return { ...visited, page, press: (shown: Answer) => visited.browser.submit(shown, `${page}/redeliver`) }
  }

  it("sends the event once, although the receiver has answered before the second press", async () => {
    const { browser, on, page, path, press, rows } = await delivered()
    const shown = await browser.get(page)
    world.clock.advance(1)
    const first = where(await press(shown))
    await on.work()
    expect(where(await press(shown))).toEqual(first)
    const [replay, original, ...more] = await rows()
    expect([replay, original, more]).toMatchObject([
      { replay: true, state: "delivered" },
      { replay: false, state: "delivered" },
      []
    ])
    expect(first).toEqual([303, `${path}/deliveries/${replay?.id}?done=redelivered`])
  })

  it("on a page that was opened anew, sends the event again", async () => {
    const { browser, on, page, press, rows } = await delivered()
    for (const _ of ["first", "second"]) {
      world.clock.advance(1)
      await press(await browser.get(page))
      await on.work()
    }
    expect((await rows()).map(({ state }) => state)).toEqual(["delivered", "delivered", "delivered"])
  })

  it("wakes the worker after the commit, which makes the delivery visible [idempotency-4]", async () => {
    const { browser, page, press } = await delivered()
    const shown = await browser.get(page)
    const steps: Array<string> = []
    const restore = await world.run(
      Effect.gen(function* () {
        const [signal, store] = [yield* WorkSignal, yield* IdempotencyStore]
        const real = { raise: signal.raise, once: store.once }
        const noted = (step: string) => Effect.sync(() => steps.push(step))
        const once: typeof store.once = (...args) => Effect.zipLeft(real.once(...args), noted("committed"))
        Object.assign(signal, { raise: Effect.zipRight(noted("raised"), real.raise) })
        Object.assign(store, { once })
        return () => void [Object.assign(signal, { raise: real.raise }), Object.assign(store, { once: real.once })]
      })
    )
    const { status } = await press(shown)
    restore()
    // The first transaction only looks whether the form was sent before, because a repeated form is not counted.
    expect([status, steps]).toEqual([303, ["committed", "committed", "raised"]])
  })
})

describe("Retry now that is pressed twice [§4.7-retry-now, deliveries-10]", () => {
  /** A delivery whose first attempt failed, and the page of this delivery. */
  const failed = async () => {
    const visited = await visit()
    await visited.on.script(MemoryWebhookSender.answers(500))
    await visited.on.fire()
    await visited.on.work()
    const [row] = await visited.rows()
    const page = `${visited.path}/deliveries/${row?.id}`
    const attempts = async () =>
      ((await visited.on.developer.get(`${visited.on.log}/${row?.id}`)).json as { attempts: ReadonlyArray<object> })
        .attempts.length
    return { ...visited, attempts, page, press: (shown: Answer) => visited.browser.submit(shown, `${page}/retry-now`) }
  }
  const TOLD = "The attempt came before you pressed the button, so the press did nothing."

  it("makes one attempt, and says that it was made; on a page that was opened anew, it makes the next one", async () => {
    const { attempts, browser, on, page, press } = await failed()
    const shown = await browser.get(page)
    expect(where(await press(shown))).toEqual([303, `${page}?done=retried`])
    // After the first press, the attempt is due but was not made yet. A second press must change nothing.
    expect(where(await press(shown))).toEqual([303, `${page}?done=retried`])
    await on.work()
    expect(where(await press(shown))).toEqual([303, `${page}?done=attempt-made`])
    await on.work()
    expect(await attempts()).toBe(2)
    const told = await browser.get(`${page}?done=attempt-made`)
    expect(told.text).toContain(TOLD)
    expect(where(await press(told))).toEqual([303, `${page}?done=retried`])
    await on.work()
    expect(await attempts()).toBe(3)
  })

  it("says so too when the receiver accepted that attempt", async () => {
    const { attempts, browser, on, page, press } = await failed()
    const shown = await browser.get(page)
    await on.script(MemoryWebhookSender.answers(200))
    await press(shown)
    await on.work()
    expect(where(await press(shown))).toEqual([303, `${page}?done=attempt-made`])
    expect(await attempts()).toBe(2)
  })
})

describe("Send again what failed that is pressed twice [idempotency-6]", () => {
  it.each(["/webhooks", "the endpoint's own page"])(
    "has the same answer twice, with the number: on %s",
    async (where_) => {
      const { browser, on, path, rows } = await visit()
      await on.script(MemoryWebhookSender.answers(500))
      await on.fire()
      for (const wait of [0, 30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]) {
        world.clock.advance(wait)
        await on.work()
      }
      await on.script(MemoryWebhookSender.answers(200))
      const endpoint = `${path}/webhooks/${on.endpoints[0]}`
      const shown = await browser.get(where_ === "/webhooks" ? `${path}/webhooks` : endpoint)
      const press = () => browser.submit(shown, `${endpoint}/recover`, { since: "2026-01-01" })
      const first = where(await press())
      await on.work()
      expect(first).toEqual([303, `${path}/deliveries?endpoint=${on.endpoints[0]}&recovered=1`])
      expect(where(await press())).toEqual(first)
      expect((await rows()).map(({ replay, state }) => [replay, state])).toEqual([
        [true, "delivered"],
        [false, "failed"]
      ])
    }
  )
})

/**
 * Runs `work`, and records at each call of `DeliveryStore.recover` whether a transaction that stores the answer for a
 * key was open.
 */
const openTransactions = async (work: () => Promise<unknown>) => {
  const seen: Array<boolean> = []
  let open = 0
  const restore = await world.run(
    Effect.gen(function* () {
      const [keyed, deliveries] = [yield* IdempotencyStore, yield* DeliveryStore]
      const real = { once: keyed.once, recover: deliveries.recover }
      const once: typeof keyed.once = (...args) =>
        Effect.acquireUseRelease(
          Effect.sync(() => open++),
          () => real.once(...args),
          () => Effect.sync(() => open--)
        )
      const recover: typeof real.recover = (recovery) =>
        Effect.suspend(() => {
          seen.push(open > 0)
          return real.recover(recovery)
        })
      Object.assign(keyed, { once })
      Object.assign(deliveries, { recover })
      return () =>
        void [Object.assign(keyed, { once: real.once }), Object.assign(deliveries, { recover: real.recover })]
    })
  )
  await work()
  restore()
  return seen
}

describe("Send again what failed commits each batch by itself [idempotency-4]", () => {
  it("on the page: no transaction of the form is open meanwhile", async () => {
    const { browser, on, path } = await visit()
    const endpoint = `${path}/webhooks/${on.endpoints[0]}`
    const shown = await browser.get(endpoint)
    const press = () => browser.submit(shown, `${endpoint}/recover`, { since: "2026-01-01" })
    expect(await openTransactions(press)).toEqual([false])
    expect(await openTransactions(press)).toEqual([])
  })

  it("with an Idempotency-Key: the answer is repeated, and what failed since is left alone", async () => {
    const { on, rows } = await visit()
    const fail = async () => {
      await on.script(MemoryWebhookSender.answers(500))
      await on.fire()
      for (const wait of [0, 30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]) {
        world.clock.advance(wait)
        await on.work()
      }
    }
    const send = () =>
      on.developer.send(
        "POST",
        `${on.base}/webhooks/${on.endpoints[0]}/recover`,
        { since: "2026-01-01T00:00:00Z" },
        { headers: { "idempotency-key": "recover-1" } }
      )
    await fail()
    const answers: Array<Answer> = []
    expect(await openTransactions(async () => answers.push(await send()))).toEqual([false, false])
    await fail()
    expect(await openTransactions(async () => answers.push(await send()))).toEqual([])
    expect(answers.map(({ headers, json, status }) => [status, json, headers.get("idempotent-replayed")])).toEqual([
      [200, { queued: 1 }, null],
      [200, { queued: 1 }, "true"]
    ])
    expect((await rows()).filter(({ replay }) => replay).length).toBe(1)
  })
})

describe("the first day of Send again what failed [accounts-19]", () => {
  it("is a day of the developer's time zone, like the days of the log's filters", async () => {
    const { browser, on, path } = await visit()
    await on.developer.send("PUT", "/v1/user/time-zone", { time_zone: "Pacific/Auckland" })
    await on.script(MemoryWebhookSender.answers(500))
    // Moves the clock to 13:00 UTC. In Auckland the next day has begun.
    world.clock.advance(DAY - (world.clock.now() % DAY) + 13 * HOUR)
    const since = new Date(world.clock.now() + DAY).toISOString().slice(0, 10)
    await on.fire()
    for (const wait of [0, 30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]) {
      world.clock.advance(wait)
      await on.work()
    }
    const endpoint = `${path}/webhooks/${on.endpoints[0]}`
    const page = await browser.get(endpoint)
    const log = `${path}/deliveries?endpoint=${on.endpoints[0]}`
    expect(page.text).not.toContain("Events since the beginning of (UTC)")
    expect(where(await browser.submit(page, `${endpoint}/recover`, { since }))).toEqual([303, `${log}&recovered=1`])
    const wrong = await browser.submit(page, `${endpoint}/recover`, { since: "2026-02-30" })
    expect(wrong.status).toBe(400)
  })
})
