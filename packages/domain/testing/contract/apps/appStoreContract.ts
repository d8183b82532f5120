import { Effect, Option, TestClock } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import { type App, AppDescription, HomepageUrl, AppName, type Proposal } from "../../../src/apps/App.js"
import { type Logo, LogoPng } from "../../../src/apps/AppLogo.js"
import { AppStore, type Registered } from "../../../src/apps/AppStore.js"
import type { ClientSecret } from "../../../src/apps/ClientSecret.js"
import { RedirectUri } from "../../../src/apps/RedirectUri.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AppId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import { Hash, Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { samplePng } from "../../samplePng.js"

type Ports = AppStore | AccountStore | Entropy.Entropy | Vault

const owned = Effect.flatMap(Fixtures.user, (owner) => Fixtures.app(owner.id))
const unknownApp = Effect.map(Entropy.id("app"), (id) => AppId.make(id))

const secretOf = (appId: AppId, createdAt: Timestamp.Timestamp, expiresAt: Timestamp.Timestamp | null) =>
  Effect.gen(function* () {
    const hash = (yield* Vault).sha256(yield* Entropy.secret)
    return { appId, hash, createdAt, expiresAt } satisfies ClientSecret
  })

/** A proposal with a value in every field. */
const PROPOSAL: Proposal = {
  name: AppName.make('Tea «Ω» \\ "x" 🍵'),
  description: AppDescription.make("Two lines,\nof which this is the second."),
  homepageUrl: HomepageUrl.make("https://tea.example/about?x=1#top"),
  logo: Hash.make("a".repeat(64)),
  scopes: ["location.place.current", "location.visits.read"],
  redirectUris: [RedirectUri.make("com.example.app:/cb"), RedirectUri.make("https://a.example/it's?a,b")]
}

/**
 * What every `AppStore` must guarantee: an app is stored with all its fields, listed in pages, and a change does not
 * overwrite another change that is made at the same time.
 */
