import { Effect, Either, Option } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import { LogoPng } from "../../../src/apps/AppLogo.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import { ConsentStore } from "../../../src/consent/ConsentStore.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import type { FixStore } from "../../../src/fixes/FixStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import { LimitStore } from "../../../src/limits/LimitStore.js"
import * as Subject from "../../../src/limits/Subject.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { Conflict } from "../../../src/shared/Errors.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Vault } from "../../../src/shared/Vault.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import { claimMail } from "../../claimMail.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { samplePng } from "../../samplePng.js"
import * as Connections from "../connection/connectionSamples.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"
import { deletedRows, type DeletedRowsPorts } from "./deletedRows.js"

type Ports = DeletedRowsPorts | FixStore | EventStore | LimitStore | MailOutbox | Rules.RuleSamplePorts

const begin = ({ id }: Pick<Account, "id">) =>
  Effect.gen(function* () {
    return yield* (yield* AccountDeletionStore).begin(id, AccountDeletion.decide)
  })

const begun = (account: Pick<Account, "id">) =>
  Effect.map(begin(account), (outcome) => Check.isTrue(Option.exists(outcome, Either.isRight), "begun"))

/** Removes all rows that are left of a deleted account. Returns the number of removed rows. */
const removeAll = ({ id }: Pick<Account, "id">) =>
  Effect.gen(function* () {
    const store = yield* AccountDeletionStore
    const now = yield* Timestamp.now
    let removed = 0
    for (let last = -1; last !== 0; removed += last) last = yield* store.removeSome(id, now, 2)
    return removed
  })

const has = (account: Account) =>
  Effect.map(
    Effect.flatMap(AccountStore, (accounts) => accounts.find(account.id)),
    Option.isSome
  )

/**
 * What every `AccountDeletionStore` must guarantee. Each case makes its own people. Only the case about admins depends
 * on accounts of other cases, because it needs to know all admins of the store.
 */
