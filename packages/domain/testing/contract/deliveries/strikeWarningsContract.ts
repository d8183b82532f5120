import { Effect, Logger, LogLevel } from "effect"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { Attempt, DeliveryFinish } from "../../../src/deliveries/Delivery.js"
import { type ClaimedDelivery, DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import type { StrikeWarning } from "../../../src/endpoints/StrikeWarning.js"
import { warnOfStrikes } from "../../../src/deliveries/warnOfStrikes.js"
import * as WebhookEndpoint from "../../../src/endpoints/WebhookEndpoint.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import { StoreError } from "../../../src/shared/Errors.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import {
  claim,
  claimOne,
  endpointNow,
  finish,
  first,
  insert,
  insertMany,
  type WebhookFixturePorts as Webhooks,
  of,
  withEndpoints
} from "./webhookFixtures.js"

type Ports = Webhooks | MailOutbox

type Endpoint = WebhookEndpoint.WebhookEndpoint

const exhaust = (claimed: ClaimedDelivery) =>
  Effect.flatMap(Timestamp.now, (at) => {
    const attempt: Attempt = {
      attempt: 7,
      startedAt: at,
      endedAt: at,
      status: 503,
      error: "answered 503",
      snippet: "s3cret"
    }
    return finish(claimed, { _tag: "Failed", at, reason: "exhausted" }, attempt)
  })

/**
 * Stores `count` deliveries to the endpoint as the store has it now, and ends them one after the other as deliveries
 * that failed at every attempt. Returns their ids.
 */
const strike = (endpoint: Endpoint, count: number) =>
  Effect.gen(function* () {
    yield* insertMany(yield* endpointNow(endpoint), count)
    const claims = of(yield* claim(), endpoint)
    yield* Effect.forEach(claims, exhaust, { discard: true })
    return claims.map(({ delivery }) => delivery.id)
  })

const succeed = (endpoint: Endpoint) =>
  Effect.gen(function* () {
    yield* insert(yield* endpointNow(endpoint))
    yield* finish(yield* claimOne(endpoint), { _tag: "Delivered", at: yield* Timestamp.now }, null)
  })

/**
 * Stores results that must not change the endpoint's count of strikes: results of attempts that a developer brought
 * forward (hurried), of replays, of deliveries that must not be sent, and of attempts after which a retry follows.
 */
const endUncounted = (endpoint: Endpoint) =>
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const now = yield* Timestamp.now
    const later = Timestamp.plus(now, Timestamp.HOUR)
    const first = yield* insert(endpoint, { createdAt: later })
    yield* store.hurry(first.appId, first.id, now)
    yield* exhaust(yield* claimOne(endpoint))
    const replay = yield* insert(endpoint, { replayNo: 1 })
    yield* exhaust(yield* claimOne(endpoint))
    yield* insert(endpoint, { envelope: replay.envelope, replayNo: 2 })
    yield* finish(yield* claimOne(endpoint), { _tag: "Delivered", at: now }, null)
    const ends: ReadonlyArray<DeliveryFinish> = [
      { _tag: "Failed", at: now, reason: "not_authorised" },
      { _tag: "TooOld", at: now },
      { _tag: "Retry", attempt: 2, dueAt: later }
    ]
    for (const how of ends) {
      yield* insert(endpoint)
      yield* finish(yield* claimOne(endpoint), how, null)
    }
  })

const enable = ({ appId, id }: Endpoint) =>
  Effect.flatMap(EndpointStore, (store) => store.update(appId, id, WebhookEndpoint.enable))

const warningsOf = ({ id }: Endpoint) =>
  Effect.gen(function* () {
    const all = yield* (yield* EndpointStore).listWarnings(10_000, undefined)
    return all.filter(({ endpointId }) => endpointId === id).sort((a, b) => a.strikes - b.strikes)
  })

const strikesWarned = (endpoint: Endpoint) =>
  Effect.map(warningsOf(endpoint), (warnings) => warnings.map(({ strikes }) => strikes))

