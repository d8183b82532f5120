import * as ErrorCatalogue from "@place-access/adapters-http/openapi/ErrorCatalogue"
import { CHANGES } from "@place-access/adapters-http/pages/docs/changes"
import { rank } from "@place-access/adapters-http/pages/kit/scripts/ranking"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const HTML = { headers: { accept: "text/html" } }
const get = async (path: string): Promise<string> => {
  const { status, text } = await world.call(path, HTML)
  expect([path, status]).toEqual([path, 200])
  return text
}

describe("an error", () => {
  it("has a page at /docs/errors/<code> that says what to do, with an example and the operations that answer with it [wire-5-errors]", async () => {
    for (const { code, status } of ErrorCatalogue.ENTRIES) {
      const text = await get(`/docs/errors/${code}`)
      expect(text).toContain(`<h1>${code}</h1>`)
      expect(text).toContain(`${status}. `)
      expect(text).toContain(`&quot;error&quot;: &quot;${code}&quot;`)
    }
    expect(await get("/docs/errors/rule_limit_reached")).toContain('href="/docs/reference/rules#')
    expect(await get("/docs/errors/internal_error")).toContain("Every operation of the")
  })

  it("that does not exist has none", async () => {
    expect((await world.call("/docs/errors/no_such_code", HTML)).status).toBe(404)
  })
})

describe("the search", () => {
  /** Texts that a developer types into the search, each with the section that must be among the first three results. */
  const FINDS = [
    ["verify go", "/docs/webhooks#verify-go"],
    ["handle unknown", "/docs/how-to#unknown"],
    ["without a phone", "/docs/how-to#without-a-phone"],
    ["clock", "/docs/how-to#time"],
    ["rotate secret", "/docs/how-to#rotate"],
    ["missing_scope", "/docs/errors/missing_scope"],
    ["retry schedule", "/docs/webhooks#retries"],
    ["what changed", "/docs/how-to#changed"]
  ] as const

  it.each(FINDS)("%s: finds %s, in the index and at the server [wire-5-search]", async (question, to) => {
    const index = JSON.parse(await get("/docs/search.json")) as Parameters<typeof rank>[0]
    expect(rank(index, question, 3).map((entry) => entry.to)).toContain(to)
    expect(await get(`/docs/search?q=${encodeURIComponent(question)}`)).toContain(`href="${to}"`)
  })

  it("answers nothing to nothing, and escapes what was asked", async () => {
    expect(rank([{ to: "/", page: "Page", heading: "Heading", text: "text" }], "  ", 3)).toEqual([])
    const text = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(text).not.toContain("<script>alert")
    expect(text).toContain("&lt;script&gt;alert(1)")
  })

  it("wants every word of the question, at the beginning of a word", () => {
    const entry = { to: "/", page: "Webhooks", heading: "Retries", text: "attempts are repeated" }
    expect(rank([entry], "webhooks attempt", 3)).toEqual([entry])
    expect(rank([entry], "webhooks never", 3)).toEqual([])
    expect(rank([entry], "tempts", 3)).toEqual([])
  })
})

describe("for programs", () => {
  it("every page has a twin in Markdown, which /llms.txt lists, with its headings and whole addresses [wire-5-twins]", async () => {
    const list = await get("/llms.txt")
    const pages = Array.from(list.matchAll(/\]\((http[^)]+\.md)\)/g), ([, address = ""]) => new URL(address))
    expect(pages.length).toBeGreaterThan(40)
    for (const { origin, pathname } of pages) {
      expect(origin).toBe(world.url)
      const markdown = await get(pathname)
      expect(markdown).toMatch(/^# \S/)
      expect([pathname, markdown.match(/<(?:p|td|a|svg|div)[ >]/)]).toEqual([pathname, null])
      expect([pathname, markdown.match(/\]\(\/(?!\/)/)]).toEqual([pathname, null])
    }
    const webhooks = await get("/docs/webhooks.md")
    expect(webhooks).toContain("```go\npackage webhooks")
    expect(webhooks).toMatch(/^\| Attempt \| After .* \|\n(?:\| --- )+\|\n\| 1 \|/m)
    expect(webhooks).toContain("Service → Your endpoint: POST, signed")
  })

  it("the feed of changes has an entry for each change, the newest first [wire-5-changes]", async () => {
    const text = await get("/docs/changes.atom")
    expect(text.match(/<entry>/g)).toHaveLength(CHANGES.length)
    const days = CHANGES.map(({ on }) => on)
    expect(days).toEqual([...days].sort((a, b) => b.localeCompare(a)))
    expect(new Set(CHANGES.map(({ id }) => id)).size).toBe(CHANGES.length)
    for (const { id } of CHANGES) expect(await get("/docs/changes")).toContain(`id="${id}"`)
  })

  it("what the contract calls deprecated is among the changes", async () => {
    const contract = JSON.parse(await get("/openapi.json")) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly deprecated?: boolean }>>>>
    }
    const deprecated = Object.entries(contract.paths).flatMap(([path, operations]) =>
      Object.values(operations).some((operation) => operation.deprecated === true) ? [path] : []
    )
    expect(deprecated.length).toBeGreaterThan(0)
    expect(deprecated.filter((path) => !path.startsWith("/v1/subscriptions"))).toEqual([])
    expect(CHANGES.filter(({ kind }) => kind === "deprecated").map(({ title }) => title)).toEqual([
      "Subscriptions, and rules with an address of their own"
    ])
  })
})
