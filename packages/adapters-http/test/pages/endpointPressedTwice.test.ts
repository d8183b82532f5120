import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Deferred, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import type { Answer } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const HOOK = "https://hooks.example.com/places"
const SLOW = "https://hooks.slow.example/places"

interface Listed {
  readonly id: string
  readonly headers: ReadonlyArray<object>
}

/** A browser with the form for a new endpoint. Each call of `add` sends the same form. */
const form = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const browser = await signedIn(world, person.account.email)
  const path = `/developer/apps/${app.id}/webhooks`
  const page = await browser.get(path)
  return {
    browser,
    add: (fields = {}) => browser.submit(page, path, { url: HOOK, ...fields }),
    endpoints: async () =>
      ((await person.get(`/v1${path}`)).json as { readonly webhooks: ReadonlyArray<Listed> }).webhooks,
    path,
    /** Presses a button of an endpoint. */
    press: async (endpoint: Listed | undefined, action: string) =>
      browser.submit(await browser.get(path), `${path}/${endpoint?.id}/${action}`)
  }
}

const secretOf = ({ text }: Answer) => /data-testid="signing-secret"\s*>([^<]+)</.exec(text)?.[1]
const where = ({ headers, status }: Answer) => [status, headers.get("location")]

describe("the page of a new signing secret", () => {
  it.each(["rotate-secret", "replace-secret"])("leads back to the page with the button: %s", async (action) => {
    const { add, browser, endpoints, path } = await form()
    await add()
    const [endpoint] = await endpoints()
    for (const page of [path, `${path}/${endpoint?.id}`]) {
      const { text } = await browser.submit(await browser.get(page), `${path}/${endpoint?.id}/${action}`)
      expect(text).toContain(`<a class="button" href="${page}">I have kept it</a>`)
    }
  })
})

describe("the form of a webhook endpoint that is sent twice [idempotency-6]", () => {
  it("with another value of a header, or another header, it adds another endpoint", async () => {
    const { add, endpoints } = await form()
    const drafts = [
      {},
      { header_name: "X-Api-Key", header_value: "wrong" },
      { header_name: "X-Api-Key", header_value: "right" },
      { header_name: "X-Other", header_value: "right" }
    ]
    const secrets = new Set<string | undefined>()
    for (const draft of drafts) {
      const secret = secretOf(await add(draft))
      expect(secretOf(await add(draft))).toBe(secret)
      secrets.add(secret)
    }
    expect([secrets.size, secrets.has(undefined), (await endpoints()).length]).toEqual([4, false, 4])
  })

  it("after the endpoint was removed it leads to the list, and shows no secret", async () => {
    const { add, endpoints, path, press } = await form()
    expect(secretOf(await add())).toMatch(/^whsec_/)
    await press((await endpoints())[0], "remove")
    const repeated = await add()
    expect([where(repeated), secretOf(repeated)]).toEqual([[303, path], undefined])
    expect(await endpoints()).toEqual([])
  })

  it.each(["replace-secret", "rotate-secret"])(
    "after %s it leads to the list, and does not show the earlier secret",
    async (action) => {
      const { add, endpoints, path, press } = await form()
      await add()
      world.clock.advance(1)
      expect(secretOf(await press((await endpoints())[0], action))).toMatch(/^whsec_/)
      const repeated = await add()
      expect([where(repeated), secretOf(repeated)]).toEqual([[303, path], undefined])
    }
  )

  it("each request looks the host up once, before the transaction [idempotency-4]", async () => {
    const { add, endpoints } = await form()
    const answered = Effect.runSync(Deferred.make<void>())
    const requested = Effect.runSync(Deferred.make<void>())
    let lookUps = 0
    // In this test, the look-up of the address by the first request ends only after the second request has its answer.
    // So the look-up must not run inside a transaction: the second request would wait for this transaction, and neither
    // request would end.
    const lookUp = Effect.suspend(() =>
      ++lookUps === 1 ? Effect.zipRight(Deferred.succeed(requested, undefined), Deferred.await(answered)) : Effect.void
    )
    await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.scriptLookUp(SLOW, lookUp)))
    const first = add({ url: SLOW })
    await Effect.runPromise(Deferred.await(requested))
    const second = await add({ url: SLOW })
    Effect.runSync(Deferred.succeed(answered, undefined))
    expect(secretOf(second)).toMatch(/^whsec_/)
    expect([secretOf(await first), lookUps]).toEqual([secretOf(second), 2])
    expect(await endpoints()).toHaveLength(1)
  })
})