/** The mails about strikes of the endpoint, ordered by subject. */
const mailsAbout = (endpoint: Endpoint) =>
  Effect.gen(function* () {
    const kept = yield* (yield* MailOutbox).recent(10_000)
    return kept
      .map(({ message }) => message)
      .filter(({ dedupeKey }) => dedupeKey.startsWith(`strikes ${endpoint.id} `))
      .sort((a, b) => (a.subject < b.subject ? -1 : 1))
  })

const subjects = (endpoint: Endpoint) =>
  Effect.map(mailsAbout(endpoint), (mails) =>
    mails.map(({ subject }) => subject.replace(/ of .*? (?=failed|was)/, " "))
  )

const TEN = "A webhook endpoint failed 10 times in a row"
const TWENTY = "A webhook endpoint was disabled"

/** Hides the log lines of failures that a case causes on purpose. */
const quietly = Logger.withMinimumLogLevel(LogLevel.None)

/**
 * What stores must guarantee about warnings of strikes: `DeliveryStore.finish` stores a warning, and `warnOfStrikes`
 * sends the warning by mail.
 */
export const strikeWarningsContract: Contract<Ports> = [
  {
    name: "a warning with the 10th and with the 20th strike, and with no other",
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 9)
        Check.equal(yield* strikesWarned(endpoint), [], "nine")
        const tenth = first(yield* strike(endpoint, 1))
        const expected: StrikeWarning = {
          appId: endpoint.appId,
          deliveryId: tenth,
          endpointId: endpoint.id,
          strikes: 10,
          at: yield* Timestamp.now
        }
        Check.equal(yield* warningsOf(endpoint), [expected], "ten")
        yield* strike(endpoint, 9)
        Check.equal(yield* strikesWarned(endpoint), [10], "nineteen")
        yield* strike(endpoint, 1)
        Check.equal(yield* strikesWarned(endpoint), [10, 20], "twenty")
        Check.isTrue((yield* endpointNow(endpoint)).disabledAt !== null, "which disables")
        Check.equal(yield* strikesWarned(other), [], "the app's other endpoint")
      })
    )
  },
  {
    name: "a success or an enabling begins a new series, with warnings and mails of its own",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 12)
        yield* succeed(endpoint)
        yield* strike(endpoint, 9)
        Check.equal(yield* strikesWarned(endpoint), [10], "nine after a success")
        yield* strike(endpoint, 11)
        Check.equal(yield* strikesWarned(endpoint), [10, 10, 20], "twenty after it")
        yield* warnOfStrikes()
        yield* enable(endpoint)
        yield* strike(endpoint, 20)
        Check.equal(yield* strikesWarned(endpoint), [10, 20], "twenty after enabling")
        yield* warnOfStrikes()
        Check.equal(yield* subjects(endpoint), [TEN, TEN, TEN, TWENTY, TWENTY], "mails")
        Check.equal(yield* strikesWarned(endpoint), [], "left")
      })
    )
  },
  {
    name: "replays, what was hurried, other ends and rows of an earlier epoch warn of nothing",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 9)
        yield* endUncounted(endpoint)
        Check.equal(yield* strikesWarned(endpoint), [], "nothing at nine")
        yield* strike(endpoint, 1)
        yield* warnOfStrikes()
        yield* endUncounted(endpoint)
        Check.equal(yield* strikesWarned(endpoint), [], "nothing more at ten")
        yield* insertMany(endpoint, 11)
        const [late, ...rest] = of(yield* claim(), endpoint)
        if (late === undefined) return Check.fail("there are eleven")
        yield* Effect.forEach(rest, exhaust, { discard: true })
        Check.isTrue((yield* endpointNow(endpoint)).disabledAt !== null, "disabled")
        yield* enable(endpoint)
        yield* strike(endpoint, 9)
        Check.isTrue(yield* exhaust(late), "its end is written")
        Check.equal(yield* strikesWarned(endpoint), [20], "it is no tenth")
      })
    )
  },
  {
    name: "however many end at once, and each told three times, one warning of each kind",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insertMany(endpoint, 25)
        const claims = of(yield* claim(), endpoint)
        yield* Effect.forEach([...claims, ...claims, ...claims], exhaust, { concurrency: "unbounded" })
        Check.equal(yield* strikesWarned(endpoint), [10, 20], "warnings")
      })
    )
  },
  {
    name: "warnOfStrikes: each warning becomes one mail to the app's owner, whoever and how many look at once [endpoints-7]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const app = yield* Effect.flatten((yield* AppStore).find(endpoint.appId))
        yield* strike(endpoint, 20)
        yield* Effect.all(
          Array.from({ length: 5 }, () => warnOfStrikes()),
          { concurrency: "unbounded" }
        )
        Check.equal(yield* warningsOf(endpoint), [], "nothing is left")
        Check.equal(yield* subjects(endpoint), [TEN, TWENTY], "two mails")
        yield* warnOfStrikes()
        const mails = yield* mailsAbout(endpoint)
        Check.equal(
          mails.map(({ to }) => to),
          [app.ownerId, app.ownerId],
          "to the owner, and no more"
        )
        Check.isTrue(
          mails.every(({ body }) => body.includes("answered 503")),
          "what the last one came to"
        )
        Check.equal(
          mails.map(({ link, furtherLinks = [] }) => [link, ...furtherLinks].length),
          [2, 2],
          "links"
        )
      }).pipe(Effect.orDie)
    )
  },
  {
    name: "warnOfStrikes: who dies between the mail and forgetting the warning makes no second mail [endpoints-7]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 10)
        const store = yield* EndpointStore
        const dying = { ...store, forgetWarning: () => Effect.dieMessage("killed") }
        yield* Effect.exit(Effect.provideService(warnOfStrikes(), EndpointStore, dying))
        Check.equal([yield* subjects(endpoint), yield* strikesWarned(endpoint)], [[TEN], [10]], "after the death")
        yield* warnOfStrikes()
        Check.equal([yield* subjects(endpoint), yield* strikesWarned(endpoint)], [[TEN], []], "after the next look")
      })
    )
  },
  {
    name: "warnOfStrikes: one that cannot be settled is left to the next look and holds up no other",
    run: withEndpoints((one, two) =>
      Effect.gen(function* () {
        yield* strike(one, 10)
        yield* strike(two, 10)
        const outbox = yield* MailOutbox
        const failing = {
          ...outbox,
          put: (...args: Parameters<typeof outbox.put>) =>
            args[0].dedupeKey.includes(one.id) ? StoreError.unavailable("as a test wants it") : outbox.put(...args)
        }
        yield* quietly(Effect.provideService(warnOfStrikes(), MailOutbox, failing))
        Check.equal([yield* subjects(one), yield* subjects(two)], [[], [TEN]], "at first")
        yield* warnOfStrikes()
        Check.equal([yield* subjects(one), yield* subjects(two)], [[TEN], [TEN]], "then")
      })
    )
  },
  {
    name: "warnOfStrikes: of an endpoint that was removed in the meantime nobody is told",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 10)
        yield* (yield* EndpointStore).remove(endpoint.appId, endpoint.id)
        yield* warnOfStrikes()
        Check.equal([yield* subjects(endpoint), yield* strikesWarned(endpoint)], [[], []], "no mail, nothing left")
      })
    )
  },
  {
    name: "listWarnings: page by page without gap or repeat",
    run: withEndpoints((...endpoints) =>
      Effect.gen(function* () {
        const store = yield* EndpointStore
        yield* warnOfStrikes()
        for (const endpoint of endpoints) yield* strike(endpoint, 20)
        const whole = yield* store.listWarnings(100, undefined)
        Check.equal(whole.length, 6, "two each")
        for (const size of [1, 2, 3, 6]) {
          const seen: Array<StrikeWarning> = []
          for (let page = yield* store.listWarnings(size, undefined); page.length > 0;) {
            Check.isTrue(page.length <= size, "no more than asked for")
            seen.push(...page)
            page = yield* store.listWarnings(size, page.at(-1))
          }
          Check.equal(seen, whole, `in pages of ${size}`)
        }
      })
    )
  }
]
