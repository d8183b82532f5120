import { Factors, FactorStore, replaceRecoveryCodes } from "@place-access/domain/factors"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as OTPAuth from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mailTo } from "../support/mailbox.js"
import { visitor } from "../support/visitor.js"
import { jsonBody } from "../support/wire.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const QUARTER = 15 * Timestamp.MINUTE
const SUBJECT = "Somebody types wrong one-time codes for your account"

/** Sets the number of wrong codes in a row. */
const countedAs = (wrongCodes: number, { account }: Person, secret?: Vault.Sealed) =>
  world.run(
    Effect.flatMap(FactorStore, (store) =>
      store.change(account.id, ({ factors }, now) => {
        const before = factors.codeApp ?? { secret: Vault.Sealed.make(""), confirmedAt: now, usedStep: -1 }
        const codeApp = { ...before, secret: secret ?? before.secret, wrongCodes }
        return [null, { factors: { ...factors, codeApp }, mails: [], audit: [], endsSessions: false }]
      })
    )
  )

/** A person with an app for one-time codes, with functions that make codes and sign this person in. */
const withCodeApp = async () => {
  const person = await world.person()
  const { account } = person
  const totp = new OTPAuth.TOTP({ secret: new OTPAuth.Secret({ size: 20 }) })
  const sealed = await world.run(
    Effect.flatMap(Vault.Vault, (vault) => vault.seal(totp.secret.base32, Factors.secretContext(account.id)))
  )
  await countedAs(0, person, sealed)
  const right = () => {
    world.clock.advance(Timestamp.MINUTE)
    return totp.generate({ timestamp: world.clock.now() })
  }
  const wrong = () => {
    const near = [-1, 0, 1].map((step) => totp.generate({ timestamp: world.clock.now() + step * 30_000 }))
    return ["000000", "000001", "000002", "000003"].find((code) => !near.includes(code)) ?? ""
  }
  let password = PASSWORD
  const signIn = async (code: string, cookie = "") => {
    const { headers, ...body } = jsonBody({ email: account.email, password, code })
    return world.call("/v1/session", { method: "POST", ...body, headers: { ...headers, cookie } })
  }
  /** Types wrong codes until the service refuses every code for a while, even the right code. */
  const guess = async (cookie = "") => {
    for (let n = 0; n < 5; n++) expect((await signIn(wrong(), cookie)).status).toBe(401)
    expect((await signIn(right(), cookie)).status).toBe(429)
  }
  const chooses = (chosen: string) => (password = chosen)
  const mails = async () => (await mailTo(world, account.email)).filter(({ subject }) => subject === SUBJECT)
  return { person, right, wrong, signIn, guess, chooses, mails }
}

/** Signs in with the right code, and returns the cookie that makes the browser known. */
const knownBrowser = async ({ right, signIn }: Awaited<ReturnType<typeof withCodeApp>>) => {
  const { headers, status } = await signIn(right())
  expect(status).toBe(201)
  return (
    headers
      .getSetCookie()
      .find((one) => one.startsWith("browser="))
      ?.split(";")[0] ?? ""
  )
}

describe("wrong codes [factors-4]", () => {
  it("in unknown browsers do not close a known browser, which has five of its own, nor a confirmation in it [accounts-14]", async () => {
    const owner = await withCodeApp()
    const cookie = await knownBrowser(owner)
    await owner.guess()
    expect((await owner.signIn(owner.right(), cookie)).status).toBe(201)
    const { person, right } = owner
    const confirm = (init: RequestInit) =>
      person.send("POST", "/v1/session/confirmation", { password: PASSWORD, code: right() }, init)
    expect((await confirm({})).status).toBe(429)
    expect((await confirm({ headers: { cookie: `${person.cookie}; ${cookie}` } })).status).toBe(204)
    await owner.guess(cookie)
    world.clock.advance(QUARTER)
    expect((await owner.signIn(owner.right(), cookie)).status).toBe(201)
  })

  it("of the earlier password do not count for a new password", async () => {
    const owner = await withCodeApp()
    await owner.guess()
    const chosen = "a horse that is new here"
    const sent = { password: PASSWORD, new_password: chosen }
    expect((await owner.person.send("PUT", "/v1/user/account/password", sent)).status).toBe(204)
    owner.chooses(chosen)
    expect((await owner.signIn(owner.right())).status).toBe(201)
  })

  it("five in a row are mailed to the owner, at most once a day; a right code begins a new count", async () => {
    const owner = await withCodeApp()
    for (let n = 0; n < 4; n++) await owner.signIn(owner.wrong())
    expect((await owner.signIn(owner.right())).status).toBe(201)
    await owner.signIn(owner.wrong())
    expect(await owner.mails()).toHaveLength(0)
    for (let n = 0; n < 4; n++) await owner.signIn(owner.wrong())
    expect(await owner.mails()).toHaveLength(1)
    world.clock.advance(QUARTER)
    await owner.guess()
    expect(await owner.mails()).toHaveLength(1)
    world.clock.advance(Timestamp.DAY)
    await owner.guess()
    expect(await owner.mails()).toHaveLength(2)
  })

  it("after 100 in a row no code of the app is accepted; a recovery code is, and begins a new count", async () => {
    const owner = await withCodeApp()
    const [recovery = ""] = await world.run(replaceRecoveryCodes(owner.person.account))
    await countedAs(98, owner.person)
    expect((await owner.signIn(owner.wrong())).status).toBe(401)
    expect((await owner.signIn(owner.right())).status).toBe(201)
    await countedAs(99, owner.person)
    expect((await owner.signIn(owner.wrong())).status).toBe(401)
    expect((await owner.signIn(owner.right())).status).toBe(401)
    const browser = visitor(world.url, world.url)
    const { email } = owner.person.account
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
    expect((await browser.get("/sign-in/second-step")).text).toContain("After 100 wrong codes in a row, the codes of")
    expect((await owner.signIn(recovery)).status).toBe(201)
    expect((await owner.signIn(owner.right())).status).toBe(201)
  })

  it("the page about the second factor says that the codes of the app no longer work, and how they work again", async () => {
    const owner = await withCodeApp()
    const browser = visitor(world.url, world.url)
    const { email } = owner.person.account
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
    const step = "/sign-in/second-step"
    await browser.submit(await browser.get(step), step, { code: owner.right() })
    for (const [count, isClosed] of [
      [99, false],
      [100, true]
    ] as const) {
      await countedAs(count, owner.person)
      const page = async (language: string) =>
        (await browser.get("/portal/settings/second-factor", { "accept-language": language })).text
      expect((await page("en")).includes("They work again when you sign in with a passkey")).toBe(isClosed)
      expect((await page("de")).includes("Sie gelten wieder, sobald Sie sich mit einem Passkey")).toBe(isClosed)
    }
  })

  it("the page says how long to wait", async () => {
    const owner = await withCodeApp()
    await owner.guess()
    const browser = visitor(world.url, world.url)
    const { email } = owner.person.account
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
    const step = "/sign-in/second-step"
    const refused = await browser.submit(await browser.get(step), step, { code: owner.right() })
    expect(refused.status).toBe(429)
    expect(refused.text).toContain("was tried too often. Wait 13 minutes, then try again")
  })
})
