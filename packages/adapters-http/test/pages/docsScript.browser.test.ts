import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("the documentation, with its script", () => {
  const at = desk()

  it("shows one language at a time, keeps the choice, and opens the one that an address names [wire-5-script]", async () => {
    const { page, world } = at
    await page.goto(`${world.url}/docs/webhooks#verify-go`)
    const tabs = page.getByRole("tablist", { name: "Verifying a delivery" })
    expect(await tabs.getByRole("tab", { selected: true }).innerText()).toBe("Go")
    await page.getByRole("tabpanel", { name: "Go" }).waitFor()
    expect(await page.getByRole("tabpanel").count()).toBe(1)
    await tabs.getByRole("tab", { name: "Go" }).focus()
    await page.keyboard.press("ArrowRight")
    await page.getByRole("tabpanel", { name: "PHP" }).getByText("hash_equals").first().waitFor()
    await page.goto(`${world.url}/docs/webhooks`)
    expect(await tabs.getByRole("tab", { selected: true }).innerText()).toBe("PHP")
    await inspect(page, "docs-tabs")
  })

  it("finds a section while one types, from the keyboard alone", async () => {
    const { page, world } = at
    await page.goto(`${world.url}/docs`)
    await page.getByRole("searchbox", { name: "Search the documentation" }).fill("handle unkn")
    const first = page.locator(".found a").first()
    expect(await first.innerText()).toContain("handle “unknown”")
    await inspect(page, "docs-search")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/docs/how-to#unknown")
  })

  it("goes on after an address whose fragment is no text: its other parts work", async () => {
    const { page, world } = at
    await page.goto(`${world.url}/docs/errors/missing_scope#100%`)
    await page.getByRole("button", { name: "Copy" }).first().waitFor()
  })

  it("searches again after the index could not be loaded", async () => {
    const { page, world } = at
    await page.route("**/docs/search.json", (route) => route.fulfill({ status: 503, json: { error: "unavailable" } }))
    await page.goto(`${world.url}/docs`)
    const field = page.getByRole("searchbox", { name: "Search the documentation" })
    await Promise.all([page.waitForResponse((answer) => answer.status() === 503), field.fill("handle")])
    await page.unrouteAll({ behavior: "wait" })
    // After the service has refused the index, the page's script may not have handled the refusal yet, and then ignores
    // typed text. So the test types again until the page shows results.
    await expect
      .poll(async () => {
        await field.fill("")
        await field.fill("handle unkn")
        return (
          (await page
            .locator(".found a")
            .first()
            .textContent({ timeout: 1_000 })
            .catch(() => null)) ?? ""
        )
      })
      .toContain("handle “unknown”")
  })

  it("copies an example as it is", async () => {
    const { page, world } = at
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await page.goto(`${world.url}/docs/errors/missing_scope`)
    await page.getByRole("button", { name: "Copy" }).first().click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    const copied = await page.evaluate("navigator.clipboard.readText()")
    expect(JSON.parse(String(copied))).toMatchObject({ error: "missing_scope" })
    await inspect(page, "docs-error")
  })

  it("has a feed of changes that is well-formed XML [wire-5-changes]", async () => {
    const { page, world } = at
    await page.goto(`${world.url}/docs/changes`)
    const root = await page.evaluate(`fetch("/docs/changes.atom").then((answer) => answer.text())
      .then((text) => new DOMParser().parseFromString(text, "application/xml").documentElement.nodeName)`)
    expect(root).toBe("feed")
    await inspect(page, "docs-changes")
  })

  it("draws sequences, whose steps are a list too", async () => {
    const { page, world } = at
    await page.goto(`${world.url}/docs/authorization`)
    await page.getByRole("img", { name: "Authorization code with PKCE" }).waitFor()
    await page.getByText("Authorization code with PKCE, step by step").click()
    await page.getByText("Browser → Service: /authorize?code_challenge=…").waitFor()
    await inspect(page, "docs-sequence")
  })
})

describeBrowser("the documentation, without scripts", () => {
  const at = desk({ browser: { javaScriptEnabled: false } })

  it("shows every language, one after the other, and searches at the server [wire-5-script, wire-5-search]", async () => {
    const { page, world } = at
    await page.goto(`${world.url}/docs/webhooks`)
    for (const text of [
      "hash_equals",
      "hmac.compare_digest",
      "MessageDigest.isEqual",
      "FixedTimeEquals",
      "hmac.Equal"
    ]) {
      await page.getByText(text).first().waitFor({ state: "visible" })
    }
    await page.getByRole("searchbox", { name: "Search the documentation" }).fill("rotate secret")
    await page.getByRole("button", { name: "Search" }).click()
    await page.getByRole("heading", { name: "Search", level: 1 }).waitFor()
    await page.getByRole("link", { name: "… rotate a secret?" }).click()
    await page.waitForURL("**/docs/how-to#rotate")
  })
})
