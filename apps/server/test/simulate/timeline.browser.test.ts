import { Simulation } from "@place-access/domain/testing"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { plants } from "../../../../packages/domain/test/simulation/plants/all.js"
import { timelineOf } from "../../src/simulate/timeline/timeline.js"
import { describeBrowser, theBrowser } from "../../../../packages/domain/test/support/chromium.js"
import { consent, enterRule } from "../support/steps.js"

const HOSTILE = "</script><script>window.struck = 1</script><img src=x onerror='window.struck = 1'>"
const PLAN: Simulation.Plan = {
  ...Simulation.Swarm.plan(3),
  faults: {},
  people: 1,
  apps: 1,
  hasSandbox: false,
  steps: [
    { do: "place", person: 0, label: HOSTILE, kind: "other", northM: 700, radiusM: 150 },
    consent({ places: [0, 2], standardDays: 90, sensitiveDays: 1 }),
    { do: "call", connection: 0, back: 0, isFresh: false, ask: { about: "me" }, purpose: "fitting" },
    enterRule(2),
    { do: "script", endpoint: 0, replies: [500, "refuse", 200] },
    { do: "walk", way: "in", person: 0, phone: 0, place: 2, metres: 100, accuracyM: 10, pauseMs: 60_000 },
    { do: "wait", ms: 5_000_000 },
    { do: "call", connection: 0, back: 0, isFresh: false, ask: { about: "me" }, purpose: "fitting" },
    { do: "crash", program: "worker", downMs: 60_000 },
    { do: "wait", ms: 20 * 86_400_000 }
  ]
}
/** A planted fault: access tokens never expire, so the second call breaks a rule. */
const SABOTAGE = plants.find(({ oracle }) => oracle === "T1")?.sabotage

