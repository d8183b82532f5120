import { App } from "@place-access/domain/apps"
import { AppId, UserId } from "@place-access/domain/shared"
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { appOf } from "../support/apps.js"

const app = appOf()

describe("scopes", () => {
  it("are those declared and not taken away by an admin [§5.6, apps-2]", () => {
    expect(App.scopes(app)).toEqual(app.declaredScopes)
    expect(App.scopes({ ...app, allowedScopes: ["location.lookup", "location.rules.zone"] })).toEqual([
      "location.lookup"
    ])
    expect(App.scopes({ ...app, allowedScopes: [] })).toEqual([])
  })
})

describe("canBeConnectedBy", () => {
  it("the app's own test people can connect it before production, never in production, and no other app [test-people-3]", () => {
    const person = { id: UserId.make("usr_2"), testOf: app.id }
    const allowed = (status: App.AppStatus, testOf = person.testOf) =>
      App.canBeConnectedBy({ ...app, status }, { ...person, testOf })
    expect([allowed("sandbox"), allowed("in_review"), allowed("production")]).toEqual([true, true, false])
    expect(allowed("sandbox", AppId.make("app_other"))).toBe(false)
  })

  it("until production the owner alone; in production everybody [§5.4, A1]", () => {
    const stranger = UserId.make("usr_2")
    for (const status of ["sandbox", "in_review"] as const) {
      expect(App.canBeConnectedBy({ ...app, status }, { id: app.ownerId, testOf: null })).toBe(true)
      expect(App.canBeConnectedBy({ ...app, status }, { id: stranger, testOf: null })).toBe(false)
    }
    expect(App.canBeConnectedBy({ ...app, status: "production" }, { id: stranger, testOf: null })).toBe(true)
  })
})

describe("homepage", () => {
  const accepts = (text: string) => Either.isRight(Schema.decodeEither(App.HomepageUrl)(text))

  it.each([
    "https://coffee.example",
    "http://coffee.example/",
    "https://coffee.example:8080/a?b=c#d",
    "https://localhost"
  ])("takes %s", (text) => {
    expect(accepts(text)).toBe(true)
  })

  it.each([
    "",
    "coffee.example",
    "//coffee.example",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "https://good@evil.example",
    "https://evil.example\\@good.example",
    "https://",
    "https://a b",
    "https://coffee.example/\n",
    "ftp://coffee.example"
  ])("refuses %j", (text) => {
    expect(accepts(text)).toBe(false)
  })
})

describe("name and description", () => {
  it("a name is one line of 1 to 60, a description 10 to 500 and may have paragraphs", () => {
    const name = Schema.decodeEither(App.AppName)
    expect(Either.isRight(name("x".repeat(60)))).toBe(true)
    expect(Either.isRight(name("x".repeat(61)))).toBe(false)
    expect(Either.isRight(name("Bank\u202eknaB"))).toBe(false)
    const description = Schema.decodeEither(App.AppDescription)
    expect(Either.isRight(description("First line.\r\n\r\nSecond."))).toBe(true)
    expect(Either.isRight(description(" too short "))).toBe(false)
    expect(Either.isRight(description("x".repeat(501)))).toBe(false)
  })
})
