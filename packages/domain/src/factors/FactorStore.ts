import { Context, type Option } from "effect"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import type { StoreEffect, Timestamp, UserId, Vault } from "../shared/index.js"
import type { Factors, FactorState } from "./Factors.js"

/** A change of an account's factors, with its mails and audit events. One transaction stores all of it. */
export interface FactorChange {
  readonly factors: Factors
  readonly mails: ReadonlyArray<MailMessage>
  readonly audit: ReadonlyArray<AuditEvent>
  /** Whether every session of the account ends with the change. */
  readonly endsSessions: boolean
}

/** The factors of accounts, and the challenges that passkeys answer. Decisions factors-1 to factors-7. */
export class FactorStore extends Context.Tag("@place-access/domain/factors/FactorStore")<
  FactorStore,
  {
    /** None when there is no account of this id. */
    readonly read: (userId: UserId) => StoreEffect<Option.Option<FactorState>>
    /**
     * Locks the account, reads the clock and the factors, and calls `decide`. One transaction stores the change that
     * `decide` returns. When `decide` returns null in place of a change, nothing is written. Changes of one account run
     * one after the other, so a code can be used only once. None when there is no account of this id.
     */
    readonly change: <A>(
      userId: UserId,
      decide: (state: FactorState, now: Timestamp.Timestamp) => readonly [A, FactorChange | null]
    ) => StoreEffect<Option.Option<A>>
    /** Stores that a challenge was issued: the digest of its text and of the action that it is for (`ChallengeUse`). */
    readonly keepChallenge: (digest: Vault.Hash, expiresAt: Timestamp.Timestamp) => StoreEffect<void>
    /**
     * Removes the challenge. True when this call removed the challenge and the challenge had not expired. Of several
     * calls for one challenge, only the first can return true.
     */
    readonly takeChallenge: (digest: Vault.Hash, now: Timestamp.Timestamp) => StoreEffect<boolean>
  }
>() {}
