import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { connected, CURRENT, saying, tokensIn } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const DAY = 86_400_000
const HOOK = "https://hooks.example.com/in"
const INVALID_CLIENT = [401, "invalid_client"]

interface Issued {
  readonly clientSecret: string
}

/** A connected app whose secret was replaced once, so that two secrets work. */
const rotated = async () => {
  const stage = await connected(world)
  const { app, clientSecret: first, person } = stage
  const path = `/v1/developer/apps/${app.id}`
  const redirectUris = app.redirectUris
  const repeated = await person.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris })
  const { clientSecret: second } = repeated.json as Issued
  const tokens = await stage.connect([CURRENT])
  let refreshToken = tokens.refresh_token
  return {
    ...stage,
    path,
    first,
    second,
    accessToken: tokens.access_token,
    /** Refreshes the connection's tokens with a secret. */
    refreshWith: async (clientSecret: string) => {
      const answer = await stage.refresh(refreshToken, { clientSecret })
      if (answer.status === 200) refreshToken = tokensIn(answer).refresh_token
      return answer.status === 200 ? 200 : saying(answer)
    },
    secrets: async () => {
      const { secrets } = (await person.get(`${path}/secrets`)).json as { readonly secrets: ReadonlyArray<unknown> }
      return secrets.length
    }
  }
}

describe("a client secret is ended at once [apps-10]", () => {
  it("the earlier one: it is refused from then on, without its 24 hours; the newest, the connection and its tokens stay", async () => {
    const { accessToken, first, me, path, person, refreshWith, second, secrets } = await rotated()
    expect([await refreshWith(first), await refreshWith(second), await secrets()]).toEqual([200, 200, 2])
    for (let times = 0; times < 2; times++) {
      expect((await person.send("DELETE", `${path}/previous-secrets`)).status).toBe(204)
    }
    expect([await refreshWith(first), await refreshWith(second), await secrets()]).toEqual([INVALID_CLIENT, 200, 1])
    expect((await me(accessToken)).status).toBe(200)
  })

  it("all of them, for a new one: a thief with either gets nothing, the connection goes on with the new one", async () => {
    const { accessToken, app, first, me, path, person, refreshWith, second, secrets } = await rotated()
    const answer = await person.send("POST", `${path}/replace-secret`)
    const { clientSecret: third } = answer.json as Issued
    expect([answer.status, answer.json]).toEqual([200, { clientId: app.id, clientSecret: expect.any(String) }])
    expect([await refreshWith(first), await refreshWith(second)]).toEqual([INVALID_CLIENT, INVALID_CLIENT])
    expect([await refreshWith(third), (await me(accessToken)).status, await secrets()]).toEqual([200, 200, 1])
    // A day later, the ended secret must still be refused, and the new secret must still work.
    world.clock.advance(DAY)
    expect([await refreshWith(second), await refreshWith(third)]).toEqual([INVALID_CLIENT, 200])
  })

  it("an app without a secret, and a revoked one, get none: 409; another person's app is 404; the answer is not kept in caches", async () => {
    const person = await world.person()
    const made = await person.send("POST", "/v1/developer/apps", {
      name: "Tea Finder",
      description: "Finds good tea.",
      scopes: [CURRENT]
    })
    const path = `/v1/developer/apps/${(made.json as { readonly id: string }).id}`
    for (const [method, name] of [
      ["POST", "replace-secret"],
      ["DELETE", "previous-secrets"]
    ] as const) {
      const answer = await person.send(method, `${path}/${name}`)
      expect([saying(answer), answer.text.includes("no client secret yet")]).toEqual([[409, "conflict"], true])
      expect((await (await world.person()).send(method, `${path}/${name}`)).status).toBe(404)
      expect((await world.call(`${path}/${name}`, { method })).status).toBe(401)
    }
    const { app, person: owner } = await rotated()
    const admin = await world.person({ roles: ["admin"] })
    await admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, { reason: "No." })
    expect(saying(await owner.send("POST", `/v1/developer/apps/${app.id}/replace-secret`))).toEqual([409, "conflict"])
  })

  it("by the page: it says what breaks, shows the new secret once, and the ended ones are gone from the list", async () => {
    const { app, first, person, refreshWith, second } = await rotated()
    const browser = await signedIn(world, person.account.email)
    const path = `/developer/apps/${app.id}`
    const page = await browser.get(path)
    expect(page.text).toContain("Until your servers have the new one, they cannot get")
    expect((await browser.submit(page, `${path}/secrets/end-previous`)).status).toBe(303)
    expect([await refreshWith(first), await refreshWith(second)]).toEqual([INVALID_CLIENT, 200])
    const shown = await browser.submit(await browser.get(path), `${path}/secrets/replace`)
    const third = /data-testid="client-secret">([^<]+)</.exec(shown.text)?.[1] ?? ""
    expect([await refreshWith(second), await refreshWith(third)]).toEqual([INVALID_CLIENT, 200])
    expect((await browser.get(path)).text).not.toContain(third)
    expect((await browser.post(`${path}/secrets/replace`, { form_token: "forged" })).status).toBe(403)
    expect(await refreshWith(third)).toBe(200)
  })
})