export const accountDeletionStoreContract: Contract<Ports> = [
  {
    name: "describe: none for nobody; apps with how many other people have them connected, ended ones left out",
    run: Effect.gen(function* () {
      const store = yield* AccountDeletionStore
      const user = yield* Fixtures.user
      Check.equal(
        yield* store.describe(user.id),
        Option.some({ account: user, isLastAdmin: false, apps: [] }),
        "a plain user"
      )
      const app = yield* Fixtures.app(user.id, { status: "production" })
      for (const endedAt of [null, null, yield* Timestamp.now]) {
        const other = yield* Fixtures.user
        const made = yield* Connections.connection(other, app)
        yield* Connections.approve(yield* Connections.request(app), made)
        if (endedAt !== null) yield* Connections.change(made.id, { _tag: "End", reason: "expired", at: endedAt })
      }
      const own = yield* Connections.connection(user, app)
      yield* Connections.approve(yield* Connections.request(app), own)
      const described = Option.getOrElse(yield* store.describe(user.id), () => Check.fail("described"))
      Check.equal(
        described.apps.map((one) => [one.app.id, one.people]),
        [[app.id, 2]],
        "apps"
      )
      yield* begun(user)
      Check.equal(yield* store.describe(user.id), Option.none(), "gone")
      Check.equal(yield* begin(user), Option.none(), "once")
    })
  },
  {
    name: "begin, refused: nothing has changed",
    run: Effect.gen(function* () {
      const user = yield* Fixtures.user
      const app = yield* Fixtures.app(user.id)
      const refusal = Either.left(new Conflict({ reason: "no" }))
      const outcome = yield* (yield* AccountDeletionStore).begin(user.id, () => refusal)
      Check.isTrue(Option.exists(outcome, Either.isLeft), "refused")
      Check.isTrue(yield* has(user), "the account is there")
      const found = Option.getOrElse(yield* (yield* AppStore).find(app.id), () => Check.fail("the app is there"))
      Check.equal(found, app, "the app")
    })
  },
  {
    name: "begin: the account, its sessions, connections and phones are gone at once; the address is free",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { connection, user } = yield* Rules.sharing()
      const device = yield* Rules.device(user.id)
      const session = Session.open(yield* Connections.freshHash, user.id, yield* Timestamp.now)
      yield* accounts.openSession(session)
      yield* begun(user)
      Check.isTrue(!(yield* has(user)), "no account")
      Check.equal(yield* accounts.findByEmail(user.email), Option.none(), "no e-mail")
      Check.equal(yield* accounts.findSession(session.hash, yield* Timestamp.now), Option.none(), "no session")
      const phone = yield* (yield* DeviceStore).findByToken(user.id, device.tokenHash)
      Check.equal(phone, Option.none(), "no phone")
      const { endReason, endedAt } = yield* Connections.read(connection)
      Check.equal([endReason, endedAt], ["user_disconnected", yield* Timestamp.now], "ended")
      const second = yield* Fixtures.userWith({ email: user.email })
      Check.isTrue(second.id !== user.id && (yield* has(second)), "the address is free")
    })
  },
  {
    name: "begin: a consent that the person sent before, and that is decided afterwards, makes no connection [deletions-2]",
    run: Effect.gen(function* () {
      const { app, user } = yield* Connections.pair
      const request = yield* Connections.request(app)
      yield* begun(user)
      const decided = yield* (yield* ConsentStore).decideRequest(request.id, user.id, () =>
        Check.fail("decide was called for a deleted account")
      )
      Check.equal(decided, Option.none(), "none")
      Check.equal(yield* (yield* ConsentStore).findRequest(request.id), Option.some(request), "not decided")
    })
  },
  {
    name: "begin: what waits in the outbox goes to nobody, what waits to be sent is not authorised",
    run: Effect.gen(function* () {
      const { connection, place, user } = yield* Rules.sharing()
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const device = yield* Rules.device(user.id)
      yield* Uploads.commit(device, { events: [yield* Uploads.event(rule)] })
      yield* begun(user)
      Check.equal(yield* Uploads.outbox(user.id), [], "nothing waits")
      const authorisation = yield* (yield* EventStore).authorisation(user.id, connection.id, rule.id)
      Check.isTrue(
        Option.exists(authorisation, (one) => one.connection.endedAt !== null),
        "ended"
      )
    })
  },
  {
    name: "begin: apps are revoked and belong to nobody, without secrets and redirect URIs; a reason given before stays",
    run: Effect.gen(function* () {
      const apps = yield* AppStore
      const developer = yield* Fixtures.user
      const before = Timestamp.plus(yield* Timestamp.now, -1)
      const { app } = yield* Fixtures.registeredApp(developer, { status: "production" })
      const revoked = yield* Fixtures.app(developer.id, {
        status: "production",
        revokedAt: before,
        reviewNote: "Spam."
      })
      yield* begun(developer)
      const read = (id: typeof app.id) =>
        Effect.map(apps.findRegistered(id), (found) => Option.getOrElse(found, () => Check.fail("the app is there")))
      const first = yield* read(app.id)
      Check.equal(
        [first.app.ownerId, first.app.revokedAt, first.app.reviewNote, first.app.redirectUris, first.secrets],
        [AccountDeletion.NOBODY.id, yield* Timestamp.now, AccountDeletion.REVOKED_NOTE, [], []],
        "revoked"
      )
      const second = yield* read(revoked.id)
      Check.equal([second.app.revokedAt, second.app.reviewNote], [before, "Spam."], "as it was")
      yield* removeAll(developer)
      Check.isTrue(Option.isSome(yield* apps.find(app.id)), "it stays for those who used it")
    })
  },
  {
    name: "removeSome: everything of the account is gone, an app that nobody else could connect too, and nothing of others",
    run: Effect.gen(function* () {
      const { connection, user } = yield* Rules.sharing()
      const other = yield* Rules.sharing()
      const sandbox = yield* Fixtures.app(user.id)
      const apps = yield* AppStore
      const logo = { digest: (yield* Vault).sha256("logo"), png: LogoPng.make(samplePng("logo")) }
      yield* apps.update(sandbox.id, ({ secrets }) => ({
        outcome: 0,
        after: { app: { ...sandbox, logo: logo.digest }, secrets },
        logo
      }))
      for (const one of [user, other.user]) {
        const device = yield* Rules.device(one.id)
        yield* Uploads.commit(device, { fixes: Uploads.fixes(5, yield* Timestamp.now) })
      }
      yield* begun(user)
      Check.isTrue((yield* removeAll(user)) > 5, "removed")
      const places = yield* PlaceStore
      const connections = yield* ConnectionStore
      const left = (of: Account) =>
        Effect.all([places.list(of.id), connections.listOfUser(of.id), Uploads.latest({ userId: of.id })]).pipe(
          Effect.map((lists) => lists.map((list) => list.length))
        )
      Check.equal(yield* left(user), [0, 0, 0], "of the account")
      Check.equal(yield* left(other.user), [1, 1, 5], "of another")
      Check.equal(yield* connections.change(connection.id, () => ({ outcome: 1, writes: [] })), Option.none(), "no way")
      Check.equal(yield* apps.find(sandbox.id), Option.none(), "the sandbox app")
      Check.equal(yield* apps.findLogo(sandbox.id, logo.digest), Option.none(), "its logo")
      Check.equal(yield* removeAll(user), 0, "nothing more")
    })
  },
  {
    name: "removeSome: another person's connection with an app that goes has ended, and no call finds it with an app [deletions-4]",
    run: Effect.gen(function* () {
      const [connections, tokens] = [yield* ConnectionStore, yield* TokenStore]
      const { app, connection, place, user } = yield* Rules.sharing()
      const { access } = yield* Connections.issue(connection, 1)
      const rule = yield* Rules.rule(connection, Rules.onPlace(place))
      const developer = { id: app.ownerId }
      yield* begun(developer)
      yield* removeAll(developer)
      Check.equal(yield* (yield* AppStore).find(app.id), Option.none(), "the app")
      Check.equal(yield* connections.findLive(user.id, app.id), Option.none(), "live")
      const { items } = yield* connections.listOfApp(app.id, 10, undefined)
      Check.equal(
        items.map(({ endReason, id }) => [id, endReason]),
        [[connection.id, "admin_revoked"]],
        "ended"
      )
      const { id } = connection
      const nothing = { outcome: 0, writes: [] }
      Check.equal(yield* connections.listOfUser(user.id), [], "of the person")
      Check.equal(yield* connections.findOfUser(user.id, id), Option.none(), "found by the person")
      Check.equal(yield* connections.findOfApp(app.id, id), Option.none(), "found by the app")
      Check.equal(yield* connections.change(id, () => nothing), Option.none(), "changed")
      const revoked = yield* connections.listRevoked({ appId: app.id, limit: 10, after: undefined })
      Check.equal(revoked, [], "to be ended")
      Check.equal(yield* tokens.findByAccessToken(id, access.hash), Option.none(), "found by a token")
      Check.equal(yield* tokens.change(id, { access: access.hash }, () => nothing), Option.none(), "changed by a token")
      Check.equal(yield* Rules.list(connection), [], "its rules")
      const authorisation = yield* (yield* EventStore).authorisation(user.id, id, rule.id)
      Check.equal(authorisation, Option.none(), "its events")
      Check.equal((yield* (yield* PlaceStore).list(user.id)).length, 1, "the person's place stays")
      yield* begun(user)
      yield* removeAll(user)
      Check.equal((yield* connections.listOfApp(app.id, 10, undefined)).items, [], "goes with the person")
    })
  },
  ...deletedRows,
  {
    name: "the receipt goes to the address that the account had, once, and is gone with the finish",
    run: Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const store = yield* AccountDeletionStore
      const user = yield* Fixtures.user
      yield* begun(user)
      const receipts = Effect.map(outbox.recent(10_000), (all) =>
        all.filter(({ message }) => message.dedupeKey === AccountDeletion.receiptKey(user.id))
      )
      Check.equal(
        (yield* receipts).map(({ message }) => message.address),
        [user.email],
        "to the address"
      )
      yield* removeAll(user)
      Check.equal((yield* receipts).length, 1, "not removed before it was sent")
      const now = yield* Timestamp.now
      for (const claimed of yield* claimMail(10_000, now, Timestamp.plus(now, 1))) {
        yield* outbox.finish(claimed, { _tag: "Sent", at: now })
      }
      Check.equal(
        (yield* receipts).map(({ message }) => message.address),
        [undefined],
        "the address is forgotten"
      )
      yield* store.finish(user.id)
      yield* store.finish(user.id)
      Check.equal(yield* receipts, [], "gone")
    })
  },
  {
    name: "finish: no count of calls names the account any more, and other counts stay [deletions-3]",
    run: Effect.gen(function* () {
      const [limits, store] = [yield* LimitStore, yield* AccountDeletionStore]
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const digest = (yield* Vault).sha256(user.email)
      const own = [Subject.madeBy(user.id), Subject.invitedBy(user.id), Subject.addressLink(digest, user.id)]
      const counts = Effect.forEach([...own, Subject.madeBy(other.id)], (subject) =>
        Effect.flatMap(Timestamp.now, (now) => limits.count(subject, Timestamp.DAY, now))
      ).pipe(Effect.map((windows) => windows.map(({ used }) => used)))
      Check.equal(yield* counts, [1, 1, 1, 1], "counted")
      yield* begun(user)
      yield* removeAll(user)
      yield* store.finish(user.id)
      Check.equal(yield* counts, [1, 1, 1, 2], "after the finish")
    })
  },
  {
    name: "due: until it is to be looked at again or is finished, only of people of the buckets that are asked for",
    run: Effect.gen(function* () {
      const store = yield* AccountDeletionStore
      const user = yield* Fixtures.user
      yield* begun(user)
      const now = yield* Timestamp.now
      const due = (after: number, buckets = Bucket.ALL) =>
        Effect.map(store.due(buckets, 10_000, Timestamp.plus(now, after)), (all) =>
          all.filter(({ userId }) => userId === user.id)
        )
      const one = [{ userId: user.id, requestedAt: now }]
      Check.equal(yield* due(-1), [], "not before it was asked for")
      for (const what of ["due", "again"]) Check.equal(yield* due(0), one, what)
      const bucket = bucketOf(user.id)
      Check.equal(yield* due(0, [bucket]), one, "of the bucket")
      Check.equal(
        yield* due(
          0,
          Bucket.ALL.filter((other) => other !== bucket)
        ),
        [],
        "of all the others"
      )
      yield* store.lookAgain(user.id, Timestamp.plus(now, 1_000))
      Check.equal([(yield* due(999)).length, (yield* due(1_000)).length], [0, 1], "looked at again")
      yield* store.finish(user.id)
      Check.equal(yield* due(100_000), [], "finished")
    })
  },
  {
    name: "due: never more than the limit, the longest due first",
    run: Effect.gen(function* () {
      const store = yield* AccountDeletionStore
      const users = [yield* Fixtures.user, yield* Fixtures.user, yield* Fixtures.user] as const
      const now = yield* Timestamp.now
      for (const [index, user] of users.entries()) {
        yield* begun(user)
        yield* store.lookAgain(user.id, Timestamp.plus(now, -index - Timestamp.DAY))
      }
      const first = (yield* store.due(Bucket.ALL, 2, now)).map(({ userId }) => userId)
      Check.equal(first, [users[2].id, users[1].id], "two")
      for (const user of users) yield* store.finish(user.id)
    })
  },
  {
    name: "isLastAdmin: while there is another one, an admin can go; two who go at once do not both",
    run: Effect.gen(function* () {
      const store = yield* AccountDeletionStore
      const [a, b] = [yield* Fixtures.userWith({ roles: ["admin"] }), yield* Fixtures.userWith({ roles: ["admin"] })]
      const isLast = (of: Account) =>
        Effect.map(
          store.describe(of.id),
          Option.exists((one) => one.isLastAdmin)
        )
      Check.equal([yield* isLast(a), yield* isLast(b)], [false, false], "two")
      const outcomes = yield* Effect.all([begin(a), begin(b)], { concurrency: "unbounded" })
      Check.equal(outcomes.filter((one) => Option.exists(one, Either.isRight)).length, 1, "one goes")
      const left = (yield* has(a)) ? a : b
      Check.isTrue(yield* isLast(left), "the other one is the last")
      // Deletes the last admin, so that the next case begins without an admin.
      yield* store.begin(left.id, (state, now) => AccountDeletion.decide({ ...state, isLastAdmin: false }, now))
    })
  }
]
