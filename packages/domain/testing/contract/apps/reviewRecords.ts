import { Effect } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as PurposeReview from "../../../src/purposes/PurposeReview.js"
import { PurposeStore } from "../../../src/purposes/PurposeStore.js"
import type * as Entropy from "../../../src/shared/Entropy.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { auditEvent, auditOf } from "../auditSamples.js"
import { recorded, recordedAbout } from "./reviewSamples.js"

const mailsTo = (userId: UserId) =>
  Effect.gen(function* () {
    const all = yield* (yield* MailOutbox).recent(10_000)
    return all.flatMap(({ message }) => (message.to === userId ? [message] : []))
  })

/**
 * What stores must guarantee about the rows that a store writes together with a change of an app or a purpose: the
 * mails of a decision, and the audit event.
 */
export const reviewRecords: Contract<AppStore | PurposeStore | AccountStore | AuditLog | MailOutbox | Entropy.Entropy> =
  [
    {
      name: "AppStore.update: the mails and the audit event of a decision are stored with it [audit-1, mail-1]",
      run: Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id)
        const decided = yield* recorded(app, { by: (yield* Fixtures.user).id })
        yield* (yield* AppStore).update(app.id, (before) => ({ outcome: 0, after: before, recorded: decided }))
        Check.equal(yield* auditOf(owner.id), [decided.audit], "audit log")
        Check.equal(yield* mailsTo(owner.id), decided.mails, "mails")
      })
    },
    {
      name: "PurposeStore.update: the mails and the audit event of a decision are stored with it [audit-1, mail-1]",
      run: Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id)
        const purpose = yield* Fixtures.purpose(app.id, "find_me")
        const subject = PurposeReview.of(purpose)
        const decided = yield* recordedAbout(app, subject, { by: (yield* Fixtures.user).id })
        yield* (yield* PurposeStore).update(purpose.id, (before) => ({ outcome: 0, after: before, recorded: decided }))
        Check.equal(yield* auditOf(owner.id), [decided.audit], "audit log")
        Check.equal(yield* mailsTo(owner.id), decided.mails, "mails")
      })
    },
    {
      name: "AppStore.update: the audit event of a change that the team made is stored with it [audit-1]",
      run: Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id)
        const event = yield* auditEvent(owner.id, {
          kind: "secret_rotated",
          secret: "client",
          appId: app.id,
          endpointId: null
        })
        yield* (yield* AppStore).update(app.id, (before) => ({ outcome: 0, after: before, audit: event }))
        Check.equal(yield* auditOf(owner.id), [event], "audit log")
      })
    }
  ]
