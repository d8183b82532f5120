import { Effect, Either, Option, TestClock } from "effect"
import type { AccessLogStore } from "../../../src/access-log/AccessLogStore.js"
import type { Account } from "../../../src/accounts/Account.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import { ExportStore } from "../../../src/exports/ExportStore.js"
import { ImportStore } from "../../../src/imports/ImportStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { StayStore } from "../../../src/visits/StayStore.js"
import type { VisitStore } from "../../../src/visits/VisitStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Webhooks from "../deliveries/webhookFixtures.js"
import * as Exports from "../exports/exportSamples.js"
import * as Imports from "../fixes/importSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import * as Rules from "../rules/ruleSamples.js"
import { entries, entryAt } from "../sweeps/historySamples.js"
import * as Visits from "../visits/visitSamples.js"

/** The ports that the cases of this file need. */
export type DeletedRowsPorts =
  | AccessLogStore
  | AccountDeletionStore
  | DeliveryStore
  | EndpointStore
  | ExportStore
  | HistoryStore
  | ImportStore
  | StayStore
  | VisitStore
  | Uploads.UploadSamplePorts

const begun = ({ id }: Pick<Account, "id">) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* AccountDeletionStore).begin(id, AccountDeletion.decide)
    Check.isTrue(Option.exists(outcome, Either.isRight), "begun")
  })

const removeSome = ({ id }: Pick<Account, "id">, limit: number) =>
  Effect.gen(function* () {
    return yield* (yield* AccountDeletionStore).removeSome(id, yield* Timestamp.now, limit)
  })

/** Removes the account's rows until none is left. Returns the number of removed rows. */
const removeAll = (account: Pick<Account, "id">) =>
  Effect.gen(function* () {
    let removed = 0
    for (let last = -1; last !== 0; removed += last) last = yield* removeSome(account, 100)
    return removed
  })

