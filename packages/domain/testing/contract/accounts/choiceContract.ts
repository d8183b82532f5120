import { Effect, Option } from "effect"
import { DisplayName } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import { type AuditEvent, OWNER } from "../../../src/audit/AuditEvent.js"
import { AuditLog } from "../../../src/audit/AuditLog.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { bucketOf } from "../../memory/leases/buckets.js"

const renamed = (userId: UserId, at: number): AuditEvent => ({
  at: Timestamp.make(at),
  userId,
  actor: OWNER,
  detail: { kind: "name_changed" }
})

/**
 * What every `AccountStore` must guarantee about a person's name, time zone, language and notices (mails that the
 * person can choose to get). The person chose these values, or the browser sent them.
 */
export const choiceContract: Contract<AccountStore | AuditLog | Entropy.Entropy> = [
  {
    name: "changeName: replaces the name and stores the event; the same name again stores none [accounts-22, audit-1]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const log = yield* AuditLog
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const name = DisplayName.make("Grace Hopper 😀")
      const events = Effect.map(log.list({ userId: user.id }, 10, undefined), ({ items }) =>
        items.map(({ at, detail }) => [at, detail.kind])
      )
      const stored = Effect.map(accounts.find(user.id), Option.getOrThrow)
      Check.equal(yield* accounts.changeName(user.id, name, renamed(user.id, 1000)), true, "a new name")
      Check.equal(yield* stored, { ...user, displayName: name }, "nothing else changes")
      Check.equal(yield* accounts.changeName(user.id, name, renamed(user.id, 2000)), false, "the same name")
      Check.equal(yield* events, [[1000, "name_changed"]], "one change, one event")
      Check.equal(yield* accounts.find(other.id), Option.some(other), "somebody else's account stays as it was")
      const nobody = UserId.make(yield* Entropy.id("usr"))
      Check.equal(yield* accounts.changeName(nobody, name, renamed(nobody, 1000)), false, "an unknown account")
      Check.equal(yield* accounts.find(nobody), Option.none(), "is not made")
      const ofNobody = yield* log.list({ userId: nobody }, 10, undefined)
      Check.equal(ofNobody.items, [], "and has no event")
    })
  },
  {
    name: "learnTimeZone: stores the first zone only; chooseTimeZone: replaces it [accounts-19]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const zone = () => Effect.map(accounts.find(user.id), (found) => Option.getOrThrow(found).timeZone)
      yield* accounts.learnTimeZone(user.id, "Europe/Berlin")
      Check.equal(yield* zone(), "Europe/Berlin", "the first browser says where")
      yield* accounts.learnTimeZone(user.id, "Asia/Tokyo")
      Check.equal(yield* zone(), "Europe/Berlin", "a later browser changes nothing")
      yield* accounts.chooseTimeZone(user.id, "Asia/Tokyo")
      Check.equal(yield* zone(), "Asia/Tokyo", "the owner's choice counts")
      Check.equal(yield* accounts.find(other.id), Option.some(other), "somebody else's account stays as it was")
    })
  },
  {
    name: "learnLanguage: stores the first browser's only; chooseLanguage: replaces the choice, null too [accounts-20]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const stored = () =>
        Effect.map(accounts.find(user.id), (found) => {
          const { browserLanguage, language } = Option.getOrThrow(found)
          return { browserLanguage, language }
        })
      yield* accounts.learnLanguage(user.id, "de")
      Check.equal(yield* stored(), { browserLanguage: "de", language: null }, "the first browser: no choice")
      yield* accounts.learnLanguage(user.id, "en")
      Check.equal(yield* stored(), { browserLanguage: "de", language: null }, "a later browser changes nothing")
      yield* accounts.chooseLanguage(user.id, "de")
      yield* accounts.chooseLanguage(user.id, "en")
      Check.equal(yield* stored(), { browserLanguage: "de", language: "en" }, "the last choice counts")
      yield* accounts.chooseLanguage(user.id, null)
      Check.equal(yield* stored(), { browserLanguage: "de", language: null }, "the choice is taken back")
      Check.equal(yield* accounts.find(other.id), Option.some(other), "somebody else's account stays as it was")
      const nobody = UserId.make(yield* Entropy.id("usr"))
      yield* accounts.learnLanguage(nobody, "de")
      yield* accounts.chooseLanguage(nobody, "de")
      Check.equal(yield* accounts.find(nobody), Option.none(), "an unknown account is not made")
    })
  },
  {
    name: "chooseNotices: replaces the choice; listNotified: those who chose one, by bucket, in order [owner-notices-1]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const users = [yield* Fixtures.user, yield* Fixtures.user, yield* Fixtures.user]
      const [first, second, third] = users.map(({ id }) => id).sort() as [UserId, UserId, UserId]
      const listed = (buckets: ReadonlyArray<number>, limit = 1000, after?: UserId) =>
        Effect.map(accounts.listNotified({ buckets, limit, after }), (all) =>
          all.filter(({ userId }) => [first, second, third].includes(userId))
        )
      Check.equal(yield* accounts.notices(first), [], "nobody chose yet")
      yield* accounts.chooseNotices(third, ["ends"])
      yield* accounts.chooseNotices(first, ["weekly"])
      yield* accounts.chooseNotices(first, ["ends", "phone_silent"])
      Check.equal(yield* accounts.notices(first), ["ends", "phone_silent"], "the later choice counts")
      Check.equal(
        yield* listed(Bucket.ALL),
        [
          { userId: first, kinds: ["ends", "phone_silent"] as const },
          { userId: third, kinds: ["ends"] as const }
        ],
        "in order, without those who chose nothing"
      )
      Check.equal((yield* listed(Bucket.ALL, 1000, first)).length, 1, "after the first")
      const own = bucketOf(first)
      Check.equal(
        (yield* listed(Bucket.ALL.filter((one) => one !== own))).some(({ userId }) => userId === first),
        false,
        "other buckets do not have them"
      )
      Check.equal(
        (yield* listed([own])).some(({ userId }) => userId === first),
        true,
        "their own bucket does"
      )
      yield* accounts.chooseNotices(first, [])
      Check.equal(yield* accounts.notices(first), [], "none is a choice, too")
      Check.equal((yield* listed(Bucket.ALL)).length, 1, "and they are not listed any more")
      yield* accounts.chooseNotices(UserId.make("usr_nobody_of_this_name_0000"), ["ends"])
    })
  }
]
