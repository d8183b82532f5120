import { App, AppStore, updateApp } from "@place-access/domain/apps"
import { ConnectionStore, disconnect } from "@place-access/domain/connection"
import { createPurpose, Purpose, PurposeStore } from "@place-access/domain/purposes"
import { FiguresStore, Tally } from "@place-access/domain/figures"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { bearer, type Person, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"
const VISITS = "location.visits.read"

const lastConnection = (world: World, person: Person) =>
  world.run(
    Effect.flatMap(ConnectionStore, (store) =>
      Effect.map(store.listOfUser(person.account.id), ([one]) => {
        if (one === undefined) throw new Error("no connection")
        return one.connection
      })
    )
  )

const production = async (world: World, owner: Person): Promise<App.App> => {
  const { app } = await world.app(owner, { status: "production" })
  const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
  await world.run(
    Effect.flatMap(
      createPurpose(owner.account, app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }),
      (made) => approve(made)
    )
  )
  return app
}

/**
 * Approves a purpose as a reviewer would. The app is in production, where an app gets coordinates only for an approved
 * purpose.
 */
const approve = (purpose: Purpose.Purpose) =>
  Effect.flatMap(PurposeStore, (store) =>
    store.update(purpose.id, (before) => ({
      outcome: undefined,
      after: { ...before, status: "approved", approved: before.terms, archivedAt: null }
    }))
  )

/** Finds the words that the browser has broken into two lines, in the codes and addresses of the tables. */
const BROKEN = `[...document.querySelectorAll("td code, td .small")].flatMap((one) => {
  const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT)
  const broken = []
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\p{L}\\d]+/gu)) {
      const range = document.createRange()
      range.setStart(texts.currentNode, index)
      range.setEnd(texts.currentNode, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
    }
  }
  return broken
})`

