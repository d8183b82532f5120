import { createClient, memoryTokenStore } from "@place-access/adapters-http/client"
import { describe, expect, it } from "vitest"

const REQUEST = { redirectUri: "https://app.example/callback", scopes: ["location.place.current"] } as const
const client = (baseUrl: string, others: object = {}) => createClient({ baseUrl, clientId: "app_1", ...others })

describe("an address that the client cannot use", () => {
  it.each(["places.example", "localhost:8080", "ftp://places.example", "https://", "", undefined, "api"])(
    "is refused when the client is made, and the error names the option: baseUrl %j",
    (baseUrl) => {
      expect(() => client(baseUrl as string)).toThrow(
        new TypeError(
          `The option baseUrl must be an address such as "https://places.example", or in a web page a path such as "/places": it is ${JSON.stringify(baseUrl)}`
        )
      )
    }
  )

  it.each(["/", "/places", "https://places.example/", "HTTP://127.0.0.1:8080"])(
    "a usable baseUrl is taken: %j",
    (baseUrl) => {
      expect(() => client(baseUrl)).not.toThrow()
    }
  )

  it("the address of the consent page has to be given when baseUrl is a path", async () => {
    const whole = 'must be a whole address, such as "https://places.example/authorize"'
    await expect(client("/places").authorization.start(REQUEST)).rejects.toThrow(
      new TypeError(`The option authorizeUrl ${whole}, because baseUrl is a path`)
    )
    const given = client("https://places.example", { authorizeUrl: "/authorize" }).authorization.start(REQUEST)
    await expect(given).rejects.toThrow(new TypeError(`The option authorizeUrl ${whole}: it is "/authorize"`))
  })

  it("the address to which the user came back has to be whole, and its code is not in the error", async () => {
    const pending = { state: "12345678", codeVerifier: "v", redirectUri: REQUEST.redirectUri }
    await expect(
      client("https://places.example").authorization.complete("/callback?code=ac_1&state=12345678", pending)
    ).rejects.toThrow(
      new TypeError('The callback must be a whole address, such as "https://app.example/callback?code=…"')
    )
  })

  it("outside of a web page, a call with a path as baseUrl says so, and counts as not sent", async () => {
    const store = memoryTokenStore()
    const tokens = { access_token: "at", refresh_token: "rt", expires_at: 0, scope: "", sub: "sub_1" }
    await store.write(tokens)
    const connected = client("/places", { store, runtime: { sleep: () => Promise.resolve() } })
    for (const call of [() => connected.me(), () => connected.authorization.metadata()]) {
      await expect(call()).rejects.toMatchObject({
        code: "network",
        message:
          'The address is a path, which only a web page can call: give the option baseUrl a whole address, such as "https://places.example".'
      })
    }
    // The store has no `refreshing_since`. So the next process does not assume that the refresh token is spent.
    expect(await store.read()).toEqual(tokens)
  })
})
