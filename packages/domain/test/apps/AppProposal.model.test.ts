import { App, AppLife, AppProposal, RedirectUri } from "@place-access/domain/apps"
import { Verdict } from "@place-access/domain/reviews"
import { Scope, Timestamp, Vault } from "@place-access/domain/shared"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { type AppDeed, ReferenceApp } from "../support/referenceApp.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { appOf } from "../support/apps.js"

const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))
/** There are only a few names, so that an edit often returns to an earlier name. */
const NAMES = ["Coffee Finder", "Tea Finder", "Your Bank"]
const LOGOS = ["a", "b"].map((letter) => Vault.Hash.make(letter.repeat(64)))
const SCOPES: ReadonlyArray<Scope.Scope> = ["location.place.current", "location.visits.read", "location.lookup"]
const ORIGINS = ["https://a.example", "https://b.example", "com.example.c:"]
const uriOf = (origin: string) => RedirectUri.RedirectUri.make(`${origin}/callback`)

const production = appOf({
  homepageUrl: null,
  declaredScopes: ["location.place.current"],
  redirectUris: [uriOf("https://a.example")],
  status: "production",
  createdAt: START
})

const some = (list: ReadonlyArray<string>) => fc.subarray([...list], { minLength: 1 })
const deed: fc.Arbitrary<AppDeed> = fc.oneof(
  fc.record({ type: fc.constant("name" as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ type: fc.constant("logo" as const), logo: fc.constantFrom(null, ...LOGOS) }),
  fc.record({ type: fc.constant("scopes" as const), list: some(SCOPES) }),
  fc.record({ type: fc.constant("origins" as const), list: some(ORIGINS) }),
  fc.record({ type: fc.constantFrom("approve" as const, "reject" as const, "withdraw" as const) })
)
/**
 * The age of the revision that the reviewer read: 0 is the present revision, 1 the revision before. Undefined: the
 * reviewer names no revision.
 */
const revisionsAgo = fc.constantFrom(undefined, 0, 0, 0, 1)

const reading = (app: ReferenceApp): string =>
  JSON.stringify([app.wantedName(), app.wantedLogo(), app.wanted("scopes"), app.wanted("origins")])

const step = (app: App.App, one: AppDeed, revision: number | "unchecked", now: Timestamp.Timestamp) => {
  switch (one.type) {
    case "name":
      return AppLife.edit(app, { name: App.AppName.make(one.name) }, now, "unchecked")
    case "logo":
      return AppLife.edit(app, { logo: one.logo === null ? null : Vault.Hash.make(one.logo) }, now, "unchecked")
    case "scopes":
      return AppLife.edit(app, { scopes: one.list.filter(Scope.isScope) }, now, "unchecked")
    case "origins":
      return AppLife.register(app, one.list.map(uriOf), now, "unchecked")
    case "withdraw":
      return AppLife.withdraw(app, "unchecked")
    case "approve":
    case "reject":
      return AppLife.decide(app, { decision: one.type, note: Verdict.Note.make("So be it"), revision })
  }
}

describe("changes to an app in production, against their history", () => {
  it("in force is nothing newer than the revision that the reviewer named, what was approved once comes back at once, and the rest waits for its turn", () => {
    const seen = new Set<string>()
    holdsAnywhere(
      fc.property(fc.array(fc.tuple(deed, revisionsAgo), { maxLength: 30, size: "max" }), (deeds) => {
        let app = production
        const reference = new ReferenceApp(production.name, {
          scopes: production.declaredScopes,
          origins: ["https://a.example"]
        })
        for (const [index, [one, ago]] of deeds.entries()) {
          const now = Timestamp.plus(START, index + 1)
          const before = app
          const isDecision = one.type === "approve" || one.type === "reject"
          const revision = ago === undefined ? "unchecked" : before.revision - ago
          const read = reading(reference)
          const outcome = step(before, one, revision, now)
          const isRead = revision === "unchecked" || revision === before.revision
          const allowed = isDecision && !isRead ? false : reference.do(one)
          expect(Either.isRight(outcome)).toBe(allowed)
          if (Either.isRight(outcome)) app = outcome.right
          // The revision grows by one exactly when the step changes what the developer wants. A rejection or a
          // withdrawal can also raise the revision: it drops the developer's change, so the developer then wants what
          // is in force. An approval never raises the revision.
          expect(app.revision - before.revision).toBe(one.type === "approve" || reading(reference) === read ? 0 : 1)
          seen.add(`${before.proposal === null ? "settled" : "waits"} ${one.type} ${allowed}`)

          expect(app.status).toBe("production")
          expect(app.name).toBe(reference.nameInForce())
          expect(app.logo).toBe(reference.logoInForce())
          expect(app.declaredScopes).toEqual(reference.inForce("scopes"))
          expect(app.redirectUris).toEqual(reference.inForce("origins").map((origin) => uriOf(origin)))
          expect(app.proposal !== null).toBe(reference.waits())
          expect(app.submission !== null).toBe(reference.waits())
          expect(AppProposal.wanted(app).name).toBe(reference.wantedName())
          // The submission determines the app's turn in the reviewers' queue. Until a decision or a withdrawal, no edit
          // may change the submission, because an edit would then cost the app its turn.
          const keepsTurn = before.submission !== null && app.submission !== null && !isDecision
          expect(keepsTurn ? app.submission : null).toEqual(keepsTurn ? before.submission : null)
          const ever = reference.everApproved("origins")
          expect(AppProposal.pendingRedirectUris(app)).toEqual(
            app.proposal?.redirectUris === null || app.proposal === null
              ? []
              : reference.wanted("origins").flatMap((origin) => (ever.has(origin) ? [] : [uriOf(origin)]))
          )
        }
      }),
      500
    )
    const steps = [
      "settled name true",
      "settled logo true",
      "settled scopes true",
      "settled origins true",
      "waits name true",
      "waits approve true",
      "waits approve false",
      "waits reject true",
      "waits withdraw true",
      "settled withdraw false",
      "settled approve false"
    ]
    expect(steps.filter((one) => !seen.has(one))).toEqual([])
  })
})
