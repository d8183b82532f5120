import * as ErrorCatalogue from "@place-access/adapters-http/openapi/ErrorCatalogue"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const read = async (path: string): Promise<string> =>
  (await world.call(path, { headers: { accept: "text/html" } })).text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ")

describe("the page of errors [wire-1-reference]", () => {
  it("every command names the server", async () => {
    const text = await read("/docs/errors")
    expect(text).toContain(`curl ${world.url}/v1/rules/place`)
    expect(text).not.toMatch(/curl \//)
  })

  it("the example of an error has every field of a real answer [wire-4]", async () => {
    const example = /```json\n(\{[^`]*\})\n```/
    const shown = async (path: string) => example.exec((await world.call(path)).text)?.[1] ?? "{}"
    for (const [code, path] of [
      ["not_signed_in", "/v1/user/places"],
      ["invalid_token", "/v1/me"]
    ]) {
      // `World.call` leaves out the fields that `wire-4` is about, so this test calls `fetch` itself.
      const answered = (await (await fetch(world.url + path)).json()) as Readonly<Record<string, unknown>>
      const page = JSON.parse(await shown(`/docs/errors/${code}.md`)) as Readonly<Record<string, unknown>>
      expect(Object.keys(page)).toEqual(Object.keys(answered))
      expect(page["doc_url"]).toBe(answered["doc_url"])
    }
    const first = JSON.parse(await shown("/docs/errors.md")) as Readonly<Record<string, unknown>>
    expect(Object.keys(first)).toEqual(["statusCode", "error", "message", "request_id", "doc_url"])
  })

  it("a limit that only an import meets is said to be no error [limits-9]", async () => {
    const rows = (await world.call("/docs/errors.md")).text.split("\n")
    const row = rows.find((one) => one.includes("Archived places that an imported archive adds")) ?? ""
    expect(row).toContain("an import leaves these out")
    expect(row).not.toContain("409")
    expect(rows.find((one) => one.startsWith("| Places "))).toContain("409 `conflict`")
  })

  it("its rule about retries agrees with the advice of each code", async () => {
    const rule = /Retry after 429[^.]*\. [^.]*\./.exec(await read("/docs/errors"))?.[0] ?? ""
    const waits = ErrorCatalogue.ENTRIES.filter(({ advice }) => advice.includes("Retry-After"))
    expect(waits.length).toBeGreaterThan(3)
    const unnamed = waits.filter(({ code, status }) => !rule.includes(String(status)) && !rule.includes(code))
    expect(unnamed.map(({ code }) => code)).toEqual([])
    expect(rule).toContain("idempotency_key_in_use")
    expect(rule).toContain("A retry helps with no other error of a request that was refused.")
    expect(rule).not.toContain("500")
  })

  it("a request for consent without a scope is said to be invalid_scope, as it is answered [O3]", async () => {
    expect(await read("/docs/authorization")).toContain("scope is missing, or a scope does not exist")
  })
})
