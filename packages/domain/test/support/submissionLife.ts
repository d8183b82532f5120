import { AccountStore, type Account } from "@place-access/domain/accounts"
import {
  App,
  AppLogo,
  AppStore,
  decideApp,
  endPreviousClientSecrets,
  findLogo,
  listClientSecrets,
  RedirectUri,
  registerRedirectUris,
  replaceClientSecret,
  updateApp,
  withdrawChange
} from "@place-access/domain/apps"
import { reviewConsent, startConsent } from "@place-access/domain/consent"
import { Verdict } from "@place-access/domain/reviews"
import { Scope, Timestamp, Vault } from "@place-access/domain/shared"
import { Fixtures, samplePng } from "@place-access/domain/testing"
import { Effect, Either, FastCheck as fc, Option, TestClock } from "effect"
import { expect } from "vitest"
import { type AppDeed, ReferenceApp } from "./referenceApp.js"

/**
 * Generates random scenarios of an app in production, and runs them against any stores. Compares each result with a
 * second implementation of the guarantees (`ReferenceApp`):
 *
 * - On the consent page, users see the name and logo that a reviewer approved, and nothing that waits for review.
 * - A redirect URI on a new origin and a new scope do not work before the approval.
 * - A scope or an origin that was approved once works again immediately, without another approval.
 * - A secret that was ended no longer works.
 */

export type SubmissionStep =
  | { readonly _tag: "Deed"; readonly deed: Exclude<AppDeed, { readonly type: "approve" | "reject" }> }
  /** The reviewer opens the page of the app. */
  | { readonly _tag: "Read" }
  /** The reviewer decides about the version of the app that the reviewer's page showed. */
  | { readonly _tag: "Decide"; readonly decision: "approve" | "reject" }
  /** The developer renames the app while the reviewer, who has just opened the page, approves the app. */
  | { readonly _tag: "Race"; readonly name: string }
  /** With `times` > 1, several browsers send the request at the same time. */
  | { readonly _tag: "Replace"; readonly times: number }
  | { readonly _tag: "EndPrevious" }
  | { readonly _tag: "Pass"; readonly millis: number }

const NAMES = ["Coffee Finder", "Tea Finder", "Your Bank"]
const LOGOS = ["cup", "pot"].map((name) => AppLogo.LogoPng.make(samplePng(name)))
const SCOPES: ReadonlyArray<Scope.Scope> = ["location.place.current", "location.visits.read", "location.rules.place"]
const ORIGINS = ["https://a.example", "https://b.example", "com.example.c:"]
const uriOf = (origin: string) => RedirectUri.RedirectUri.make(`${origin}/callback`)
const ISSUER = "https://service.example"
const DAY = Timestamp.DAY

const some = (list: ReadonlyArray<string>) => fc.subarray([...list], { minLength: 1 })
const deeds = fc.oneof(
  fc.record({ type: fc.constant("name" as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ type: fc.constant("logo" as const), logo: fc.constantFrom<string | null>(null, ...LOGOS) }),
  fc.record({ type: fc.constant("scopes" as const), list: some(SCOPES) }),
  fc.record({ type: fc.constant("origins" as const), list: some(ORIGINS) }),
  fc.record({ type: fc.constant("withdraw" as const) })
)

const step: fc.Arbitrary<SubmissionStep> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ _tag: fc.constant("Deed" as const), deed: deeds }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Read" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Decide" as const),
      decision: fc.constantFrom("approve" as const, "approve" as const, "reject" as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Race" as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Replace" as const), times: fc.constantFrom(1, 1, 3) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("EndPrevious" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: fc.constant("Pass" as const), millis: fc.constantFrom(1, DAY - 1, DAY) })
  }
)

/**
 * The developer does something, the reviewer immediately reads and approves the app, and the developer does something
 * else.
 */
const reviewed: fc.Arbitrary<ReadonlyArray<SubmissionStep>> = fc
  .tuple(deeds, deeds)
  .map(([one, other]) => [
    { _tag: "Deed", deed: one },
    { _tag: "Read" },
    { _tag: "Decide", decision: "approve" },
    { _tag: "Deed", deed: other }
  ])

export const submissionLives: fc.Arbitrary<ReadonlyArray<SubmissionStep>> = fc
  .array(fc.oneof({ weight: 6, arbitrary: step.map((only) => [only]) }, { weight: 1, arbitrary: reviewed }), {
    minLength: 1,
    maxLength: 16
  })
  .map((all) => all.flat())

export const SUBMISSION_MARKS = [
  "a dropped scope came back at once",
  "a new origin waited",
  "a new scope waited",
  "approved",
  "decided too late",
  "earlier secrets were ended",
  "of several new secrets one",
  "raced, approved first",
  "raced, renamed first",
  "rejected",
  "replaced",
  "withdrawn"
]

interface Secret {
  readonly text: string
  /** The time at which the secret stops working. Null for the newest secret. */
  readonly endsAt: number | null
}

