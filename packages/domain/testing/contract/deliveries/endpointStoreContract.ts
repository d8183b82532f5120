import { Effect, Option, TestClock } from "effect"
import { type AuditEvent, OWNER } from "../../../src/audit/AuditEvent.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import { EndpointUrl } from "../../../src/endpoints/EndpointUrl.js"
import * as WebhookEndpoint from "../../../src/endpoints/WebhookEndpoint.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { EndpointId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Sealed } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { auditOf } from "../auditSamples.js"
import { draftEndpoint, endpoint, type WebhookFixturePorts, ownedApp } from "./webhookFixtures.js"

/**
 * What every `EndpointStore` must guarantee: an app has at most five endpoints, and no app reads or changes endpoints
 * of another app.
 */
export const endpointStoreContract: Contract<WebhookFixturePorts | AuditLog> = [
  {
    name: "create: what was stored is found, field by field",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const app = yield* ownedApp
      const now = yield* Timestamp.now
      const plain = yield* endpoint(app.id, { description: null })
      const full = yield* endpoint(app.id, {
        url: EndpointUrl.make(`https://hooks.example.com:8443/${"ä".repeat(10)}?a='b'&c="d"\\`),
        events: ["rule.fired", "sensitive.removed"],
        description: WebhookEndpoint.EndpointDescription.make("'the' \"other\" one, 🦉"),
        disabledAt: Timestamp.plus(now, 1),
        epoch: 3,
        strikes: 20,
        secrets: [
          { sealed: Sealed.make("newer"), createdAt: now, expiresAt: null },
          {
            sealed: Sealed.make("older"),
            createdAt: Timestamp.plus(now, -1),
            expiresAt: Timestamp.plus(now, Timestamp.DAY)
          }
        ]
      })
      Check.equal(yield* store.find(app.id, plain.id), Option.some(plain), "the plain one")
      Check.equal(yield* store.find(app.id, full.id), Option.some(full), "the full one")
    })
  },
  {
    name: "find, update, remove: only within the app that it belongs to",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const [mine, other] = [yield* ownedApp, yield* ownedApp]
      const { id } = yield* endpoint(mine.id)
      Check.isTrue(Option.isNone(yield* store.find(other.id, id)), "another app's is not found")
      Check.isTrue(Option.isNone(yield* store.update(other.id, id, WebhookEndpoint.enable)), "nor updated")
      Check.isTrue(!(yield* store.remove(other.id, id)), "nor removed")
      Check.isTrue(Option.isSome(yield* store.find(mine.id, id)), "and is still there")
      const unknown = EndpointId.make(yield* Entropy.id("ep"))
      Check.isTrue(Option.isNone(yield* store.find(mine.id, unknown)), "an unknown one is not found")
    })
  },
  {
    name: `create: the ${WebhookEndpoint.MAX_PER_APP}th is the last, also when several ask at once [§2.7, endpoints-4]`,
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      yield* endpoint(app.id)
      yield* endpoint(other.id)
      const drafts = yield* Effect.forEach(Array.from({ length: 8 }), () => draftEndpoint(app.id))
      const made = yield* Effect.forEach(drafts, (draft) => store.create(draft), { concurrency: "unbounded" })
      const room = WebhookEndpoint.MAX_PER_APP - 1
      Check.equal(
        [...made].sort(),
        drafts.map((_, index) => (index < room ? "created" : "full")),
        "as many as there was room for"
      )
      Check.equal((yield* store.list(app.id)).length, WebhookEndpoint.MAX_PER_APP, "stored")
      Check.equal((yield* store.list(other.id)).length, 1, "another app's do not count")
    })
  },
  {
    name: "create: a removed endpoint makes room for another",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const app = yield* ownedApp
      const full = yield* Effect.forEach(Array.from({ length: WebhookEndpoint.MAX_PER_APP }), () => endpoint(app.id))
      Check.isTrue(yield* store.remove(app.id, full[2]?.id ?? EndpointId.make("none")), "removed")
      Check.equal(yield* store.create(yield* draftEndpoint(app.id)), "created", "and replaced")
    })
  },
  {
    name: "list: oldest first, then by id, of one app alone",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const now = yield* Timestamp.now
      const newest = yield* endpoint(app.id, { createdAt: Timestamp.plus(now, 5) })
      const twins = [yield* endpoint(app.id), yield* endpoint(app.id)].sort((a, b) => (a.id < b.id ? -1 : 1))
      yield* endpoint(other.id)
      Check.equal(yield* store.list(app.id), [...twins, newest], "list")
    })
  },
  {
    name: "update: stores what the function returns, with the clock read under the lock",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const app = yield* ownedApp
      const before = yield* endpoint(app.id)
      yield* TestClock.adjust("90 minutes")
      const now = yield* Timestamp.now
      const updated = yield* store.update(app.id, before.id, (seen, at) => {
        Check.equal(seen, before, "it sees what is stored")
        return {
          ...seen,
          url: EndpointUrl.make("https://elsewhere.example.com/"),
          events: ["rule.fired"],
          disabledAt: at
        }
      })
      const expected = {
        ...before,
        url: EndpointUrl.make("https://elsewhere.example.com/"),
        events: ["rule.fired"] as const,
        disabledAt: now
      }
      Check.equal(updated, Option.some(expected), "returned")
      Check.equal(yield* store.find(app.id, before.id), Option.some(expected), "stored")
    })
  },
  {
    name: "update: the ids and the time of creation stay, whatever the function returns",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const [before, neighbour] = [yield* endpoint(app.id), yield* endpoint(other.id)]
      yield* TestClock.adjust("90 minutes")
      const updated = yield* store.update(app.id, before.id, (seen, now) => ({
        ...seen,
        appId: other.id,
        id: neighbour.id,
        createdAt: now,
        strikes: 1
      }))
      const expected = Option.some({ ...before, strikes: 1 })
      Check.equal(updated, expected, "what it returns")
      Check.equal(yield* store.find(app.id, before.id), expected, "what is stored")
      Check.equal(yield* store.find(other.id, neighbour.id), Option.some(neighbour), "the other endpoint")
    })
  },
  {
    name: "update: the audit event is stored with the change, and not without it [audit-1]",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const [app, other] = [yield* ownedApp, yield* ownedApp]
      const { id } = yield* endpoint(app.id)
      const audit = (at: Timestamp.Timestamp): AuditEvent => ({
        at,
        userId: app.ownerId,
        actor: OWNER,
        detail: { kind: "secret_rotated", secret: "signing", appId: app.id, endpointId: id }
      })
      yield* TestClock.adjust("90 minutes")
      yield* store.update(other.id, id, WebhookEndpoint.enable, audit)
      Check.equal(yield* auditOf(app.ownerId), [], "another app's endpoint")
      yield* store.update(app.id, id, WebhookEndpoint.enable, () => undefined)
      Check.equal(yield* auditOf(app.ownerId), [], "a change without an event")
      yield* store.update(app.id, id, WebhookEndpoint.enable, audit)
      Check.equal(yield* auditOf(app.ownerId), [audit(yield* Timestamp.now)], "with the clock read under the lock")
    })
  },
  {
    name: "create: the audit event is stored with the endpoint, and not without it [audit-1]",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const app = yield* ownedApp
      const added = (drafted: WebhookEndpoint.WebhookEndpoint): AuditEvent => ({
        at: drafted.createdAt,
        userId: app.ownerId,
        actor: OWNER,
        detail: { kind: "endpoint_added", appId: app.id, endpointId: drafted.id }
      })
      const now = yield* Timestamp.now
      // Each endpoint has its own creation time, because the log orders events of the same time by ids that the store
      // makes.
      const drafts = yield* Effect.forEach(Array.from({ length: WebhookEndpoint.MAX_PER_APP + 1 }), (_, index) =>
        draftEndpoint(app.id, { createdAt: Timestamp.plus(now, index) })
      )
      const made = yield* Effect.forEach(drafts, (draft) => store.create(draft, added(draft)))
      Check.equal(made.at(-1), "full", "the last one")
      Check.equal(
        (yield* auditOf(app.ownerId)).toReversed(),
        drafts.slice(0, WebhookEndpoint.MAX_PER_APP).map(added),
        "an event for each stored endpoint"
      )
    })
  },
  {
    name: "update: of many at once none is lost",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const app = yield* ownedApp
      const { id } = yield* endpoint(app.id)
      const add = store.update(app.id, id, (seen) => ({ ...seen, strikes: seen.strikes + 1 }))
      yield* Effect.all(
        Array.from({ length: 12 }, () => add),
        { concurrency: "unbounded" }
      )
      Check.equal(
        Option.map(yield* store.find(app.id, id), (endpoint) => endpoint.strikes),
        Option.some(12),
        "strikes"
      )
    })
  },
  {
    name: "remove: once",
    run: Effect.gen(function* () {
      const store = yield* EndpointStore
      const app = yield* ownedApp
      const [kept, gone] = [yield* endpoint(app.id), yield* endpoint(app.id)]
      Check.isTrue(yield* store.remove(app.id, gone.id), "the first time")
      Check.isTrue(!(yield* store.remove(app.id, gone.id)), "not the second time")
      Check.equal(yield* store.list(app.id), [kept], "the other one stays")
    })
  }
]
