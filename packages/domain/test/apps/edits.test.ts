import { App, AppLife, AppProposal, RedirectUri } from "@place-access/domain/apps"
import { Verdict } from "@place-access/domain/reviews"
import { OUTDATED_FORM, Scope, Timestamp } from "@place-access/domain/shared"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { appOf } from "../support/apps.js"

const now = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const later = Timestamp.plus(now, 60_000)
const uri = (text: string) => RedirectUri.RedirectUri.make(text)

const sandbox = appOf({ redirectUris: [uri("https://coffee.example/callback")], createdAt: now })
const production = AppProposal.approved({ ...sandbox, status: "production", reviewNote: "well done" })
const done = (step: Either.Either<App.App, unknown>) => Either.getOrThrow(step)
const edit = (app: App.App, change: AppLife.AppEdit) => done(AppLife.edit(app, change, later, "unchecked"))

describe("an edit before production", () => {
  it("what is left out stays, null takes the homepage away", () => {
    expect(edit(sandbox, {})).toBe(sandbox)
    const changed = { ...sandbox, revision: 2 }
    expect(edit(sandbox, { name: App.AppName.make("Other") })).toEqual({ ...changed, name: "Other" })
    expect(edit(sandbox, { homepageUrl: null })).toEqual({ ...changed, homepageUrl: null })
  })

  it("the revision counts changes of what a reviewer reads, redirect URIs too, and not what says the same again", () => {
    const same: AppLife.AppEdit = {
      name: sandbox.name,
      description: sandbox.description,
      homepageUrl: sandbox.homepageUrl,
      scopes: ["location.lookup", "location.place.current"]
    }
    expect(edit(sandbox, same)).toBe(sandbox)
    expect(done(AppLife.register(sandbox, sandbox.redirectUris, later, "unchecked"))).toBe(sandbox)
    const seventh = { ...sandbox, revision: 7 }
    expect([
      edit(seventh, { description: App.AppDescription.make("Finds bad coffee.") }).revision,
      edit(seventh, { scopes: [] }).revision,
      done(AppLife.register(seventh, [uri("https://evil.example/")], later, "unchecked")).revision
    ]).toEqual([8, 8, 8])
  })

  it("scopes are kept in one order and once each", () => {
    const { declaredScopes } = edit(sandbox, {
      scopes: ["location.lookup", "location.rules.place", "location.lookup"]
    })
    expect(declaredScopes).toEqual(["location.rules.place", "location.lookup"])
  })

  it("in review scopes can be given up but not added; in the sandbox and in production both", () => {
    const scopes = fc.subarray([...Scope.all])
    fc.assert(
      fc.property(scopes, scopes, fc.constantFrom(...App.AppStatus.literals), (before, after, status) => {
        const outcome = AppLife.edit(
          { ...sandbox, declaredScopes: before, status },
          { scopes: after },
          later,
          "unchecked"
        )
        const grows = after.some((scope) => !before.includes(scope))
        expect(Either.isLeft(outcome)).toBe(grows && status === "in_review")
      })
    )
  })

  it("an app whose redirect URIs were changed since a reviewer read it is not approved by a decision that names what was read", () => {
    const handedIn = done(AppLife.submit(sandbox, now, "unchecked"))
    const moved = done(AppLife.register(handedIn, [uri("https://evil.example/callback")], later, "unchecked"))
    const approve = { decision: "approve", note: null, revision: "unchecked" } as const
    expect(Either.isLeft(AppLife.decide(moved, { ...approve, revision: handedIn.revision }))).toBe(true)
    expect(Either.isRight(AppLife.decide(moved, approve))).toBe(true)
  })
})

