import { AccessLogStore } from "@place-access/domain/access-log"
import { DeliveryStore, EventStore } from "@place-access/domain/deliveries"
import { WebhookSender } from "@place-access/domain/endpoints"
import { MailOutbox, type MailSending } from "@place-access/domain/mail"
import { AccessLogEntryId, Timestamp, Vault } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { connected, ME } from "./connected.js"
import { instead, type Plant } from "./plant.js"
import { FAR, HOME, HOUR, inScene, MINUTE, type Scene, SECOND } from "./scene.js"

/**
 * Deliberate bugs (plants) that have an effect only during a lasting fault, or when something outside the service
 * fails.
 */

const fire = ({ rule, walk }: Scene) => Effect.zipRight(rule(), walk(FAR, HOME))

/** Presents a refresh token that was spent a minute ago, as a thief would. The service then mails the user. */
const mailed = (world: Simulation.World) =>
  Effect.gen(function* () {
    const { connection } = yield* connected(world)
    const first = connection.tokens.refreshToken
    yield* connection.refresh
    yield* connection.refresh
    yield* world.advance(MINUTE)
    yield* connection.present(first)
    yield* world.advance(3 * HOUR)
  })

const finishing = (change: (how: MailSending.MailFinish) => MailSending.MailFinish) =>
  instead(MailOutbox, (outbox) => ({ finish: (attempt, how) => outbox.finish(attempt, change(how)) }))

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "M1",
    what: "a message that its mailbox refused is sent again",
    sabotage: finishing((how) =>
      how._tag === "GivenUp" ? { _tag: "Retry", dueAt: Timestamp.plus(how.at, MINUTE), reason: how.reason } : how
    ),
    scenario: mailed,
    config: { faults: { "mail.bounce": 1 } }
  },
  {
    oracle: "M1",
    what: "a message that the mail server did not take is given up",
    sabotage: finishing((how) => (how._tag === "Retry" ? { ...how, _tag: "GivenUp", at: how.dueAt } : how)),
    scenario: mailed,
    config: { faults: { "mail.bounce": 1 } }
  },
  {
    oracle: "R8",
    what: "an event whose answer came too late is sent again under another id",
    sabotage: instead(WebhookSender, (sender) => {
      const late = new Set<string>()
      return {
        post: (url, headers, body) => {
          const other = body.replace(/"event_id":"evt_./, '"event_id":"evt_x')
          return Effect.tap(sender.post(url, headers, late.has(body) ? other : body), (answer) =>
            Effect.sync(() => answer._tag === "Unreachable" && answer.detail.includes("5 s") && late.add(body))
          )
        }
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.world.fault("receiver.late", { p: 1, times: 1 })
        yield* fire(scene)
        yield* scene.world.advance(HOUR)
      })
    )
  },
  {
    oracle: "D8",
    what: "a worker that slept through its lease still writes the end of its attempt",
    sabotage: instead(DeliveryStore, (store) => {
      const lease = new Map<string, string>()
      return {
        claim: (request) =>
          Effect.tap(store.claim(request), ({ claims }) =>
            Effect.sync(() => claims.forEach((claim) => lease.set(claim.delivery.id, claim.lease)))
          ),
        finish: (claim, how, attempt) =>
          store.finish({ ...claim, lease: lease.get(claim.id) ?? claim.lease }, how, attempt)
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script(["hang", "hang", 200])
        yield* fire(scene)
        yield* scene.world.advance(2 * SECOND)
        // The lease of the paused worker ends after 30 s, and the second worker claims the delivery. The paused worker
        // wakes while the second worker waits for the receiver.
        yield* scene.world.pause("worker", 33 * SECOND)
        yield* scene.world.advance(29 * SECOND)
        // Without a call of the app, nothing happens, and the simulation then lets the polling loops of the second
        // worker sleep longer than normal.
        yield* scene.connection.call(ME)
        yield* scene.world.advance(HOUR)
      })
    ),
    config: { workers: 2, worker: { pollEvery: "1 second", perEndpoint: 1 } },
    isRare: "a worker must wake in the seconds in which another one waits for the receiver of the same delivery"
  },
  {
    oracle: "A9",
    what: "an entry that cannot be written in three tries is forgotten, and its webhook is sent",
    isInFront: true,
    sabotage: instead(AccessLogStore, (store) => ({
      recordUnless: (...args) => Effect.ignore(Effect.retry(store.recordUnless(...args), { times: 2 })),
      record: (entry) => Effect.ignore(Effect.retry(store.record(entry), { times: 2 }))
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.rule()
        yield* scene.world.fault("disk.full", { p: 0.1 })
        for (let n = 0; n < 30; n++) {
          yield* scene.walk(FAR, HOME)
          yield* scene.world.advance(20 * MINUTE)
        }
      })
    ),
    isRare: "the disk must fill between the reading of an event and the entry of its first attempt"
  },
  {
    oracle: "R10",
    what: "an event that occurs later than the worker's clock shows is dropped",
    sabotage: instead(EventStore, (store) => ({
      pending: (buckets, limit, now, except) =>
        Effect.gen(function* () {
          const found = yield* store.pending(buckets, limit, Timestamp.plus(now, SECOND), except)
          const isPast = ({ occurredAt }: (typeof found.events)[number]) => occurredAt <= now
          yield* store.markFannedOut(
            found.events.filter((event) => !isPast(event)),
            now
          )
          return { ...found, events: found.events.filter(isPast) }
        })
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.world.skew("worker", -250)
        yield* fire(scene)
        yield* scene.world.advance(MINUTE)
      })
    )
  },
  {
    oracle: "no defects",
    what: "what an older key gave is given anew by the newest key",
    sabotage: instead(Vault.Vault, (vault) => ({
      derive: (use, _, text) => Effect.suspend(() => vault.derive(use, vault.currentKey, text))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        const first = connection.tokens.refreshToken
        yield* connection.refresh
        yield* world.fault("keys.rotate", { p: 1, times: 1 })
        yield* connection.present(first)
        yield* connection.refresh
      }),
    isRare: "a key must be rotated in the 30 s of a race"
  },
  {
    oracle: "A1",
    what: "an entry of which nobody knows whether it was written is written once more, under another id",
    isInFront: true,
    sabotage: instead(AccessLogStore, (store) => ({
      record: (entry) => {
        const second = Effect.suspend(() => store.record({ ...entry, id: AccessLogEntryId.make(`${entry.id}x`) }))
        return Effect.catchAll(store.record(entry), () => Effect.zipRight(Effect.sleep(6 * MINUTE), second))
      }
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        yield* world.fault("port.cut", { p: 0.05 })
        for (let n = 0; n < 60; n++) {
          yield* world.advance(MINUTE)
          yield* Effect.ignore(connection.call(ME))
        }
      })
  }
]
