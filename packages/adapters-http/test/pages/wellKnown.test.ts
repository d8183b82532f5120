import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
let withContact: World
beforeAll(async () => {
  world = await startWorld()
  withContact = await startWorld({ securityContact: "mailto:security@example.com" })
})
afterAll(() => Promise.all([world.close(), withContact.close()]))

const get = (of: World, path: string) => fetch(`${of.url}${path}`, { redirect: "manual" })

describe("addresses that programs look for on every site", () => {
  it("change-password leads to the form; an address that cannot exist does not answer 200, as password managers check", async () => {
    const change = await get(world, "/.well-known/change-password")
    expect([change.status, change.headers.get("location")]).toEqual([303, "/portal/settings/password"])
    const impossible = await get(
      world,
      "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
    )
    expect(impossible.status).toBe(404)
  })

  it("security.txt names the operator's contact, for less than a year (RFC 9116)", async () => {
    const answer = await get(withContact, "/.well-known/security.txt")
    const text = await answer.text()
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
    const fields = new Map(
      text
        .trimEnd()
        .split("\n")
        .map((line) => line.split(": ") as [string, string])
    )
    expect(fields.get("Contact")).toBe("mailto:security@example.com")
    expect(fields.get("Canonical")).toMatch(/^https?:\/\/[^/]+\/\.well-known\/security\.txt$/)
    const days = (Date.parse(fields.get("Expires") ?? "") - withContact.clock.now()) / Timestamp.DAY
    expect(days).toBe(180)
  })

  it("without a contact there is no security.txt", async () => {
    expect((await get(world, "/.well-known/security.txt")).status).toBe(404)
  })
})