describeBrowser("an app's users, for its developer", () => {
  /** Counts the calls. A running process stores the counts every second. */
  const tally = Tally.make()
  const at = desk({ options: { recorder: tally } })

  it("sub, external_user_id, scopes, expiries and state; nothing of who they are [connection-1]", async () => {
    const { page, world } = at
    const owner = await world.person()
    const app = await production(world, owner)
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByRole("link", { name: "Users" }).click()
    await page.getByText("Nobody has connected the app yet.").waitFor()
    await inspect(page, "users-empty")

    const people = [await world.person(), await world.person(), await world.person()] as const
    const [gone, lapsed, live] = people
    const first = await world.connect(gone, app, { scopes: [CURRENT] })
    await world.run(disconnect(gone.account.id, (await lastConnection(world, gone)).id))
    world.clock.advance(Timestamp.MINUTE)
    await world.connect(lapsed, app, { scopes: [CURRENT, LATEST], sensitiveDays: "1", standardDays: "never" })
    world.clock.advance(2 * Timestamp.DAY)
    await world.connect(live, app, { scopes: [CURRENT], request: { external_user_id: "<b>user 7</b>" } })
    await page.reload()
    await inspect(page, "users")
    const rows = (await page.locator("tbody tr").allInnerTexts()).map((text) => text.replace(/\s+/g, " "))
    const connections = await Promise.all([live, lapsed, gone].map((one) => lastConnection(world, one)))
    for (const [index, parts] of [
      ["external_user_id <b>user 7</b>", "Live", CURRENT, "2 April 2026 at 12:01 UTC"],
      ["Sensitive lapsed", `${LATEST} Not now`, "No end date", "renewable until 16 March 2026 at 12:01 UTC"],
      [first.sub, "Ended", "user_disconnected", "The user ended it", "Ended 1 March 2026 at 12:00 UTC"]
    ].entries()) {
      for (const part of [...parts, connections[index]?.sub, connections[index]?.id])
        expect(rows[index]).toContain(part)
    }
    // Every scope of an ended connection has ended with it, so none of them has a mark of its own.
    expect(rows[2]).not.toContain("Not now")
    const html = await page.content()
    for (const { account } of people) {
      for (const secret of [account.id, account.email, account.displayName]) expect(html).not.toContain(secret)
    }
    world.clock.advance(-2 * Timestamp.DAY - Timestamp.MINUTE)
  })

  it("a page of the list has fifty users", async () => {
    const { page, world } = at
    const owner = await world.person()
    const app = await production(world, owner)
    const person = await world.person()
    for (let count = 0; count < 52; count++) {
      await world.connect(person, app, { scopes: [CURRENT] })
      await world.run(disconnect(person.account.id, (await lastConnection(world, person)).id))
      world.clock.advance(1)
    }
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}/users`)
    expect(await page.locator("tbody tr").count()).toBe(50)
    await page.getByRole("link", { name: "Older" }).click()
    expect(await page.locator("tbody tr").count()).toBe(2)
    await page.getByRole("link", { name: "Newest" }).click()
    expect(await page.locator("tbody tr").count()).toBe(50)
    await page.goto(`${world.url}/developer/apps/${app.id}/users?cursor=forged`)
    expect(await page.locator("tbody tr").count()).toBe(50)
    world.clock.advance(-52)
  })

  it("on a desk no table breaks a code or an address within a word", async () => {
    const { page, world } = at
    const owner = await world.person({ email: "maximiliane@hausverwaltung.example" })
    const app = await production(world, owner)
    const terms = { scopes: [CURRENT, LATEST, VISITS], sensitiveDays: "7" }
    const { accessToken } = await world.connect(await world.person(), app, terms)
    for (const path of ["/v1/answers/places/pla_x/presence", "/v1/locations/latest?purpose=none"])
      await world.call(path, bearer(accessToken))
    const batch = tally.take()
    if (batch === undefined) throw new Error("no call was counted")
    await world.run(Effect.flatMap(FiguresStore, (figures) => figures.add(batch)))
    await world.connect(await world.person(), app, terms)
    await at.as(owner)
    for (const tab of ["users", "calls", "team"]) {
      await page.goto(`${world.url}/developer/apps/${app.id}/${tab}`)
      expect(await page.locator("tbody tr").count()).toBeGreaterThan(0)
      expect([tab, await page.evaluate(BROKEN)]).toEqual([tab, []])
    }
  })

  it("somebody else's app has no users that one could see", async () => {
    const { page, world } = at
    const app = await production(world, await world.person())
    await at.as(await world.person())
    const answer = await page.goto(`${world.url}/developer/apps/${app.id}/users`)
    expect(answer?.status()).toBe(404)
  })
})

describeBrowser("what an app says about itself", () => {
  const at = desk()

  it("name, description, web page and scopes can be changed; mistakes come back with what was typed", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner)
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    const form = page.getByRole("region", { name: "About the app" })
    await form.getByLabel("Name").fill("Tea Time")
    await form.getByLabel("Description").fill("Short")
    await form.getByLabel("Web page").fill("https://tea.example/about")
    for (const box of await form.getByRole("checkbox").all()) await box.uncheck()
    await form.getByRole("button", { name: "Save" }).click()
    await page.getByText("There is a problem").waitFor()
    await inspect(page, "app-edit-problem")
    expect(await form.getByLabel("Name").inputValue()).toBe("Tea Time")
    await form.getByLabel("Description").fill("Has your tea ready when you arrive.")
    await form.getByLabel(CURRENT).check()
    await form.getByRole("button", { name: "Save" }).click()
    await page.getByText("The app was changed.").waitFor()
    await page.getByRole("heading", { name: "Tea Time" }).waitFor()
    expect(await form.getByRole("checkbox", { checked: true }).count()).toBe(1)
    expect(await form.getByLabel("Web page").inputValue()).toBe("https://tea.example/about")
  })

  it("a scope that an app in production adds waits for a reviewer, and is shown beside what is in force", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { status: "production", declaredScopes: [CURRENT] })
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    const form = page.getByRole("region", { name: "About the app" })
    await form.getByLabel(LATEST).check()
    await form.getByRole("button", { name: "Save" }).click()
    await page.getByRole("columnheader", { name: "Waits for a reviewer" }).waitFor()
    await inspect(page, "app-change-pending")
    const inForce = await world.run(Effect.flatMap(AppStore, (store) => store.find(app.id)))
    expect(Option.getOrThrow(inForce).declaredScopes).toEqual([CURRENT])
  })

  it("changes that wait are withdrawn with one button: the page says what is in force, and nothing waits", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { status: "production", declaredScopes: [CURRENT] })
    await world.run(
      updateApp(
        owner.account,
        app.id,
        {
          name: App.AppName.make("Your Bank"),
          description: App.AppDescription.make("Official account verification of your bank."),
          homepageUrl: App.HomepageUrl.make("https://evil.example/verify"),
          scopes: [CURRENT, LATEST]
        },
        "assumed",
        "unchecked"
      )
    )
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByRole("heading", { name: "Changes that wait" }).waitFor()
    // The reader has a long e-mail address. The words beside this address in the header must not wrap.
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const name of ["Settings", "Sign out"]) {
      const box = await page.getByText(name, { exact: true }).boundingBox()
      expect([name, (box?.height ?? 99) < 30]).toEqual([name, true])
    }
    await inspect(page, "app-changes-pending")
    await page.getByRole("button", { name: "Withdraw these changes" }).click()
    await page.getByText("The changes were withdrawn. The approved version stays in force.").waitFor()
    await inspect(page, "app-changes-withdrawn")
    expect(await page.getByRole("heading", { name: "Changes that wait" }).count()).toBe(0)
    expect(await page.getByRole("region", { name: "About the app" }).getByLabel("Name").inputValue()).toBe(app.name)
    const after = await world.run(Effect.flatMap(AppStore, (store) => store.find(app.id)))
    expect(Option.getOrThrow(after)).toMatchObject({ name: app.name, proposal: null, submission: null })
  })
})
