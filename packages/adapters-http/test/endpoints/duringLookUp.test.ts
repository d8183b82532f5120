import { endAllSessions } from "@place-access/domain/accounts"
import { type App, AppStore } from "@place-access/domain/apps"
import { AuditEvent } from "@place-access/domain/audit"
import { acceptInvitation, inviteMember, leaveTeam } from "@place-access/domain/teams"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Deferred, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import type { Answer } from "../support/wire.js"
import { type Person, startWorld, type World } from "../support/World.js"

const HOOK = "https://hooks.example.com/places"
const SLOW = "https://hooks.slow.example/places"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** An app with one endpoint, and a developer in its team. */
const stage = async () => {
  const [owner, developer] = [await world.person(), await world.person()]
  const { app } = await world.app(owner)
  const { email } = developer.account
  await world.run(
    Effect.flatMap(inviteMember(owner.account, app.id, { email, role: "developer" }), ({ id }) =>
      acceptInvitation(developer.account, "assumed", { appId: app.id, id })
    )
  )
  const path = `/developer/apps/${app.id}/webhooks`
  const { json } = await owner.send("POST", `/v1${path}`, { url: HOOK })
  const { id } = json as { readonly id: string }
  return { owner, developer, app, path, one: `${path}/${id}` }
}

type Stage = Awaited<ReturnType<typeof stage>>

/** Sends a request whose look-up of a host name ends only after `meanwhile`. Returns the answer. */
const sentDuring = async (send: () => Promise<Answer>, meanwhile: () => Promise<unknown>) => {
  const [requested, answered] = [Effect.runSync(Deferred.make<void>()), Effect.runSync(Deferred.make<void>())]
  const lookUp = Effect.zipRight(Deferred.succeed(requested, undefined), Deferred.await(answered))
  await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.scriptLookUp(SLOW, lookUp)))
  const sent = send()
  await Effect.runPromise(Deferred.await(requested))
  await meanwhile()
  Effect.runSync(Deferred.succeed(answered, undefined))
  return sent
}

/** Opens a page, and returns the request that a browser makes for the page's form. */
const form = async (page: string, { account }: Person) => {
  const browser = await signedIn(world, account.email)
  const shown = await browser.get(page)
  return () => browser.submit(shown, page, { url: SLOW })
}

type Request = (stage: Stage) => Promise<() => Promise<Answer>>

const CALLS: ReadonlyArray<readonly [string, Request]> = [
  [
    "POST …/webhooks",
    async ({ developer, path }) =>
      () =>
        developer.send("POST", `/v1${path}`, { url: SLOW })
  ],
  [
    "POST …/webhooks with an Idempotency-Key",
    async ({ developer, path }) =>
      () =>
        developer.send("POST", `/v1${path}`, { url: SLOW }, { headers: { "idempotency-key": "key-1" } })
  ],
  [
    "PATCH …/webhooks/{id}",
    async ({ developer, one }) =>
      () =>
        developer.send("PATCH", `/v1${one}`, { url: SLOW })
  ]
]

const FORMS: ReadonlyArray<readonly [string, Request]> = [
  ["the page of webhooks", async ({ developer, path }) => form(path, developer)],
  ["the page of an endpoint", async ({ developer, one }) => form(one, developer)]
]

/** The addresses of the app's endpoints. */
const addresses = async ({ owner, path }: Stage) => {
  const { json } = await owner.get(`/v1${path}`)
  return (json as { readonly webhooks: ReadonlyArray<{ readonly url: string }> }).webhooks.map(({ url }) => url)
}

const outcome = async (made: Stage, prepare: Request, meanwhile: () => Promise<unknown>) => {
  const send = await prepare(made)
  const { headers, status, text } = await sentDuring(send, meanwhile)
  expect(text).not.toContain("whsec_")
  expect(await addresses(made)).toEqual([HOOK])
  return [status, headers.get("location")?.split("?")[0] ?? null]
}

const ended = ({ developer }: Stage) => world.run(endAllSessions(developer.account.id, AuditEvent.OPERATOR))

describe("an endpoint whose host name resolves slowly", () => {
  it.each(CALLS)("is not stored when the session has ended meanwhile: %s [accounts-23]", async (_, prepare) => {
    const made = await stage()
    expect(await outcome(made, prepare, () => ended(made))).toEqual([401, null])
  })

  it.each(FORMS)("is not stored when the session has ended meanwhile: %s [accounts-23]", async (_, prepare) => {
    const made = await stage()
    expect(await outcome(made, prepare, () => ended(made))).toEqual([303, "/sign-in"])
  })

  it.each([...CALLS, ...FORMS])(
    "is not stored when its member has left meanwhile: %s [teams-1]",
    async (_, prepare) => {
      const made = await stage()
      const leaves = () => world.run(leaveTeam(made.developer.account, made.app.id))
      expect(await outcome(made, prepare, leaves)).toEqual([404, null])
    }
  )

  it.each([...CALLS, ...FORMS])("is not stored when its app was revoked meanwhile: %s [apps-2]", async (_, prepare) => {
    const made = await stage()
    const revoked = (before: App.App, revokedAt: App.App["revokedAt"]) => ({ ...before, revokedAt })
    const revoke = () =>
      world.run(
        Effect.flatMap(AppStore, (apps) =>
          apps.update(made.app.id, ({ app, secrets }, now) => ({
            outcome: 0,
            after: { app: revoked(app, now), secrets }
          }))
        )
      )
    // The page of webhooks shows its form again, with the reason of the refusal.
    expect([400, 409]).toContain((await outcome(made, prepare, revoke))[0])
  })
})
