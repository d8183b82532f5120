import { App, RedirectUri } from "@place-access/domain/apps"
import { Purpose } from "@place-access/domain/purposes"
import { AppId, PurposeId, type Scope, Timestamp, UserId } from "@place-access/domain/shared"
import { ReviewHint } from "@place-access/domain/staff"
import { describe, expect, it } from "vitest"

const NOW = Timestamp.make(0)
const ID = AppId.make("app_1")

const app = (overrides: Partial<App.App>): App.App => ({
  ...App.INITIAL,
  id: ID,
  ownerId: UserId.make("usr_1"),
  name: App.AppName.make("Umbrella"),
  description: App.AppDescription.make("Reminds people of their umbrella when they leave a place where it rains"),
  homepageUrl: App.HomepageUrl.make("https://www.umbrella.example/about"),
  declaredScopes: ["location.place.current"],
  redirectUris: [RedirectUri.RedirectUri.make("https://umbrella.example/callback")],
  createdAt: NOW,
  ...overrides
})

const purpose = (scopes: ReadonlyArray<Scope.SensitiveScope>, expectedDailyVolume: number) =>
  Purpose.draft(
    ID,
    PurposeId.make("pps_1"),
    Purpose.PurposeKey.make("find_me"),
    { description: "To find you", scopes, expectedDailyVolume },
    NOW
  )

const of = (overrides: Partial<App.App>, purposes: ReadonlyArray<Purpose.Purpose> = []) =>
  ReviewHint.hints(app(overrides), purposes)

describe("hints for a reviewer [reviews-8]", () => {
  it("none for an app that explains itself", () => {
    expect(of({})).toEqual([])
  })

  it("more calls a day and user than one every five minutes", () => {
    const scopes = ["location.latest.read"] as const
    expect(of({ declaredScopes: scopes }, [purpose(scopes, ReviewHint.MANY_CALLS)])).toEqual([])
    expect(of({ declaredScopes: scopes }, [purpose(scopes, 900)])).toEqual([
      { _tag: "ManyCalls", purposeKey: "find_me", perDay: 900 }
    ])
  })

  it("users return to a host that is not the web page's; names below it and private schemes are fine", () => {
    const uris = (...all: ReadonlyArray<string>) => ({
      redirectUris: all.map((uri) => RedirectUri.RedirectUri.make(uri))
    })
    expect(of(uris("https://app.umbrella.example/cb", "com.example.umbrella:/cb", "http://localhost:3000/cb"))).toEqual(
      []
    )
    expect(of(uris("https://umbrella.example.evil.test/cb", "https://umbrella.example/cb"))).toEqual([
      { _tag: "OtherHosts", webPage: "www.umbrella.example", hosts: ["umbrella.example.evil.test"] }
    ])
    expect(of(uris("https://notumbrella.example/cb"))).toHaveLength(1)
    expect(of({ homepageUrl: null })).toEqual([{ _tag: "NoWebPage" }])
  })

  it("a description of few words for many scopes", () => {
    const few = { description: App.AppDescription.make("A fine app") }
    expect(of(few)).toEqual([{ _tag: "ShortDescription", scopes: 1, words: 3 }])
  })

  it("a sensitive scope without a purpose", () => {
    const scopes = ["location.latest.read", "location.lookup"] as const
    expect(of({ declaredScopes: scopes }, [purpose(["location.lookup"], 1)])).toEqual([
      { _tag: "NoPurpose", scopes: ["location.latest.read"] }
    ])
  })

  it("reads what the developer wants and not what is in force", () => {
    const proposal = { homepageUrl: App.HomepageUrl.make("https://other.example/") }
    const { proposal: none, ...rest } = app({})
    expect(none).toBeNull()
    const changed = { ...rest, proposal: { ...proposal } } as unknown as App.App
    expect(ReviewHint.hints(changed, [])).toMatchObject([{ _tag: "OtherHosts", webPage: "other.example" }])
  })
})