describe("a signing secret is ended at once [apps-10]", () => {
  const endpointOf = async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const made = await person.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url: HOOK })
    const { id, secret } = made.json as { readonly id: string; readonly secret: string }
    const one = `/v1/developer/apps/${app.id}/webhooks/${id}`
    /** The secrets in `among` with which the service signs the next delivery. */
    const signedBy = async (among: ReadonlyArray<string>) => {
      await world.run(
        Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.script(HOOK, MemoryWebhookSender.answers(200)))
      )
      await person.send("POST", `${one}/test`)
      const posts = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.posts(HOOK)))
      const post = posts.at(-1)
      const header = new Map(post?.headers).get("X-Service-Signature") ?? ""
      const message = `${Math.floor(world.clock.now() / 1_000)}.${post?.body}`
      return [
        header.split("v1=").length - 1,
        among.map((key) => header.includes(`v1=${MemoryWebhookSender.sign(key, message)}`))
      ]
    }
    const issued = async (name: string) =>
      ((await person.send("POST", `${one}/${name}`)).json as { readonly secret: string }).secret
    return { app, person, one, first: secret, signedBy, issued }
  }

  it("the earlier ones, or all of them for a new one: deliveries carry no signature of theirs any more", async () => {
    const { first, issued, one, person, signedBy } = await endpointOf()
    const second = await issued("rotate-secret")
    expect(await signedBy([first, second])).toEqual([2, [true, true]])
    for (let times = 0; times < 2; times++) {
      expect((await person.send("DELETE", `${one}/previous-secrets`)).status).toBe(204)
    }
    expect(await signedBy([first, second])).toEqual([1, [false, true]])
    const third = await issued("replace-secret")
    expect(await signedBy([first, second, third])).toEqual([1, [false, false, true]])
    const stranger = await world.person()
    expect((await stranger.send("POST", `${one}/replace-secret`)).status).toBe(404)
    expect((await stranger.send("DELETE", `${one}/previous-secrets`)).status).toBe(404)
    expect(await signedBy([third])).toEqual([1, [true]])
  })

  it("by the page: it says what breaks, and offers to end earlier ones only while there are some", async () => {
    const { app, first, issued, one, person, signedBy } = await endpointOf()
    const browser = await signedIn(world, person.account.email)
    const path = `/developer/apps/${app.id}/webhooks`
    const form = one.replace("/v1", "")
    expect((await browser.get(path)).text).not.toContain("End the earlier secrets now")
    const second = await issued("rotate-secret")
    const page = await browser.get(path)
    expect(page.text).toContain("End the earlier secrets now")
    expect((await browser.submit(page, `${form}/end-previous-secrets`)).status).toBe(303)
    expect(await signedBy([first, second])).toEqual([1, [false, true]])
    const shown = await browser.submit(await browser.get(path), `${form}/replace-secret`)
    const third = /data-testid="signing-secret">([^<]+)</.exec(shown.text)?.[1] ?? ""
    expect(await signedBy([second, third])).toEqual([1, [false, true]])
  })
})
