import { everything, Bucket } from "@place-access/domain/leases"
import { AppStore } from "@place-access/domain/apps"
import {
  authenticateAccess,
  exchangeCode,
  refreshTokens,
  revokeToken,
  type TokenGrant
} from "@place-access/domain/tokens"
import { type ConsentChoices, decideConsent, startConsent } from "@place-access/domain/consent"
import {
  ConnectionStore,
  describeConnection,
  disconnect,
  endRevoked,
  sharePlaces
} from "@place-access/domain/connection"
import { EventStore } from "@place-access/domain/deliveries"
import { type Event } from "@place-access/domain/events"
import { MailOutbox } from "@place-access/domain/mail"
import { Place, PlaceStore } from "@place-access/domain/places"
import { ConnectionId, ConsentRequestId, Entropy, PlaceId, type Scope, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { sweepTiers } from "@place-access/domain/sweeps"
import { expect } from "@effect/vitest"
import { Effect, Either, Option, TestClock } from "effect"
import { type Command, type Form, FORM, type Proof, PROVEN, SCOPES } from "./connectionCommands.js"
import {
  type Access,
  type Choices,
  type Grant,
  type Link,
  type Page,
  ReferenceConnections
} from "./referenceConnections.js"

// Runs commands of one user and one app against the programs and against a model (`ReferenceConnections`), and
// compares their answers after each command. A difference is a bug in one of the two.

const { DAY } = Timestamp

const newest = <A>(list: ReadonlyArray<A>, ago: number): A | undefined => list.at(-1 - ago)
const chosen = <A>(from: ReadonlyArray<A>, bits: number): ReadonlyArray<A> =>
  from.filter((_, index) => (bits & (1 << index)) !== 0)

const world = Effect.gen(function* () {
  const user = yield* Fixtures.user
  const developer = yield* Fixtures.user
  const app = yield* Fixtures.app(developer.id, { status: "production", declaredScopes: SCOPES })
  const other = yield* Fixtures.app(developer.id, { status: "production" })
  const terms = {
    description: "Finds coffee near you",
    scopes: ["location.latest.read", "location.lookup"],
    expectedDailyVolume: 9
  } as const
  yield* Fixtures.purpose(app.id, "find_coffee", { status: "approved", terms, approved: terms })
  const places = yield* Effect.forEach(["Home", "Work"], (label) =>
    Effect.gen(function* () {
      const id = PlaceId.make(yield* Entropy.id("plc"))
      const draft: Place.PlaceDraft = {
        label: Place.Label.make(label),
        kind: "other",
        circle: { lat: 52.37, lon: 4.89, radiusM: 150 }
      }
      yield* (yield* PlaceStore).create(Place.make(user.id, id, draft, yield* Timestamp.now))
      return id
    })
  )
  return { app, other, places, user }
})

type World = Effect.Effect.Success<typeof world>

const now = Effect.map(Timestamp.now, (at): number => at)

/**
 * Which refreshes a test may send at the same time. `copies`: all of them present the same refresh token, so their
 * answers do not depend on the unknown order in which the service handles them. `any`: they may present different
 * tokens.
 */
export type AtOnce = "any" | "copies"

/** Gives each command to the programs and to the model. Compares the answers, and notes in `seen` what occurred. */
const sideBySide = (
  { app, other, places, user }: World,
  model: ReferenceConnections,
  seen: Set<string>,
  atOnce: AtOnce
) => {
  const given = (grant: Grant, parent: Link | null, tokens: TokenGrant.TokenGrant, at: number): void => {
    const { held: _, ...described } = model.describe(grant, at)
    expect(model.accesses.some((access) => access.text === tokens.accessToken)).toBe(false)
    expect([tokens.scopes, tokens.refreshTokenExpiresAt, tokens.sensitiveScopesExpireAt]).toEqual([
      inOrder(described.scopes),
      described.grantExpiresAt,
      described.sensitiveExpiresAt
    ])
    model.issued(grant, parent, { access: tokens.accessToken, refresh: tokens.refreshToken }, at)
  }

  const requested = (what: number | "held", at: number): ReadonlyArray<Scope.Scope> => {
    if (typeof what === "number") return chosen(SCOPES, what)
    const grant = model.unended()
    const held = grant === undefined ? SCOPES : model.describe(grant, at).held
    return SCOPES.filter((scope) => held.includes(scope))
  }

  const open = (what: number | "held") =>
    Effect.gen(function* () {
      const at = yield* now
      const scopes = requested(what, at)
      if (scopes.length === 0) return undefined
      const started = yield* Effect.either(
        Effect.flatMap(ConsentFlow.parameters(app, scopes), (sent) => startConsent(sent, ConsentFlow.ISSUER))
      )
      expect(Either.isRight(started)).toBe(model.mayOpen(scopes))
      if (Either.isLeft(started)) return undefined
      const shown = model.mode(scopes, at)
      const page: Page = { id: started.right.id, requested: scopes, openedAt: at, shown, answered: null }
      model.pages.push(page)
      return page
    })

  const answer = (page: Page, form: Form) =>
    Effect.gen(function* () {
      const at = yield* now
      const choices: Choices = {
        decision: form.decision,
        shown: form.names ? page.shown : null,
        scopes: form.scopes === "all" ? page.requested : chosen(SCOPES, form.scopes),
        places: chosen(places, form.places),
        standardDays: form.standardDays,
        sensitiveDays: form.sensitiveDays
      }
      const posted: ConsentChoices = {
        decision: choices.decision,
        shown: choices.shown ?? undefined,
        scopes: choices.scopes,
        places: choices.places,
        earlier: [],
        standardDays: String(choices.standardDays ?? "never"),
        sensitiveDays: String(choices.sensitiveDays)
      }
      const actual = yield* Effect.either(
        decideConsent(ConsentRequestId.make(page.id), user, posted, ConsentFlow.ISSUER, "confirmed")
      )
      const expected = model.answer(page, choices, at)
      seen.add(`answer: ${expected.is}${expected.is === "refused" ? ` ${expected.why}` : ""}`)
      if (Either.isLeft(actual)) {
        const why = actual.left._tag === "ConsentRefused" ? `refused ${actual.left.reason}` : actual.left._tag
        expect(why).toBe(
          expected.is === "refused" ? `refused ${expected.why}` : expected.is === "faulty" ? "Invalid" : "?"
        )
        return
      }
      const { code, error } = ConsentFlow.answer(actual.right.redirectTo)
      if (expected.is === "denied") expect([code, error]).toEqual([undefined, "access_denied"])
      else if (expected.is === "repeated") expect(code).toBe(expected.code.text)
      else {
        expect(expected.is).toBe("approved")
        if (expected.is !== "approved" || code === undefined) return
        expect(model.codes.some(({ text }) => text === code)).toBe(false)
        seen.add(`mode: ${expected.mode}`)
        const fresh = { connection: ConsentFlow.connectionOf(code), code }
        model.approve(page, choices, expected.mode, fresh, at)
        expect(fresh.connection).toBe(model.unended()?.id)
      }
    })

  const exchange = (codes: ReadonlyArray<number>, proof: Proof) =>
    Effect.gen(function* () {
      const at = yield* now
      // A command may name one code several times. The test exchanges each code of a command only once.
      const of = [...new Set(codes)].map((ago) => newest(model.codes, ago)).filter((code) => code !== undefined)
      for (const code of of) {
        const actual = yield* Effect.either(
          exchangeCode(proof.app ? app : other, {
            code: code.text,
            codeVerifier: proof.verifier ? ConsentFlow.VERIFIER : `${ConsentFlow.VERIFIER}x`,
            redirectUri: proof.redirect ? "https://coffee.example/callback" : "https://coffee.example/callback/",
            ...(proof.key ? { idempotencyKey: `exchange-${code.text}` } : {})
          })
        )
        const expected = model.exchange(code, proof, at)
        expect(Either.isRight(actual)).toBe(expected.ok)
        if (Either.isLeft(actual) || !expected.ok) continue
        given(code.connection, null, actual.right, at)
        model.exchanged(code, actual.right.refreshToken)
        if (expected.refresh === "new") continue
        seen.add(code.link?.spentAt == null ? "exchange repeated" : "exchange repeated after a refresh")
        expect(actual.right.refreshToken).toBe(expected.refresh)
      }
    })

  const refresh = (tokens: ReadonlyArray<number>, stranger: boolean, sweeping: boolean) =>
    Effect.gen(function* () {
      const at = yield* now
      const named = atOnce === "any" ? tokens : tokens.map(() => tokens[0] ?? 0)
      const of = named.map((ago) => newest(model.links, ago)).filter((link) => link !== undefined)
      const programs = of.map((link) => Effect.either(refreshTokens(stranger ? other : app, link.text)))
      const [answers] = yield* Effect.all(
        [Effect.all(programs, { concurrency: "unbounded" }), sweeping ? sweepTiers(everything.people) : Effect.void],
        { concurrency: "unbounded" }
      )
      if (of.length > 1) seen.add("refreshed at once")
      of.forEach((link, index) => {
        const expected = model.refresh(link, !stranger, at)
        const actual = answers[index]!
        expect(Either.isRight(actual)).toBe(expected.ok)
        if (Either.isLeft(actual) || !expected.ok) return
        if (expected.refresh === "new") {
          seen.add("rotation")
          expect(model.links.some(({ text }) => text === actual.right.refreshToken)).toBe(false)
          given(link.connection, link, actual.right, at)
        } else {
          seen.add(link.child?.child == null ? "race" : "race further up the chain")
          expect(actual.right.refreshToken).toBe(expected.refresh)
          given(link.connection, null, actual.right, at)
        }
      })
      if (sweeping) model.sweep(at)
    })

  const goTo = (date: Extract<Command, { type: "go to" }>["date"], plus: number) =>
    Effect.gen(function* () {
      const { sensitiveEnd, standardEnd } = model.unended() ?? { sensitiveEnd: null, standardEnd: null }
      const offsets = { sensitive: 0, grace: 14, "14 days": -14, "7 days": -7 }
      const to = date === "standard" ? standardEnd : sensitiveEnd === null ? null : sensitiveEnd + offsets[date] * DAY
      if (to !== null && to + plus > (yield* now)) yield* TestClock.setTime(to + plus)
    })

  const changeApp = (change: { allowedScopes?: ReadonlyArray<Scope.Scope> | null; revokedAt?: Timestamp.Timestamp }) =>
    Effect.flatMap(AppStore, (apps) =>
      apps.update(app.id, (before) => ({ outcome: undefined, after: { ...before, app: { ...before.app, ...change } } }))
    )

  return (command: Command) =>
    Effect.gen(function* () {
      switch (command.type) {
        case "open":
          return yield* open(command.asked)
        case "answer": {
          const page = newest(model.pages, command.page)
          return page === undefined ? undefined : yield* answer(page, command)
        }
        case "approve": {
          const page = yield* open(command.asked)
          return page === undefined ? undefined : yield* answer(page, command)
        }
        case "exchange":
          return yield* exchange(command.codes, command.proof)
        case "refresh":
          return yield* refresh(command.tokens, command.stranger, command.sweeping)
        case "revoke": {
          const list: ReadonlyArray<Link | Access> = command.kind === "access" ? model.accesses : model.links
          const token = newest(list, command.token)
          if (token !== undefined) yield* revokeToken(command.stranger ? other : app, token.text)
          return model.revoke(token, !command.stranger, yield* now)
        }
        case "disconnect": {
          const grant = model.grants.at(-1)
          if (grant === undefined) return
          yield* disconnect(user.id, ConnectionId.make(grant.id))
          return model.disconnect(grant, yield* now)
        }
        case "share": {
          const grant = model.grants.at(-1)
          if (grant === undefined) return
          const ids = chosen(places, command.places)
          const shared = yield* Effect.either(
            sharePlaces(
              user.id,
              ConnectionId.make(grant.id),
              ids.map((placeId) => ({ placeId, includeEarlierVisits: false })),
              "unchecked"
            )
          )
          expect(Either.isRight(shared)).toBe(model.share(grant, ids, yield* now))
          return
        }
        case "narrow": {
          const allowedScopes = command.to === null ? null : chosen(SCOPES, command.to)
          yield* changeApp({ allowedScopes })
          model.allowed = allowedScopes ?? SCOPES
          return
        }
        case "revoke app": {
          yield* changeApp({ revokedAt: yield* Timestamp.now })
          yield* endRevoked({ appId: app.id })
          if (model.appRevokedAt === null) model.revokeApp(yield* now)
          return
        }
        case "sweep":
          yield* Effect.replicateEffect(sweepTiers(everything.people), command.workers, { concurrency: "unbounded" })
          return model.sweep(yield* now)
        case "wait":
          return yield* TestClock.setTime((yield* now) + command.ms)
        case "go to":
          return yield* goTo(command.date, command.plus)
      }
    })
}

const inOrder = (scopes: ReadonlyArray<string>): ReadonlyArray<string> =>
  SCOPES.filter((scope) => scopes.includes(scope))

const about = (payload: Event.Payload, at: number): string => {
  switch (payload.type) {
    case "places.changed":
      return `${payload.placesVersion}`
    case "sensitive.expiring":
      return `${payload.daysLeft} ${payload.sensitiveExpiresAt} ${payload.scopes.join(" ")}`
    case "sensitive.lapsed":
      return `lapsed ${payload.sensitiveExpiresAt} ${payload.scopes.join(" ")}`
    case "sensitive.removed":
      return `removed ${at - 14 * DAY} ${payload.scopes.join(" ")}`
    default:
      return payload.type
  }
}

/** A time that is later than any clock of a test. */
const FAR = Timestamp.make(Date.UTC(2100, 0, 1))

/**
 * Compares the final state of the programs with that of the model. It reads the programs' state only through ports.
 * `appEvents` are the events that the app got so far.
 */
const compare = ({ user }: World, model: ReferenceConnections, appEvents: Array<object>) =>
  Effect.gen(function* () {
    const at = yield* now
    const store = yield* ConnectionStore
    for (const grant of model.grants.slice(-3)) {
      const found = Option.getOrThrow(yield* store.findOfUser(user.id, ConnectionId.make(grant.id)))
      const { endReason, endedAt } = found.connection
      expect([endedAt, endReason]).toEqual([grant.ended?.at ?? null, grant.ended?.reason ?? null])
      // The test also compares the stored grant, because the sweep removes scopes from the grant that no answer shows.
      expect([inOrder(found.connection.heldScopes), found.connection.sensitiveExpiresAt]).toEqual([
        inOrder(grant.held),
        grant.sensitiveEnd
      ])
      const {
        connectedAt: _,
        externalUserId: __,
        heldScopes,
        sub: ___,
        ...described
      } = yield* describeConnection(found)
      const expected = model.describe(grant, at)
      expect({ ...described, held: heldScopes }).toEqual({
        ...expected,
        scopes: inOrder(expected.scopes),
        held: inOrder(expected.held)
      })
    }
    for (const access of model.accesses.slice(-4)) {
      const answer = yield* Effect.either(authenticateAccess(access.text))
      expect(Either.isRight(answer)).toBe(model.opens(access, at))
    }
    const events = yield* EventStore
    const found = yield* events.pending(Bucket.ALL, 10_000, FAR)
    const pending = found.events.filter((event) => event.userId === user.id)
    yield* events.markFannedOut(pending, FAR)
    appEvents.push(
      ...pending.map((event) => ({
        type: event.payload.type,
        at: event.occurredAt,
        connection: event.connectionId,
        about: about(event.payload, event.occurredAt)
      }))
    )
    const sorted = (list: ReadonlyArray<object>) => list.map((one) => JSON.stringify(one)).sort()
    expect(sorted(appEvents)).toEqual(sorted(model.told))
  })

const leakMails = ({ user }: World) =>
  Effect.gen(function* () {
    const kept = yield* (yield* MailOutbox).recent(10_000)
    return kept.filter(
      ({ message }) => message.to === user.id && /^(?:refresh_token|code)_reused /.test(message.dedupeKey)
    ).length
  })

/** Runs the commands after a consent to all requested scopes. Compares the state once more at the end. */
export const live = (commands: ReadonlyArray<Command>, seen: Set<string>, atOnce: AtOnce) =>
  Effect.gen(function* () {
    const scene = yield* world
    const model = new ReferenceConnections(SCOPES)
    const run = sideBySide(scene, model, seen, atOnce)
    const events: Array<object> = []
    yield* run({ type: "approve", asked: 2 ** SCOPES.length - 1, ...FORM, standardDays: null })
    yield* run({ type: "exchange", codes: [0], proof: PROVEN })
    for (const command of commands) {
      yield* run(command)
      yield* compare(scene, model, events)
    }
    for (const { ended } of model.grants) if (ended !== null) seen.add(`ended: ${ended.reason}`)
    for (const { type } of model.told) seen.add(type)
    expect(yield* leakMails(scene)).toBe(model.leakMails)
    return model
  })
