import { Import, ImportStore } from "@place-access/domain/imports"
import { everything, Bucket } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { importNext, MemoryImportReader } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"

const OLD = Date.parse("2026-02-05T09:00:00Z")
const LINES = [MemoryImportReader.FIRST_LINE, MemoryImportReader.line(OLD, 52, 4), MemoryImportReader.line(0, 1, 1)]
const file = (name: string, lines: ReadonlyArray<string>) => ({
  name,
  mimeType: "application/gpx+xml",
  buffer: Buffer.from(`${lines.join("\n")}\n`)
})

/**
 * Drops a folder on the form. The entries have the same functions as in a browser. One call of `readEntries` returns at
 * most two entries. One of the entries is a folder too.
 */
const dropFolder = (page: Page) =>
  page.locator("#upload").evaluate(
    (form, line) => {
      const asFile = (name: string, text: string) => ({
        isFile: true,
        file: (done: (file: File) => void) => done(new File([text], name))
      })
      const asFolder = (entries: Array<object>) => ({
        isFile: false,
        createReader: () => ({ readEntries: (done: (some: Array<object>) => void) => done(entries.splice(0, 2)) })
      })
      const gpx = `<lines>\n${line}\n`
      const inner = asFolder([asFile("c.gpx", gpx)])
      const folder = asFolder([asFile("a.gpx", gpx), asFile("bill.pdf", "%PDF-1.7"), inner])
      const event = new Event("drop", { cancelable: true })
      Object.defineProperty(event, "dataTransfer", { value: { items: [{ webkitGetAsEntry: () => folder }] } })
      form.dispatchEvent(event)
    },
    MemoryImportReader.line(OLD, 52, 4)
  )

const LIST = /\/portal\/imports$/

/** Removes from an answer the header that reloads the page, so that a reload does not interrupt the inspection. */
const still = async (route: Route): Promise<void> => {
  const response = await route.fetch()
  const headers = Object.fromEntries(Object.entries(response.headers()).filter(([name]) => name !== "refresh"))
  await route.fulfill({ response, headers })
}

describeBrowser("imports", () => {
  const at = desk()

  it("a file is chosen and uploaded, watched while it is read, and what became of it is said in words [imports-3]", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    const now = () => Timestamp.make(world.clock.now())
    const later = () => Timestamp.plus(now(), Import.RETRY_AFTER)

    await page.goto(`${world.url}/portal/devices`)
    await page.getByRole("link", { name: "Import a file" }).click()
    expect(await page.getByText("Your history is kept for").count()).toBe(0)
    await person.send("PUT", "/v1/user/history", { keep_days: 90 })
    await page.reload()
    expect(await page.getByText("Your history is kept for 90 days").count()).toBe(1)
    await inspect(page, "import-new")

    await page.getByLabel("Files", { exact: true }).setInputFiles(file("notes.txt", ["lat,lon"]))
    await page.getByRole("button", { name: "Upload" }).click()
    expect(await page.getByRole("alert").innerText()).toContain(
      "The file is a text without columns for latitude, longitude and time: choose GPX"
    )
    await inspect(page, "import-refused")

    await page.getByLabel("Files", { exact: true }).setInputFiles(file("Ferien <2026>.gpx", LINES))
    await page.getByRole("button", { name: "Upload" }).click()
    await page.getByText("Waiting", { exact: true }).waitFor()

    // Claims the import, as a worker does. The page then reloads itself regularly, which must not interrupt the
    // inspection.
    await world.run(
      Effect.gen(function* () {
        const store = yield* ImportStore
        const due = yield* yield* store.due(Bucket.ALL, now(), [])
        yield* store.claim({ ...due, lease: "lse_1" }, now(), later())
      })
    )
    await page.route(LIST, still)
    await page.goto(`${world.url}/portal/imports`)
    expect(await page.getByRole("listitem").innerText()).toContain("Being read")
    expect(await page.getByRole("progressbar").count()).toBe(1)
    await inspect(page, "imports-running")
    await page.unroute(LIST)
    await page.goto(`${world.url}/portal/imports`)

    world.clock.set(later())
    await world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer))
    // The test presses no button, so this must be the page that reloaded itself.
    await page.getByText("Done", { exact: true }).waitFor()
    const card = await page.getByRole("listitem").innerText()
    expect(card).toMatch(/Ferien <2026>\.gpx[\s\S]*New in your history\s+1 entry[\s\S]*Not usable\s+1 entry/)
    await page.getByText("By month").click()
    expect(await page.getByRole("row", { name: /2026-02/ }).innerText()).toMatch(/1\s+1\s+0\s+–/)
    await page.getByText("Undo this import").click()
    await inspect(page, "imports-done")

    await page.getByRole("button", { name: "Remove Ferien <2026>.gpx" }).click()
    expect(await page.getByRole("status").innerText()).toContain("Your history keeps what it had stored")
    expect(await page.getByText("You have not imported anything yet.").count()).toBe(1)
  })

  it("a folder is dropped: its files are uploaded one after the other, and refused ones are named", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/imports/new`)
    await page.getByText("Or drop files and whole folders here.").waitFor()
    await dropFolder(page)
    await page.getByText("2 of 3 files uploaded.").waitFor()
    expect(await page.getByRole("listitem").innerText()).toContain("bill.pdf: The file is a PDF document")
    await inspect(page, "import-dropped")
    await page.getByRole("link", { name: "See all imports" }).click()
    expect(await page.getByRole("listitem").count()).toBe(2)
    while (await world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer)));
    await page.goto(`${world.url}/portal/imports`)
    await page.getByText("Undo this import").first().click()
    await page
      .getByRole("button", { name: /^Undo the import of/ })
      .first()
      .click()
    expect(await page.getByRole("status").innerText()).toContain("The import is being undone")
    await page.route(LIST, still)
    await page.goto(`${world.url}/portal/imports`)
    await inspect(page, "imports-undoing")
    await page.unroute(LIST)
  })

  it("files that are dropped after the session has ended are not counted as uploaded, and each is named", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/imports/new`)
    await page.getByText("Or drop files and whole folders here.").waitFor()
    // Removes the cookies, as when the person signs out in another tab.
    await at.context.clearCookies()
    await dropFolder(page)
    await page.getByRole("link", { name: "See all imports" }).waitFor()
    expect(await page.getByRole("status").innerText()).toBe("0 of 3 files uploaded. See all imports")
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
      "a.gpx: could not be uploaded",
      "bill.pdf: could not be uploaded",
      "c.gpx: could not be uploaded"
    ])
  })

  it("a table: the page asks for its columns, with the likely ones chosen", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/imports/new`)
    const table = file("walk.csv", ["timestamp,latitude,longitude,accuracy", "2025-01-01T00:00:00Z,52,4,5"])
    await page.getByLabel("Files", { exact: true }).setInputFiles(table)
    await page.getByRole("button", { name: "Upload" }).click()
    await page.getByRole("heading", { name: "Which column is which?" }).waitFor()
    expect(await page.getByLabel("Latitude").inputValue()).toBe("latitude")
    await inspect(page, "import-columns")
    await page.getByRole("button", { name: "Read the table" }).click()
    await page.getByText("Waiting", { exact: true }).waitFor()
    await world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer))
  })
})
