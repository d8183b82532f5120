import { AuditLog } from "@place-access/domain/audit"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import type { Answer } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const secretOf = ({ text }: Answer) => /data-testid="(?:signing|client)-secret"\s*>([^<]+)</.exec(text)?.[1]
const where = ({ headers, status }: Answer) => [status, headers.get("location")]
const CALLBACK = { redirect_uris: "https://coffee.example/callback" }

/** A developer's browser, and an app with a client secret and an endpoint. */
const visit = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const path = `/developer/apps/${app.id}`
  const hooks = `/v1${path}/webhooks`
  const made = await person.send("POST", hooks, { url: "https://hooks.example.com/places" })
  const { id } = made.json as { readonly id: string }
  const browser = await signedIn(world, person.account.email)
  return {
    browser,
    path,
    buttons: {
      "rotate-secret": { page: `${path}/webhooks`, action: `${path}/webhooks/${id}/rotate-secret`, fields: {} },
      "replace-secret": { page: `${path}/webhooks/${id}`, action: `${path}/webhooks/${id}/replace-secret`, fields: {} },
      "secrets/replace": { page: path, action: `${path}/secrets/replace`, fields: {} },
      "redirect-uris": { page: path, action: `${path}/redirect-uris`, fields: { ...CALLBACK, secret: "new" } }
    },
    /** How many events of the audit log say that a secret was replaced or ended. */
    events: async () => {
      const log = Effect.flatMap(AuditLog, ({ list }) => list({ userId: person.account.id }, 100, undefined))
      return (await world.run(log)).items.filter(({ detail }) => detail.kind.startsWith("secret_")).length
    }
  }
}

const BUTTONS = ["rotate-secret", "replace-secret", "secrets/replace", "redirect-uris"] as const

describe("a button that makes a secret and whose answer is loaded again [idempotency-6]", () => {
  it.each(BUTTONS)("shows the same secret, and replaces no other: %s", async (button) => {
    const { browser, buttons, events } = await visit()
    const { action, fields, page } = buttons[button]
    const form = await browser.get(page)
    const first = await browser.submit(form, action, fields)
    world.clock.advance(1)
    const again = await browser.submit(form, action, fields)
    expect([first.status, again.status, secretOf(first)]).toEqual([200, 200, expect.stringMatching(/^\w+_/)])
    expect(secretOf(again)).toBe(secretOf(first))
    expect(again.text.match(/<h1>.*<\/h1>/)).toEqual(first.text.match(/<h1>.*<\/h1>/))
    expect(await events()).toBe(1)
    world.clock.advance(1)
    const anew = await browser.submit(await browser.get(page), action, fields)
    expect([secretOf(anew) === secretOf(first), await events()]).toEqual([false, 2])
  })

  it.each(BUTTONS)("leads away, and shows no secret, when there is a newer one: %s", async (button) => {
    const { browser, buttons, path } = await visit()
    const { action, fields, page } = buttons[button]
    const form = await browser.get(page)
    await browser.submit(form, action, fields)
    world.clock.advance(1)
    await browser.submit(await browser.get(page), action, fields)
    const again = await browser.submit(form, action, fields)
    const list = action.includes("/webhooks/") ? `${path}/webhooks` : path
    expect([where(again), secretOf(again)]).toEqual([[303, list], undefined])
  })

  it("after the endpoint was removed, it leads to the list of endpoints", async () => {
    const { browser, buttons, path } = await visit()
    const { action, page } = buttons["rotate-secret"]
    const form = await browser.get(page)
    await browser.submit(form, action)
    await browser.submit(await browser.get(page), action.replace("rotate-secret", "remove"))
    expect(where(await browser.submit(form, action))).toEqual([303, `${path}/webhooks`])
  })

  it("with other redirect URIs, the form is another one, which makes another secret", async () => {
    const { browser, buttons } = await visit()
    const { action, fields, page } = buttons["redirect-uris"]
    const { app } = await world.app(await world.person())
    const registered = { ...fields, redirect_uris: app.redirectUris.join("\n") }
    const form = await browser.get(page)
    const first = await browser.submit(form, action, registered)
    const other = await browser.submit(form, action, { ...registered, redirect_uris: "https://coffee.example/other" })
    expect([first.status, other.status, secretOf(other) === secretOf(first)]).toEqual([200, 200, false])
  })
})