/** What the checks need to know about the scenario so far. */
interface State {
  readonly owner: Account.Account
  readonly reviewer: Account.Account
  readonly id: App.App["id"]
  readonly reference: ReferenceApp
  readonly digests: Map<string | null, string | null>
  secrets: ReadonlyArray<Secret>
  /** All secrets that were ever issued. */
  readonly issued: Array<string>
  /** The revision that the reviewer saw on the page, and the value of `changes` at that time. */
  read: { readonly revision: number; readonly changes: number } | undefined
  changes: number
}

const reading = (reference: ReferenceApp): string =>
  JSON.stringify([
    reference.wantedName(),
    reference.wantedLogo(),
    reference.wanted("scopes"),
    reference.wanted("origins")
  ])

const now = Effect.map(Timestamp.now, Number)
const note = Verdict.Note.make("So be it")

const presentOf = ({ id }: State) => Effect.flatMap(AppStore, (apps) => Effect.map(apps.find(id), Option.getOrThrow))

/** Applies a developer's deed to the service. Returns whether the service accepted it. */
const apply = (state: State, deed: Exclude<AppDeed, { readonly type: "approve" | "reject" }>) =>
  Effect.gen(function* () {
    const { id, owner } = state
    switch (deed.type) {
      case "name":
        return Either.isRight(
          yield* Effect.either(updateApp(owner, id, { name: App.AppName.make(deed.name) }, "assumed", "unchecked"))
        )
      case "logo": {
        const logo = deed.logo === null ? null : AppLogo.LogoPng.make(deed.logo)
        return Either.isRight(yield* Effect.either(updateApp(owner, id, { logo }, "assumed", "unchecked")))
      }
      case "scopes":
        return Either.isRight(
          yield* Effect.either(
            updateApp(owner, id, { scopes: deed.list.filter(Scope.isScope) }, "assumed", "unchecked")
          )
        )
      case "origins": {
        const { clientSecret } = yield* registerRedirectUris(owner, id, deed.list.map(uriOf), "assumed", "unchecked")
        const at = yield* now
        state.issued.push(clientSecret)
        state.secrets = [
          { text: clientSecret, endsAt: null },
          ...state.secrets.map((one) => ({ ...one, endsAt: one.endsAt ?? at + DAY }))
        ]
        return true
      }
      case "withdraw":
        return Either.isRight(yield* Effect.either(withdrawChange(owner, id, "unchecked")))
    }
  })

/**
 * Applies a deed to the model. If a deed other than a decision changes what a reviewer would see, `changes` grows by
 * one.
 */
const model = (state: State, deed: AppDeed): boolean => {
  const before = reading(state.reference)
  const isDone = state.reference.do(deed)
  const isDecision = deed.type === "approve" || deed.type === "reject"
  if (!isDecision && reading(state.reference) !== before) state.changes++
  return isDone
}

type Pass = (millis: number) => Effect.Effect<void>

const act = (state: State, one: SubmissionStep, met: Set<string>, pass: Pass) =>
  Effect.gen(function* () {
    const { id, owner, reference, reviewer } = state
    switch (one._tag) {
      case "Deed": {
        const { deed } = one
        const [hadScopes, ever] = [reference.inForce("scopes"), reference.everApproved("scopes")]
        expect(yield* apply(state, deed)).toBe(model(state, deed))
        if (deed.type === "withdraw" && !reference.waits()) met.add("withdrawn")
        if (deed.type !== "scopes") return
        const back = deed.list.filter((scope) => ever.has(scope) && !hadScopes.includes(scope))
        if (back.length > 0) met.add("a dropped scope came back at once")
        return
      }
      case "Read":
        state.read = { revision: (yield* presentOf(state)).revision, changes: state.changes }
        return
      case "Decide": {
        const { read } = state
        if (read === undefined) return
        const verdict = { decision: one.decision, note, revision: read.revision }
        const isDone = Either.isRight(yield* Effect.either(decideApp(reviewer, id, verdict)))
        const expected = read.changes === state.changes && reference.waits()
        expect(isDone).toBe(expected)
        if (expected) model(state, { type: one.decision })
        else if (reference.waits()) met.add("decided too late")
        if (expected) met.add(one.decision === "approve" ? "approved" : "rejected")
        return
      }
      case "Race": {
        const { revision } = yield* presentOf(state)
        const renames = updateApp(owner, id, { name: App.AppName.make(one.name) }, "assumed", "unchecked")
        const approves = decideApp(reviewer, id, { decision: "approve", note, revision })
        const [, approved] = yield* Effect.all([renames, Effect.either(approves)], { concurrency: "unbounded" })
        if (Either.isRight(approved)) model(state, { type: "approve" })
        met.add(Either.isRight(approved) ? "raced, approved first" : "raced, renamed first")
        model(state, { type: "name", name: one.name })
        return
      }
      case "Replace": {
        const hadSecret = state.secrets.length > 0
        const outcomes = yield* Effect.forEach(
          Array.from({ length: one.times }),
          () => Effect.either(replaceClientSecret(owner, id)),
          { concurrency: "unbounded" }
        )
        const fresh = outcomes.flatMap((outcome) => (Either.isRight(outcome) ? [outcome.right.clientSecret] : []))
        expect(fresh.length).toBe(hadSecret ? one.times : 0)
        if (!hadSecret) return
        state.issued.push(...fresh)
        const alive = yield* Effect.filter(fresh, (text) => Effect.isSuccess(Fixtures.authenticateClient(id, text)))
        expect(alive.length).toBe(1)
        state.secrets = alive.map((text) => ({ text, endsAt: null }))
        met.add(one.times > 1 ? "of several new secrets one" : "replaced")
        return
      }
      case "EndPrevious":
        yield* Effect.either(endPreviousClientSecrets(owner, id))
        if (state.secrets.length > 1) met.add("earlier secrets were ended")
        state.secrets = state.secrets.slice(0, 1)
        return
      case "Pass":
        yield* pass(one.millis)
    }
  })