export const appStoreContract: Contract<Ports> = [
  {
    name: "create: what was stored is found, field by field, without secrets",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const owner = yield* Fixtures.user
      const now = yield* Timestamp.now
      const full = yield* Fixtures.app(owner.id, {
        name: AppName.make('Café «Ω» \\ "x" 🦉'),
        description: AppDescription.make("Two lines,\nof which this is the second."),
        homepageUrl: HomepageUrl.make("https://coffee.example/about?x=1#top"),
        logo: Hash.make("c".repeat(64)),
        declaredScopes: ["location.place.current", "location.lookup"],
        allowedScopes: [],
        redirectUris: [RedirectUri.make("https://b.example/x"), RedirectUri.make("https://a.example/it's?a,b")],
        status: "production",
        approvedScopes: ["location.place.current", "location.lookup"],
        approvedOrigins: ["com.example.app:", "https://a.example", "https://b.example"],
        proposal: PROPOSAL,
        reviewNote: "well done",
        revision: 3,
        submission: { at: Timestamp.plus(now, 2), revision: 2 },
        revokedAt: Timestamp.plus(now, 1)
      })
      Check.equal(yield* apps.find(full.id), Option.some(full), "with everything")
      const bare = yield* Fixtures.app(owner.id, { redirectUris: [] })
      Check.equal(yield* apps.findRegistered(bare.id), Option.some({ app: bare, secrets: [] }), "with nothing")
    })
  },
  {
    name: `create: the ${AccountLimits.APPS.most}th of an owner is the last, also when several ask at once; revoked ones count [limits-9]`,
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const owner = yield* Fixtures.user
      const first = yield* Fixtures.app(owner.id, { revokedAt: yield* Timestamp.now })
      for (let made = 1; made < AccountLimits.APPS.most - 1; made++) yield* Fixtures.app(owner.id)
      const draft = (ownerId = owner.id) =>
        Effect.map(Entropy.id("app"), (id): App => ({ ...first, id: AppId.make(id), ownerId }))
      const rivals = yield* Effect.all(Array.from({ length: 12 }, () => draft()))
      const outcomes = yield* Effect.forEach(rivals, apps.create, { concurrency: "unbounded" })
      Check.equal(outcomes.filter((one) => one === "Made").length, 1, "there was room for one")
      const { items } = yield* apps.listOf(owner.id, 500, undefined)
      Check.equal(items.length, AccountLimits.APPS.most, "stored")
      Check.equal(yield* apps.create(yield* draft((yield* Fixtures.user).id)), "Made", "another owner has room")
    })
  },
  {
    name: "create: nothing is stored for an owner whose account was deleted [deletions-2]",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const draft: App = {
        ...(yield* owned),
        id: AppId.make(yield* Entropy.id("app")),
        ownerId: UserId.make("usr_gone")
      }
      Check.equal(yield* apps.create(draft), "NoOwner", "refused")
      Check.equal(yield* apps.find(draft.id), Option.none(), "nothing is stored")
    })
  },
  {
    name: "findLogo: a logo is there while the app names it, in force or proposed, and no longer; not another app's [apps-9]",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const [app, other] = [yield* owned, yield* owned]
      const logo = (name: string) =>
        Effect.map(Vault, (vault): Logo => ({ digest: vault.sha256(name), png: LogoPng.make(samplePng(name)) }))
      const [one, two] = [yield* logo("one"), yield* logo("two")]
      const change = (edit: Partial<App>, added?: Logo) =>
        apps.update(app.id, (before) => ({
          outcome: 0,
          after: { ...before, app: { ...before.app, ...edit } },
          logo: added
        }))
      const kept = Effect.forEach([one, two], ({ digest }) =>
        Effect.map(apps.findLogo(app.id, digest), Option.getOrNull)
      )
      Check.equal(yield* kept, [null, null], "none at first")
      yield* change({ logo: one.digest }, one)
      Check.equal(yield* kept, [one.png, null], "in force")
      Check.equal(yield* apps.findLogo(other.id, one.digest), Option.none(), "of another app")
      yield* change({ proposal: { ...PROPOSAL, logo: two.digest } }, two)
      Check.equal(yield* kept, [one.png, two.png], "and proposed")
      yield* change({ name: AppName.make("Other") })
      Check.equal(yield* kept, [one.png, two.png], "another change keeps them")
      yield* change({ proposal: null })
      Check.equal(yield* kept, [one.png, null], "what was proposed and dropped is gone")
      yield* change({ proposal: { ...PROPOSAL, logo: two.digest } }, two)
      yield* change({ logo: two.digest, proposal: null })
      Check.equal(yield* kept, [null, two.png], "what was replaced is gone")
      yield* change({ logo: null })
      Check.equal(yield* kept, [null, null], "what was removed is gone")
    })
  },
  {
    name: "find: none for an unknown app",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const id = yield* unknownApp
      Check.equal(yield* apps.find(id), Option.none(), "find")
      Check.equal(yield* apps.findRegistered(id), Option.none(), "findRegistered")
    })
  },
  {
    name: "listOf: the owner's apps alone, oldest first",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const [owner, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const first = yield* Fixtures.app(owner.id)
      yield* Fixtures.app(other.id)
      yield* TestClock.adjust("1 millis")
      const second = yield* Fixtures.app(owner.id)
      Check.equal(yield* apps.listOf(owner.id, 10, undefined), { items: [first, second], next: undefined }, "list")
    })
  },
  {
    name: "listOf: pages give every app once, also those of one millisecond; the last page says so",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const owner = yield* Fixtures.user
      const made: Array<App> = []
      for (const pause of [0, 0, 0, 1, 0]) {
        yield* TestClock.adjust(pause)
        made.push(yield* Fixtures.app(owner.id))
      }
      const expected = made.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
      for (const limit of [1, 2, 5, 6]) {
        const found: Array<AppId> = []
        let after: ReadonlyArray<string | number> | undefined
        do {
          const page = yield* apps.listOf(owner.id, limit, after)
          Check.isTrue(
            page.items.length > 0 && page.items.length <= limit,
            `a page of ${limit} is neither empty nor larger`
          )
          found.push(...page.items.map(({ id }) => id))
          after = page.next
        } while (after !== undefined)
        Check.equal(found, expected, `pages of ${limit}`)
      }
    })
  },
  {
    name: "listOf: empty for an account without apps",
    run: Effect.gen(function* () {
      const owner = UserId.make(yield* Entropy.id("usr"))
      Check.equal(yield* (yield* AppStore).listOf(owner, 10, undefined), { items: [], next: undefined }, "list")
    })
  },
  {
    name: "list: everybody's apps, newest first, in pages that give each app once",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      // These apps are an hour younger than the apps of other cases, so they come first in the list.
      yield* TestClock.adjust("1 hour")
      const mine: Array<App> = []
      for (const pause of [0, 0, 1, 0]) {
        yield* TestClock.adjust(pause)
        mine.push(yield* owned)
      }
      const expected = mine.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
      const first = yield* apps.list(3, undefined)
      const second = yield* apps.list(1, first.next)
      Check.equal(
        [...first.items, ...second.items].map(({ id }) => id),
        expected,
        "the newest four"
      )
      Check.equal((yield* apps.list(1_000_000, first.next)).next, undefined, "the last page says so")
    })
  },
  {
    name: "update: stores app and secrets, in their order, and answers with the outcome",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const app = yield* owned
      const now = yield* Timestamp.now
      const after: Registered = {
        app: {
          ...app,
          name: AppName.make("Other"),
          homepageUrl: HomepageUrl.make("http://x.example"),
          logo: Hash.make("d".repeat(64)),
          declaredScopes: ["location.zone.verify"],
          allowedScopes: ["location.zone.verify"],
          redirectUris: [RedirectUri.make("com.example.app:/cb")],
          status: "in_review",
          approvedScopes: ["location.zone.verify"],
          approvedOrigins: ["https://c.example"],
          proposal: { ...PROPOSAL, name: null, scopes: null },
          reviewNote: "note",
          revision: 2,
          submission: { at: now, revision: 2 },
          revokedAt: now
        },
        secrets: [
          yield* secretOf(app.id, Timestamp.plus(now, 1), null),
          yield* secretOf(app.id, now, Timestamp.plus(now, Timestamp.DAY))
        ]
      }
      let seen: unknown
      const outcome = yield* apps.update(app.id, (before, at) => {
        seen = [before, at]
        return { outcome: "done", after }
      })
      Check.equal(outcome, Option.some("done"), "outcome")
      Check.equal(seen, [{ app, secrets: [] }, now], "what decide is given")
      Check.equal(yield* apps.findRegistered(app.id), Option.some(after), "stored")
      Check.equal(yield* apps.find(app.id), Option.some(after.app), "found")
    })
  },
  {
    name: "update: what waited for a reviewer can be taken away again",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const now = yield* Timestamp.now
      const app = yield* Fixtures.app((yield* Fixtures.user).id, {
        status: "production",
        proposal: PROPOSAL,
        submission: { at: now, revision: 1 }
      })
      yield* apps.update(app.id, ({ app: before, secrets }) => ({
        outcome: undefined,
        after: { app: { ...before, proposal: null, submission: null, revision: 2 }, secrets }
      }))
      const after = { ...app, proposal: null, submission: null, revision: 2 }
      Check.equal(yield* apps.find(app.id), Option.some(after), "stored")
    })
  },
  {
    name: "update: null changes nothing",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const app = yield* owned
      Check.equal(yield* apps.update(app.id, () => ({ outcome: 1, after: null })), Option.some(1), "outcome")
      Check.equal(yield* apps.findRegistered(app.id), Option.some({ app, secrets: [] }), "stored")
    })
  },
  {
    name: "update: id, owner and time of creation stay what they are",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const app = yield* owned
      const thief = yield* Fixtures.user
      const createdAt = Timestamp.plus(app.createdAt, 1)
      const taken: App = { ...app, id: yield* unknownApp, ownerId: thief.id, createdAt }
      yield* apps.update(app.id, (before) => ({ outcome: 0, after: { ...before, app: taken } }))
      Check.equal(yield* apps.find(app.id), Option.some(app), "the app")
      Check.equal(yield* apps.find(taken.id), Option.none(), "under another id")
    })
  },
  {
    name: "update: none for an unknown app, and decide is not asked",
    run: Effect.gen(function* () {
      const outcome = yield* (yield* AppStore).update(yield* unknownApp, () => Check.fail("decide was asked"))
      Check.equal(outcome, Option.none(), "outcome")
    })
  },
  {
    name: "update: ten at once each see what the ones before stored",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const app = yield* owned
      const now = yield* Timestamp.now
      const secrets = yield* Effect.all(Array.from({ length: 10 }, () => secretOf(app.id, now, null)))
      const add = (secret: ClientSecret) =>
        apps.update(app.id, (before) => ({
          outcome: before.secrets.length,
          after: { ...before, secrets: [secret, ...before.secrets] }
        }))
      const outcomes = yield* Effect.forEach(secrets, add, { concurrency: "unbounded" })
      const counts = outcomes.map(Option.getOrElse(() => -1)).sort((a, b) => a - b)
      Check.equal(counts, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "how many each found")
      const stored = Option.map(yield* apps.findRegistered(app.id), (registered) => registered.secrets.length)
      Check.equal(stored, Option.some(10), "stored")
    })
  }
]
