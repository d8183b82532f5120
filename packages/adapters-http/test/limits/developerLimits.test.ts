import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { AccountLimits } from "@place-access/domain/quotas"
import { acceptInvitation, inviteMember, readTeam } from "@place-access/domain/teams"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { mailTo } from "../support/mailbox.js"
import { stage } from "../support/webhooks.js"
import type { Answer } from "../support/wire.js"
import { type Person, startWorld, type World } from "../support/World.js"

const [HOUR, DAY] = [3_600_000, 86_400_000]

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const use = (subject: Subject.LimitSubject, rate: Rate.Rate, calls: number) =>
  world.run(Effect.replicateEffect(takeCall(subject, rate), calls, { discard: true }))

/** A refusal as the API sends it: with a capital first letter. */
const refusalOf = ({ refusal }: AccountLimits.WindowLimit) => [
  429,
  `${refusal?.charAt(0).toUpperCase()}${refusal?.slice(1)}`
]
const errorOf = ({ json, status }: Answer) => [status, (json as { readonly message?: unknown }).message]

interface Row {
  readonly id: string
  readonly test: boolean
}

/** A developer whose receiver answers 200, the developer's browser, and a delivery. */
const delivered = async (what: "an event" | "a test") => {
  const on = await stage(world)
  await on.script(MemoryWebhookSender.answers(200))
  if (what === "an event") await on.fire()
  else expect((await on.developer.send("POST", `${on.base}/webhooks/${on.endpoints[0]}/test`)).status).toBe(200)
  await on.work()
  const { deliveries } = (await on.developer.get(on.log)).json as { readonly deliveries: ReadonlyArray<Row> }
  const one = deliveries.find(({ test }) => test === (what === "a test"))?.id ?? ""
  const browser = await signedIn(world, on.developer.account.email)
  const page = `/developer/apps/${on.app.id}/deliveries/${one}`
  return {
    on,
    id: on.developer.account.id,
    /**
     * Redelivers with the API. Before that, the worker delivers earlier replays: a waiting replay would be a reason for
     * 409.
     */
    redeliver: async () => {
      await on.work()
      return on.developer.send("POST", `${on.log}/${one}/redeliver`)
    },
    press: async () => {
      await on.work()
      return browser.submit(await browser.get(page), `${page}/redeliver`)
    },
    /** Sends one form twice. */
    pressTwice: async () => {
      await on.work()
      const shown = await browser.get(page)
      return [await browser.submit(shown, `${page}/redeliver`), await browser.submit(shown, `${page}/redeliver`)]
    },
    posts: async () => {
      await on.work()
      const url = `https://hooks.example.com/${on.app.id}`
      return world.run(
        Effect.flatMap(MemoryWebhookSender.Receivers, (all) => Effect.map(all.posts(url), (sent) => sent.length))
      )
    }
  }
}

describe("what a developer's account redelivers [limits-9]", () => {
  it("300 webhooks in an hour, by the API or the page: one more is not sent", async () => {
    const { id, posts, press, redeliver } = await delivered("an event")
    await use(Subject.redeliveriesOf(id), Rate.REDELIVERIES, 298)
    const answers = [await redeliver(), await press()]
    expect(answers.map(({ status }) => status)).toEqual([201, 303])
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe("300;w=3600")
    const before = await posts()
    expect(errorOf(await redeliver())).toEqual(refusalOf(AccountLimits.REDELIVERIES))
    const shown = await press()
    expect([shown.status, shown.text.includes("redeliver 300 webhooks in an hour")]).toEqual([429, true])
    expect(await posts()).toBe(before)
    world.clock.advance(HOUR)
    expect((await redeliver()).status).toBe(201)
  })

  it("a test that is redelivered counts as another test: at 30 in an hour, one more is not sent", async () => {
    const { id, on, posts, press, redeliver } = await delivered("a test")
    await use(Subject.testsOf(id), Rate.TESTS, 27)
    const answers = [await redeliver(), await press()]
    expect(answers.map(({ status }) => status)).toEqual([201, 303])
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe("300;w=3600")
    const before = await posts()
    const test = `${on.base}/webhooks/${on.endpoints[0]}/test`
    for (const refused of [await redeliver(), await on.developer.send("POST", test)]) {
      expect(errorOf(refused)).toEqual(refusalOf(AccountLimits.TEST_WEBHOOKS))
    }
    const shown = await press()
    expect([shown.status, shown.text.includes("30 test webhooks in an hour")]).toEqual([429, true])
    expect(await posts()).toBe(before)
  })

  it("a form that is sent again counts once, also at the limit [idempotency-6]", async () => {
    const { id, press, pressTwice } = await delivered("a test")
    await use(Subject.redeliveriesOf(id), Rate.REDELIVERIES, 299)
    await use(Subject.testsOf(id), Rate.TESTS, 28)
    const [first, second] = await pressTwice()
    expect([first?.status, second?.status]).toEqual([303, 303])
    expect(second?.headers.get("location")).toBe(first?.headers.get("location"))
    expect((await press()).status).toBe(429)
  })

  it("an event that is redelivered is no test", async () => {
    const { id, redeliver } = await delivered("an event")
    await use(Subject.testsOf(id), Rate.TESTS, 30)
    expect((await redeliver()).status).toBe(201)
  })
})

