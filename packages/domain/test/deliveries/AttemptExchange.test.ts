import { AttemptExchange } from "@place-access/domain/deliveries"
import { describe, expect, it } from "@effect/vitest"

type Header = readonly [string, string]

const answered = (...headers: ReadonlyArray<Header>) =>
  AttemptExchange.of("https://app.example/hook", [], [], headers).response

describe("what is kept of a request and its answer [deliveries-19]", () => {
  it("the endpoint's own headers without their values, all others as they were sent", () => {
    const request: ReadonlyArray<Header> = [
      ["webhook-id", "evt_1"],
      ["x-api-key", "sk_live_1"]
    ]
    expect(AttemptExchange.of("https://app.example/hook", request, ["x-api-key"], [])).toEqual({
      url: "https://app.example/hook",
      request: [
        ["webhook-id", "evt_1"],
        ["x-api-key", "(hidden)"]
      ],
      response: []
    })
  })

  it.each(["Set-Cookie", "set-cookie2", "AUTHORIZATION", "proxy-authenticate", "WWW-Authenticate"])(
    "%s of an answer without its value, because it may be a credential of the receiver",
    (name) => {
      expect(answered([name, "secret"], ["Server", "nginx"])).toEqual([
        [name.toLowerCase(), "(hidden)"],
        ["server", "nginx"]
      ])
    }
  )

  it("30 headers, 200 characters of each value", () => {
    const many = Array.from({ length: 31 }, (_, index): Header => [`x-${index}`, "1"])
    expect(answered(...many)).toEqual(many.slice(0, 30))
    expect(answered(["x", "a".repeat(200)])).toEqual([["x", "a".repeat(200)]])
    expect(answered(["x", `${"a".repeat(200)}b`])).toEqual([["x", "a".repeat(200)]])
  })

  it("2,000 characters of all names and values; the header that goes beyond and all after it are left out", () => {
    const header = (index: number): Header => [`x-${index}`, "a".repeat(197)]
    const ten = Array.from({ length: 10 }, (_, index) => header(index))
    expect(answered(...ten)).toEqual(ten)
    const longer = [...ten.slice(0, 9), ["x-9", "a".repeat(198)], ["y", ""]] as const
    expect(answered(...longer)).toEqual(ten.slice(0, 9))
  })
})