describe("an edit in production", () => {
  it("new words wait, the note of the decision before goes, and what was approved is in force", () => {
    const after = edit(production, {
      name: App.AppName.make("Your Bank"),
      homepageUrl: App.HomepageUrl.make("https://b.example")
    })
    expect(after).toEqual({
      ...production,
      revision: 2,
      reviewNote: null,
      submission: { at: later, revision: 2 },
      proposal: {
        name: "Your Bank",
        description: null,
        homepageUrl: "https://b.example",
        logo: null,
        scopes: null,
        redirectUris: null
      }
    })
  })

  it("taking the homepage away shows nothing new, so it needs nobody; one that waited is withdrawn with it [apps-3]", () => {
    const waiting = edit(production, { homepageUrl: App.HomepageUrl.make("https://b.example") })
    expect(edit(waiting, { homepageUrl: null })).toMatchObject({ homepageUrl: null, proposal: null, submission: null })
  })

  it("what waits keeps its turn through further edits; each has its revision", () => {
    const first = edit(production, { name: App.AppName.make("Your Bank") })
    const second = done(
      AppLife.edit(first, { name: App.AppName.make("Tea Finder") }, Timestamp.plus(later, 1), "unchecked")
    )
    expect(second).toMatchObject({
      revision: 3,
      submission: { at: later, revision: 2 },
      proposal: { name: "Tea Finder" }
    })
  })

  it("what waits is withdrawn as a whole: what is in force stays, and a reviewer who has read it cannot decide any more", () => {
    const waiting = edit(production, { name: App.AppName.make("Your Bank"), scopes: ["location.zone.verify"] })
    expect(waiting.proposal).not.toBeNull()
    const withdrawn = done(AppLife.withdraw(waiting, "unchecked"))
    expect(withdrawn).toEqual({ ...waiting, proposal: null, submission: null, revision: waiting.revision + 1 })
    expect([withdrawn.name, withdrawn.declaredScopes]).toEqual([production.name, production.declaredScopes])
    const decided = AppLife.decide(withdrawn, { decision: "approve", note: null, revision: waiting.revision })
    expect(Either.isLeft(decided) && decided.left).toMatchObject({ reason: AppLife.NOT_IN_REVIEW })
    expect(Either.isLeft(AppLife.withdraw(withdrawn, "unchecked"))).toBe(true)
    // The developer proposes the same change again. This makes another revision, so a decision on the earlier revision
    // is refused.
    const second = edit(withdrawn, { name: App.AppName.make("Your Bank") })
    expect(Either.isLeft(AppLife.decide(second, { decision: "approve", note: null, revision: waiting.revision }))).toBe(
      true
    )
  })

  it("redirect URIs left out go at once, unless nothing that was approved would be left [apps-5]", () => {
    const two = done(
      AppLife.register(
        production,
        [uri("https://coffee.example/a"), uri("https://coffee.example/b")],
        later,
        "unchecked"
      )
    )
    expect(two).toMatchObject({ proposal: null, submission: null })
    const [b, elsewhere] = [uri("https://coffee.example/b"), uri("https://tea.example/cb")]
    expect(done(AppLife.register(two, [b, elsewhere], later, "unchecked"))).toMatchObject({
      redirectUris: [b],
      proposal: { redirectUris: [b, elsewhere] }
    })
    expect(done(AppLife.register(two, [elsewhere], later, "unchecked")).redirectUris).toEqual(two.redirectUris)
  })

  it("an app of an earlier version, without what was approved: what it has in production was", () => {
    const old = { ...production, approvedScopes: [], approvedOrigins: [] }
    const dropped = edit(old, { scopes: ["location.lookup"] })
    expect(edit(dropped, { scopes: old.declaredScopes })).toMatchObject({
      declaredScopes: old.declaredScopes,
      proposal: null
    })
    const other = done(AppLife.register(old, [uri("https://coffee.example/other")], later, "unchecked"))
    expect(other.proposal).toBeNull()
  })

  it("a revoked app cannot be changed", () => {
    const revoked = { ...production, revokedAt: now }
    expect(Either.isLeft(AppLife.edit(revoked, { name: App.AppName.make("Your Bank") }, later, "unchecked"))).toBe(true)
    expect(Either.isLeft(AppLife.register(revoked, revoked.redirectUris, later, "unchecked"))).toBe(true)
  })
})

describe("the origin of a redirect URI", () => {
  it.each([
    ["https://coffee.example/callback?x=1", "https://coffee.example"],
    ["https://COFFEE.example:443/callback", "https://coffee.example"],
    ["https://coffee.example:08443", "https://coffee.example:8443"],
    ["https://coffee.example?x=https://evil.example/", "https://coffee.example"],
    ["http://localhost:3000/cb", "http://localhost:3000"],
    ["http://localhost:80/cb", "http://localhost"],
    ["http://[::1]:3000/cb", "http://[::1]:3000"],
    ["https://[2001:DB8::1]/cb", "https://[2001:db8::1]"],
    ["com.example.app:/cb", "com.example.app:"],
    ["com.example.app://host/cb", "com.example.app:"]
  ])("%s: %s", (text, origin) => {
    expect(RedirectUri.origin(uri(text))).toBe(origin)
  })
})

describe("an edit from a form that showed an earlier revision [apps-11]", () => {
  const reasonOf = (step: Either.Either<App.App, { readonly reason: string }>) =>
    Either.isLeft(step) ? step.left.reason : "done"
  const [a, b] = [uri("https://coffee.example/a"), uri("https://coffee.example/b")]
  const description = App.AppDescription.make("Finds very good coffee.")
  const shown = done(AppLife.register(production, [a, b], now, "unchecked"))
  const all = { description, scopes: shown.declaredScopes }

  it("does not put a scope or a redirect URI back in force that somebody has removed since", () => {
    const narrowed = edit(shown, { scopes: ["location.place.current"] })
    expect(narrowed.declaredScopes).toEqual(["location.place.current"])
    expect(reasonOf(AppLife.edit(narrowed, all, later, shown.revision))).toBe(OUTDATED_FORM)
    const moved = done(AppLife.register(shown, [b], later, "unchecked"))
    expect(reasonOf(AppLife.register(moved, [a, b], later, shown.revision))).toBe(OUTDATED_FORM)
    // A developer whose form showed the newest revision can add the removed scope and redirect URI again.
    expect(reasonOf(AppLife.edit(narrowed, all, later, narrowed.revision))).toBe("done")
    expect(reasonOf(AppLife.register(moved, [a, b], later, moved.revision))).toBe("done")
  })

  it("does not propose again what a reviewer has rejected, or a teammate has withdrawn", () => {
    const waiting = edit(production, { name: App.AppName.make("Your Bank") })
    const stale = { name: App.AppName.make("Your Bank"), description }
    const note = Verdict.Note.make("Not your bank")
    for (const after of [
      AppLife.decide(waiting, { decision: "reject", note, revision: "unchecked" }),
      AppLife.withdraw(waiting, "unchecked")
    ]) {
      expect(reasonOf(AppLife.edit(done(after), stale, later, waiting.revision))).toBe(OUTDATED_FORM)
    }
    const approved = done(AppLife.decide(waiting, { decision: "approve", note: null, revision: "unchecked" }))
    expect(reasonOf(AppLife.edit(approved, stale, later, waiting.revision))).toBe("done")
  })

  it("has no effect when it changes nothing, so a button that is pressed twice does not complain", () => {
    const first = done(AppLife.edit(shown, all, later, shown.revision))
    expect(AppLife.edit(first, all, later, shown.revision)).toEqual(Either.right(first))
  })
})