/**
 * Compares with the model what users and the app see. `turn` selects the scope and the redirect URI with which the app
 * opens the consent page.
 */
const check = (state: State, turn: number, met: Set<string>) =>
  Effect.gen(function* () {
    const { digests, id, owner, reference } = state
    const app = yield* presentOf(state)
    expect(app.status).toBe("production")
    expect([app.name, app.logo]).toEqual([reference.nameInForce(), digests.get(reference.logoInForce())])
    expect(app.declaredScopes).toEqual(reference.inForce("scopes"))
    expect(app.redirectUris).toEqual(reference.inForce("origins").map(uriOf))
    expect([app.proposal !== null, app.submission !== null]).toEqual([reference.waits(), reference.waits()])

    const scope = SCOPES[turn % SCOPES.length] ?? ""
    const origin = ORIGINS[Math.floor(turn / SCOPES.length) % ORIGINS.length] ?? ""
    const consentRequest = yield* Effect.either(
      startConsent(
        {
          client_id: id,
          redirect_uri: uriOf(origin),
          scope,
          code_challenge: "A".repeat(43),
          code_challenge_method: "S256",
          state: "state-of-the-app"
        },
        ISSUER
      )
    )
    const [hasOrigin, hasScope] = [
      reference.inForce("origins").includes(origin),
      reference.inForce("scopes").includes(scope)
    ]
    if (!hasOrigin && reference.wanted("origins").includes(origin)) met.add("a new origin waited")
    if (!hasScope && reference.wanted("scopes").includes(scope)) met.add("a new scope waited")
    expect(Either.isRight(consentRequest) ? "page" : consentRequest.left._tag).toBe(
      hasOrigin ? (hasScope ? "page" : "AuthorizeRedirect") : "AuthorizePage"
    )
    if (Either.isRight(consentRequest)) {
      const shown = yield* reviewConsent(consentRequest.right.id, owner)
      expect([shown.app.name, shown.app.logo]).toEqual([app.name, app.logo])
      expect(shown.scopes.map((one) => one.scope)).toEqual([scope])
    }

    for (const [png, digest] of digests) {
      if (digest === null) continue
      const seen = yield* Effect.isSuccess(findLogo(id, AppLogo.LogoDigest.make(digest), Option.none()))
      expect([png, seen]).toEqual([png, png === reference.logoInForce()])
    }

    const at = yield* now
    const works = state.secrets.filter(({ endsAt }) => endsAt === null || at < endsAt).map(({ text }) => text)
    for (const text of state.issued) {
      expect([text, yield* Effect.isSuccess(Fixtures.authenticateClient(id, text))]).toEqual([
        text,
        works.includes(text)
      ])
    }
    expect((yield* listClientSecrets(owner, id)).length).toBe(works.length)
  })

/** Runs the steps. Adds to `met` the name of each situation that they reached. `pass` lets time pass. */
export const liveSubmissions = (
  steps: ReadonlyArray<SubmissionStep>,
  met: Set<string>,
  pass: Pass = TestClock.adjust
) =>
  Effect.gen(function* () {
    const owner = yield* Fixtures.user
    const reviewer = yield* Fixtures.userWith({ roles: ["reviewer"] })
    yield* (yield* AccountStore).addRoles(reviewer.id, ["reviewer"])
    const app = yield* Fixtures.app(owner.id, {
      status: "production",
      declaredScopes: [SCOPES[0] ?? "location.place.current"],
      redirectUris: [uriOf(ORIGINS[0] ?? "")]
    })
    const digests = new Map<string | null, string | null>([[null, null]])
    for (const png of LOGOS) digests.set(png, (yield* Vault.Vault).sha256(png))
    const state: State = {
      owner,
      reviewer,
      id: app.id,
      reference: new ReferenceApp(app.name, { scopes: app.declaredScopes, origins: [ORIGINS[0] ?? ""] }),
      digests,
      secrets: [],
      issued: [],
      read: undefined,
      changes: 0
    }
    for (const [index, one] of steps.entries()) {
      yield* act(state, one, met, pass)
      yield* check(state, index, met)
    }
  })