/** What every `AccountDeletionStore` must guarantee about rows that belong to other stores. */
export const deletedRows: Contract<DeletedRowsPorts> = [
  {
    name: "begin: archives are gone at once, and the endpoints of an app that nobody inherits; those of others stay [deletions-2]",
    run: Effect.gen(function* () {
      const [exports, endpoints] = [yield* ExportStore, yield* EndpointStore]
      const owned = Effect.gen(function* () {
        const user = yield* Fixtures.user
        const app = yield* Fixtures.app(user.id, { status: "production" })
        return { user, archive: yield* Exports.readyExport(user.id), endpoint: yield* Webhooks.endpoint(app.id) }
      })
      const [gone, other] = [yield* owned, yield* owned]
      yield* begun(gone.user)
      const left = ({ archive, endpoint, user }: typeof gone) =>
        Effect.gen(function* () {
          return [
            (yield* exports.list(user.id, 10)).length,
            Option.isSome(yield* exports.piece(archive, 0, yield* Timestamp.now)),
            (yield* endpoints.list(endpoint.appId)).length
          ]
        })
      Check.equal(yield* left(gone), [0, false, 0], "of the account")
      Check.equal(yield* left(other), [1, true, 1], "of another one")
      yield* endpoints.remove(other.endpoint.appId, other.endpoint.id)
      yield* Exports.forget(other.archive)
    })
  },
  {
    name: "begin: an endpoint that was requested before, and that is stored afterwards, is refused; also when the app is gone [deletions-2]",
    run: Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const developer = yield* Fixtures.user
      const stays = yield* Fixtures.app(developer.id, { status: "production" })
      const goes = yield* Fixtures.app(developer.id)
      const drafts = [yield* Webhooks.draftEndpoint(stays.id), yield* Webhooks.draftEndpoint(goes.id)]
      const create = Effect.forEach(drafts, (draft) => endpoints.create(draft))
      yield* begun(developer)
      Check.equal(yield* create, ["app_gone", "app_gone"], "after the deletion")
      yield* removeAll(developer)
      Check.equal(yield* create, ["app_gone", "app_gone"], "after the removal of the rows")
      Check.equal([yield* endpoints.list(stays.id), yield* endpoints.list(goes.id)], [[], []], "stored")
    })
  },
  {
    name: "removeSome: access log, visits, stays, rules and imports of the account are gone, and nothing of others",
    run: Effect.gen(function* () {
      const [history, imports] = [yield* HistoryStore, yield* ImportStore]
      const now = yield* Timestamp.now
      const person = Effect.gen(function* () {
        const { connection, place, user } = yield* Rules.sharing()
        yield* Rules.rule(connection, Rules.onPlace(place))
        const phone = yield* Rules.device(user.id)
        yield* Uploads.commit(phone, {
          fixes: Uploads.fixes(1, now),
          visits: [Uploads.visit(Timestamp.plus(now, -2), Timestamp.plus(now, -1))]
        })
        yield* Visits.stays(phone, place.id, [[Timestamp.plus(now, -9), Timestamp.plus(now, -5)]])
        yield* entryAt(user.id, now)
        return { user, connection, file: yield* Imports.waiting(user.id) }
      })
      const [gone, other] = [yield* person, yield* person]
      const left = ({ connection, user }: typeof gone) =>
        Effect.gen(function* () {
          const { fixes, visits } = yield* history.survey(user.id, { after: null, until: null })
          return {
            entries: (yield* entries(user.id)).length,
            fixes,
            visits,
            rules: (yield* Rules.list(connection)).length,
            imports: (yield* imports.list(user.id, 10)).items.length
          }
        })
      const all = { entries: 1, fixes: 1, visits: 2, rules: 1, imports: 1 }
      Check.equal(yield* left(gone), all, "before")
      yield* begun(gone.user)
      yield* removeAll(gone.user)
      Check.equal(yield* left(gone), { entries: 0, fixes: 0, visits: 0, rules: 0, imports: 0 }, "of the account")
      Check.equal(yield* left(other), all, "of another one")
      yield* Imports.forget(other.file)
    })
  },
  {
    name: "removeSome: at most so many rows of a table at a time, and all of them in the end",
    run: Effect.gen(function* () {
      const user = yield* Fixtures.user
      const phone = yield* Rules.device(user.id)
      yield* Uploads.commit(phone, { fixes: Uploads.fixes(7, yield* Timestamp.now) })
      yield* begun(user)
      let before = 7
      for (let step = 0; step < 4; step++) {
        yield* removeSome(user, 3)
        const left = (yield* Uploads.latest(phone)).length
        Check.isTrue(before - left <= 3, `${before} rows before a step and ${left} after it`)
        before = left
      }
      Check.equal(before, 0, "all in the end")
    })
  },
  {
    name: "removeSome: an event stays for a minute after its fan-out",
    run: Effect.gen(function* () {
      const { connection, place, user } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      yield* Uploads.commit(yield* Rules.device(user.id), { events: [yield* Uploads.event(rule)] })
      yield* begun(user)
      yield* removeAll(user)
      yield* TestClock.adjust(Timestamp.MINUTE - 1)
      Check.equal(yield* removeAll(user), 0, "a millisecond before")
      yield* TestClock.adjust(1)
      Check.equal(yield* removeAll(user), 1, "after a minute")
    })
  },
  {
    name: "removeSome: a delivery that is stored right after a call has removed the event's others goes too [deletions-3]",
    run: Effect.gen(function* () {
      const [deliveries, endpoints] = [yield* DeliveryStore, yield* EndpointStore]
      const { connection, place, user } = yield* Rules.sharing()
      const event = yield* Uploads.event(yield* Rules.rule(connection, Rules.onPlace(place)))
      yield* Uploads.commit(yield* Rules.device(user.id), { events: [event] })
      const endpoint = yield* Webhooks.endpoint(event.appId)
      const draft = yield* Webhooks.draft(endpoint, { userId: user.id })
      const original = { ...draft, envelope: { ...draft.envelope, eventId: event.id, grantId: event.connectionId } }
      yield* deliveries.insert([original])
      yield* begun(user)
      yield* TestClock.adjust(Timestamp.MINUTE)
      yield* removeSome(user, 100)
      // A request for a replay was in progress during the call of `removeSome`, and stores the replay only now.
      const replay = { ...original, id: (yield* Webhooks.draft(endpoint)).id, replayNo: 1 }
      yield* deliveries.insert([replay])
      yield* removeAll(user)
      const left = yield* Effect.forEach([original, replay], ({ appId, id }) => deliveries.find(appId, id))
      Check.equal(left.map(Option.isSome), [false, false], "left")
      yield* endpoints.remove(endpoint.appId, endpoint.id)
    })
  }
]