describeBrowser("the timeline of a run", () => {
  let browser: Browser
  let folder = ""
  const troubles: Array<string> = []
  beforeAll(async () => {
    browser = await theBrowser()
    folder = await mkdtemp(join(tmpdir(), "place-access-timeline-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  const open = async (name: string, html: string): Promise<Page> => {
    const file = join(folder, name)
    await writeFile(file, html)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    page.on("pageerror", (error) => troubles.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") troubles.push(message.text())
    })
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) troubles.push(`asked for ${request.url()}`)
    })
    await page.goto(pathToFileURL(file).href)
    return page
  }

  it("shows lanes, the rule that was broken, each event as JSON, and comes closer", async () => {
    const result = Simulation.runPlanSync(PLAN, { sabotage: SABOTAGE })
    expect(result.violations.map(({ invariant }) => invariant)).toContain("T1")
    const page = await open("broken.html", timelineOf(result))

    // The page first shows only the entries that led to the broken rule: the token was issued, and later it was used
    // when it was too old. The page hides the other entries.
    const shots = process.env["SCREENSHOTS"]
    if (shots !== undefined) await page.screenshot({ path: join(shots, "timeline-opened.png") })
    expect(await page.locator("#title").textContent()).toMatch(/^Entry \d+: call ends: 200/)
    const led = await page.locator("#ledTo button").allTextContents()
    expect(led.map((line) => line.replace(/^\S+\s+/, ""))).toEqual(
      ["ana: createPlace → ok", "ana: consent → ok", "developer1: exchange → ok", "developer1: GET /v1/me → 200"].map(
        (one) => expect.stringContaining(one)
      )
    )
    expect(await page.getByLabel("State of").locator("option:checked").textContent()).toMatch(/^ana ↔ App 1 /)
    const visible = page.locator(".lane:visible > b")
    expect(await visible.allTextContents()).not.toContain("App 1/all")
    await page.getByLabel("Only what led to it").uncheck()
    await expect.poll(() => visible.allTextContents()).toContain("App 1/all")

    const lanes = page.locator(".lane > b")
    expect(await lanes.allTextContents()).toEqual(
      expect.arrayContaining([
        "faults",
        "server",
        "worker",
        "ana",
        "App 1/all",
        expect.stringMatching(/^ana ↔ App 1 /),
        expect.stringMatching(/^enter .*: ana, App 1 /)
      ])
    )
    // A click on the violation chooses the violation immediately, and the page shows the entry that breaks the rule.
    const broken = page.getByRole("button", { name: /^T1 at entry/ }).first()
    await broken.click()
    const at = result.violations.find(({ invariant }) => invariant === "T1")?.at ?? -1
    expect(JSON.parse((await page.locator("#json").textContent()) ?? "")).toEqual(result.entries[at])
    expect(await page.locator("#when").textContent()).toContain("Breaks T1")
    // The entries of the chosen operation are listed, from its beginning to its end.
    expect(await page.locator("#near button").count()).toBeGreaterThan(1)

    const axis = page.locator("#axis")
    const before = await axis.textContent()
    await page.getByRole("button", { name: "Everything" }).click()
    await expect.poll(() => axis.textContent()).not.toBe(before)
    const everything = await axis.textContent()
    await page.getByRole("button", { name: "Zoom in" }).click()
    await expect.poll(() => axis.textContent()).not.toBe(everything)
    await page.getByRole("button", { name: "Everything" }).click()
    await expect.poll(() => axis.textContent()).toBe(everything)

    await page.locator(".lane", { hasText: "App 1/all" }).locator(".dot").first().click()
    expect(await page.locator("#title").textContent()).toMatch(/^Entry \d+: POST /)
    expect(await page.locator("#json").textContent()).toContain('"kind": "posted"')
    // The arrow key chooses the entry after the chosen entry.
    const first = await page.locator("#title").textContent()
    await page.locator("#chart").focus()
    await page.keyboard.press("ArrowRight")
    await expect.poll(() => page.locator("#title").textContent()).not.toBe(first)

    await page.getByLabel("Show").selectOption("worker")
    expect(await page.locator(".lane:visible > b").allTextContents()).toEqual(["faults", "worker"])
    expect(await page.evaluate("window.struck")).toBeUndefined()
    if (shots !== undefined) {
      await page.getByLabel("Show").selectOption("")
      await broken.click()
      await page.screenshot({ path: join(shots, "timeline-broken.png") })
      await page.getByRole("button", { name: "Everything" }).click()
      await page.screenshot({ path: join(shots, "timeline.png") })
    }
    await page.close()
    expect(troubles).toEqual([])
  })

  it("steps through the state of a delivery, a rule, a connection and a person", async () => {
    const page = await open("states.html", timelineOf(Simulation.runPlanSync(PLAN)))
    const facts = async () =>
      Object.fromEntries(
        (
          await page
            .locator("#state")
            .evaluate((list) => [...list.children].map((one) => one.firstChild?.textContent ?? ""))
        ).flatMap((text, n, all) => (n % 2 === 0 ? [[text, all[n + 1]]] : []))
      ) as Record<string, string>
    const choose = async (label: RegExp) => {
      const options = page.locator("#subject option")
      const all = await options.allTextContents()
      await page.getByLabel("State of").selectOption({ index: all.findIndex((one) => label.test(one)) })
    }
    const step = (name: "Change before" | "Next change") => page.getByRole("button", { name }).click()

    // No entry is chosen, so the page shows the state at the end of the run: the receiver accepted the third attempt.
    await choose(/^place\.enter to/)
    expect(await facts()).toMatchObject({ State: "delivered", "Last answer": "200" })
    for (let n = 0; n < 20 && (await page.getByRole("button", { name: "Change before" }).isEnabled()); n++) {
      await step("Change before")
    }
    const states: Array<string> = []
    for (let n = 0; n < 20; n++) {
      const { Attempt, State } = await facts()
      states.push(`${Attempt}: ${State}`)
      if (!(await page.getByRole("button", { name: "Next change" }).isEnabled())) break
      await step("Next change")
    }
    expect([...new Set(states)]).toEqual([
      "2: waits",
      "2: is being sent",
      "3: waits",
      "3: is being sent",
      "3: delivered"
    ])
    const shots = process.env["SCREENSHOTS"]
    if (shots !== undefined) await page.screenshot({ path: join(shots, "timeline-state.png") })

    await choose(/^enter /)
    expect(await facts()).toMatchObject({ State: "live", Events: "1" })
    await choose(/^ana ↔ App 1/)
    expect(await facts()).toMatchObject({ State: "live", App: "App 1", "Access token": "access-1" })
    await choose(/^ana \(/)
    expect(await facts()).toMatchObject({ Places: "2", Phones: "1", Connections: "1" })
    await page.close()
    expect(troubles).toEqual([])
  })

  it("is as good with 20,000 entries", async () => {
    const { entries, ...rest } = Simulation.runPlanSync(PLAN)
    const many = Array.from({ length: Math.ceil(20_000 / entries.length) }, (_, copy) =>
      entries.map((entry) => ({
        ...entry,
        i: entry.i + copy * entries.length,
        t: entry.t + copy * 86_400_000,
        passed: entry.passed + copy * 86_400_000,
        ...("op" in entry && entry.op !== null ? { op: entry.op + copy * entries.length } : {})
      }))
    ).flat() as ReadonlyArray<Simulation.Entry>
    expect(many.length).toBeGreaterThanOrEqual(20_000)
    const page = await open("many.html", timelineOf({ ...rest, entries: many }))
    await page.locator(".dot").first().click()
    for (let n = 0; n < 12; n++) await page.getByRole("button", { name: n % 2 === 0 ? "Zoom in" : "Later" }).click()
    await page.locator("#chart").focus()
    await page.keyboard.press("ArrowRight")
    expect(await page.locator("#title").textContent()).toMatch(/^Entry \d+/)
    // The page must draw only the dots that are visible. With a dot for every entry, it would be slow.
    expect(await page.locator(".dot").count()).toBeLessThan(5_000)
    await page.close()
    expect(troubles).toEqual([])
  })
})