describe("the new secrets of a developer's account [limits-9]", () => {
  it("300 in a day over all apps, client secrets and signing secrets together, by the API or the page", async () => {
    const { app, base, developer, endpoints } = await stage(world)
    const browser = await signedIn(world, developer.account.email)
    const page = `/developer/apps/${app.id}`
    const hook = `/webhooks/${endpoints[0]}`
    const register = () =>
      developer.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris: ["https://coffee.example/callback"] })
    const byApi = [
      register,
      () => developer.send("POST", `${base}/replace-secret`),
      () => developer.send("POST", `${base}${hook}/rotate-secret`),
      () => developer.send("POST", `${base}${hook}/replace-secret`)
    ]
    const byPage = [
      async () =>
        browser.submit(await browser.get(page), `${page}/redirect-uris`, {
          secret: "new",
          redirect_uris: "https://coffee.example/callback"
        }),
      async () => browser.submit(await browser.get(page), `${page}/secrets/replace`),
      async () => browser.submit(await browser.get(`${page}${hook}`), `${page}${hook}/rotate-secret`),
      async () => browser.submit(await browser.get(`${page}${hook}`), `${page}${hook}/replace-secret`)
    ]
    await use(Subject.secretsOf(developer.account.id), Rate.NEW_SECRETS, 292)
    for (const [action, status] of [...byApi, ...byPage].map((one, index) => [one, index === 0 ? 201 : 200] as const)) {
      expect((await action()).status).toBe(status)
    }
    for (const action of byApi) expect(errorOf(await action())).toEqual(refusalOf(AccountLimits.NEW_SECRETS))
    for (const action of byPage) {
      const shown = await action()
      expect([shown.status, shown.text.includes("make 300 new secrets in a day")]).toEqual([429, true])
    }
    // The limit counts only new secrets. So the developer can still save redirect URIs without a new secret, and can
    // still end secrets.
    const saved = await browser.submit(await browser.get(page), `${page}/redirect-uris`, {
      redirect_uris: "https://coffee.example/other"
    })
    const ended = await developer.send("DELETE", `${base}${hook}/previous-secrets`)
    expect([saved.status, ended.status]).toEqual([303, 204])
    world.clock.advance(DAY)
    expect((await register()).status).toBe(201)
  })

  it("a form for a secret that is sent again counts once, also at the limit [idempotency-6]", async () => {
    const on = await stage(world)
    const browser = await signedIn(world, on.developer.account.email)
    const page = `/developer/apps/${on.app.id}/webhooks/${on.endpoints[0]}`
    await use(Subject.secretsOf(on.developer.account.id), Rate.NEW_SECRETS, 299)
    const shown = await browser.get(page)
    const secret = async () => {
      const { status, text } = await browser.submit(shown, `${page}/rotate-secret`)
      return [status, /data-testid="signing-secret"\s*>([^<]+)</.exec(text)?.[1]]
    }
    const first = await secret()
    expect(first).toEqual([200, expect.any(String)])
    expect(await secret()).toEqual(first)
    expect((await browser.submit(await browser.get(page), `${page}/rotate-secret`)).status).toBe(429)
  })
})

describe("the hand-overs of an account [limits-9]", () => {
  it("50 in a day over all apps, by the API or the page: one more hands nothing over and mails nobody", async () => {
    const [one, two] = [await world.person(), await world.person()]
    const { app } = await world.app(one)
    const path = `/apps/${app.id}/team`
    const { id } = await world.run(inviteMember(one.account, app.id, { email: two.account.email, role: "owner" }))
    await world.run(acceptInvitation(two.account, "confirmed", { appId: app.id, id }))
    const team = () => world.run(readTeam(one.account, app.id))
    /** The address of the form with which the holder hands the app over to the other owner. */
    const action = async () =>
      `${path}/members/${(await team()).members.find((member) => member.id !== null)?.id}/hand-over`
    const byApi = async (who: Person) => who.send("POST", `/v1/developer${await action()}`)
    const byPage = async () => {
      const browser = await signedIn(world, one.account.email)
      return browser.submit(await browser.get(`/developer${path}`), `/developer${await action()}`)
    }
    await use(Subject.handedOverBy(one.account.id), Rate.HAND_OVERS, 48)
    expect([(await byApi(one)).status, (await byApi(two)).status]).toEqual([200, 200])
    expect([(await byPage()).status, (await byApi(two)).status]).toEqual([303, 200])
    const mails = await mailTo(world, two.account.email)
    expect(errorOf(await byApi(one))).toEqual(refusalOf(AccountLimits.HAND_OVERS))
    const shown = await byPage()
    expect([shown.status, shown.text.includes("hand over 50 apps in a day")]).toEqual([429, true])
    expect((await team()).isHolder).toBe(true)
    expect(await mailTo(world, two.account.email)).toEqual(mails)
    world.clock.advance(DAY)
    expect((await byPage()).status).toBe(303)
  })

  it("the second press of a form counts nothing, because the app is somebody else's already", async () => {
    const [one, two] = [await world.person(), await world.person()]
    const { app } = await world.app(one)
    const path = `/developer/apps/${app.id}/team`
    const { id } = await world.run(inviteMember(one.account, app.id, { email: two.account.email, role: "owner" }))
    await world.run(acceptInvitation(two.account, "confirmed", { appId: app.id, id }))
    const { members } = await world.run(readTeam(one.account, app.id))
    const browser = await signedIn(world, one.account.email)
    const shown = await browser.get(path)
    await use(Subject.handedOverBy(one.account.id), Rate.HAND_OVERS, 49)
    const action = `${path}/members/${members[1]?.id}/hand-over`
    const answers = [await browser.submit(shown, action), await browser.submit(shown, action)]
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
  })
})
