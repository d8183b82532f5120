import { Effect, Option, Schema } from "effect"
import { AuditEvent } from "../audit/index.js"
import {
  Account,
  type AccountCredentials,
  AccountStore,
  admitTry,
  KnownBrowser,
  newTry,
  recordFailure
} from "../accounts/index.js"
import { Timestamp, type UserId, Vault } from "../shared/index.js"
import { changeFactors, type FactorDecision } from "./changeFactors.js"
import { type ChallengeUse, takeChallenge } from "./challenges.js"
import * as Factors from "./Factors.js"
import * as Mails from "./factorMails.js"
import { eventsOf } from "./FactorAudit.js"
import { type FactorChange, FactorStore } from "./FactorStore.js"
import * as OneTimeCode from "./OneTimeCode.js"
import { OneTimeCodes } from "./OneTimeCodes.js"
import { type PasskeyResponse, PasskeyVerifier } from "./PasskeyVerifier.js"
import * as RecoveryCode from "./RecoveryCode.js"

/**
 * The proof with a code or a passkey failed. For example, the code or the passkey does not belong to the account, the
 * code was used before, or the challenge has expired. The answer does not say which.
 */
export class WrongFactor extends Schema.TaggedError<WrongFactor>()("WrongFactor", {}) {
  override get message(): string {
    return "The code or the passkey is not of this account, or was used before"
  }
}

/** The outcome of a proof, which the caller shows to the owner. */
export interface Proven {
  /** How many recovery codes are left, when one was used; null: none was used. */
  readonly codesLeft: number | null
}

const PROVEN: Proven = { codesLeft: null }
const COPIED = { kind: "passkey_copied" } as const

/**
 * The change to store after a proof. A proof cancels an operator's request to remove the factors, because the owner
 * still has a factor (decision factors-7). While the account is suspended, a proof does not cancel the removal: the
 * operator may have suspended the account because a thief added factors, and the thief could prove with these factors.
 */
const proven = (
  state: Factors.FactorState,
  used: Factors.Factors,
  now: Timestamp.Timestamp,
  mails: FactorChange["mails"] = []
): FactorChange => {
  const counted = Factors.countWrong(used, 0)
  const factors = state.account.suspendedAt === null ? { ...counted, removal: null } : counted
  return { factors, mails, audit: eventsOf(state, factors, now, { isProof: true }), endsSessions: false }
}

/** The account, and the version of the password that the person has typed. */
type CodeOwner = Pick<AccountCredentials, "account" | "passwordVersion">

/** The request that tries a code. */
interface CodeAttempt {
  /** The network address of the request. */
  readonly address: string
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser?: string | undefined
}

/**
 * Proves with a code of the app, or with a recovery code. Attempts are counted like attempts to sign in, but
 * separately: otherwise a thief who knows the password could clear the count by entering the right password, and guess
 * codes without a limit. For the network address, attempts with codes and with passwords count together. Fails with
 * `TooManyAttempts` when there were too many attempts, and with `WrongFactor` for any other failure.
 */
export const proveWithCode = (owner: CodeOwner, typed: string, attempt: CodeAttempt) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const userId = owner.account.id
    const tried = yield* tryOf(owner, attempt)
    const fills = yield* admitTry(tried, "code")
    // From here on the attempt counts, even when the client closes its connection.
    return yield* Effect.uninterruptible(
      Effect.gen(function* () {
        const outcome = yield* useCode(userId, typed)
        if (outcome !== null) {
          yield* accounts.clearTries(tried)
          return outcome
        }
        yield* accounts.failTry(tried.id)
        yield* recordFailure(userId, tried, fills)
        return yield* new WrongFactor()
      })
    )
  })

/**
 * The attempt as the throttle counts it: under a made-up e-mail address, and under a made-up browser if the account
 * knows the browser. Both are new with each new password, so a thief who knew the old password cannot keep the owner
 * out. Both contain a hash in place of the account's id, so both may be stored for longer than the account.
 */
const tryOf = (owner: CodeOwner, { address, knownBrowser }: CodeAttempt) =>
  Effect.gen(function* () {
    const entries = knownBrowser === undefined ? [] : yield* KnownBrowser.readCookie(knownBrowser)
    const known = KnownBrowser.entryOf(entries, owner)
    const name = `second-factor ${owner.account.id} ${owner.passwordVersion}`
    const { sha256 } = yield* Vault.Vault
    const email = Account.Email.make(`${sha256(name)}@second-factor.invalid`)
    return yield* newTry(email, address, known === undefined ? null : sha256(`${name} ${known.id}`))
  })

const useCode = (userId: UserId, typed: string) =>
  Effect.gen(function* () {
    const store = yield* FactorStore
    const code = OneTimeCode.parse(typed)
    if (code !== null) {
      const state = yield* store.read(userId)
      const codeApp = Option.getOrNull(state)?.factors.codeApp ?? null
      if (codeApp === null) return null
      const step = yield* stepOf(userId, codeApp, code)
      return Option.getOrNull(yield* changeFactors(userId, useStep(codeApp, step)))
    }
    const recovery = RecoveryCode.parse(typed)
    if (recovery === null) return null
    const digest = RecoveryCode.digest(yield* Vault.Vault, userId, recovery)
    return Option.getOrNull(yield* changeFactors(userId, useRecoveryCode(digest)))
  })

/**
 * The time step near the present that has this code. Null when no such step has this code, or when the secret cannot be
 * decrypted.
 */
export const stepOf = (userId: UserId, { secret }: Factors.CodeApp, code: string) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const codes = yield* OneTimeCodes
    const plain = yield* Effect.option(vault.unseal(secret, Factors.secretContext(userId)))
    // The secret cannot be decrypted, for example because its key was lost. Then the owner needs a recovery code or a
    // passkey.
    if (Option.isNone(plain)) return null
    const steps = OneTimeCode.acceptable({ usedStep: -1 }, yield* Timestamp.now)
    // Every step is compared, whatever the result, so that the time of the answer does not reveal the step.
    const equal = steps.filter((step) => vault.equal(codes.code(plain.value, step), code))
    return equal[equal.length - 1] ?? null
  })

type Decide<A> = (state: Factors.FactorState, now: Timestamp.Timestamp) => FactorDecision<A>

/**
 * The store calls this decision under the lock of the account, so that only one of two requests with the same code is
 * accepted.
 */
const useStep =
  (compared: Factors.CodeApp, step: number | null): Decide<Proven | null> =>
  (state, now) => {
    const { factors } = state
    const { codeApp } = factors
    const isOpen = Factors.hasCodeApp(factors) && !Factors.isCodeAppClosed(factors)
    if (!isOpen || codeApp?.secret !== compared.secret) return [null, null]
    return step !== null && OneTimeCode.acceptable(codeApp, now).includes(step)
      ? [PROVEN, proven(state, { ...factors, codeApp: { ...codeApp, usedStep: step } }, now)]
      : [null, wrong(state, codeApp.wrongCodes + 1, now)]
  }

/** The change to store after a wrong code of the app. */
const wrong = ({ account, factors }: Factors.FactorState, count: number, now: Timestamp.Timestamp): FactorChange => {
  const mails = count % Factors.WARNED_CODES === 0 ? [Mails.codesGuessed(account, now)] : []
  return { factors: Factors.countWrong(factors, count), mails, audit: [], endsSessions: false }
}

const useRecoveryCode =
  (digest: Vault.Hash): Decide<Proven | null> =>
  (state, now) => {
    const { account, factors } = state
    if (!Factors.isOn(factors) || !factors.recoveryCodes.includes(digest)) return [null, null]
    const recoveryCodes = factors.recoveryCodes.filter((one) => one !== digest)
    const left = recoveryCodes.length
    const mails = [Mails.codeUsed(left)(account, now)]
    return [{ codesLeft: left }, proven(state, { ...factors, recoveryCodes }, now, mails)]
  }

/**
 * Proves with a passkey of this account. `alone`: no password was checked, so the authenticator must have checked who
 * used the passkey. Fails with `WrongFactor` for every failed proof, for example for a passkey of another account, for
 * a challenge that was answered before, and for a count of signatures that did not grow.
 */
export const proveWithPasskey = (
  userId: UserId,
  response: PasskeyResponse,
  use: ChallengeUse,
  { alone }: { readonly alone: boolean }
) =>
  Effect.gen(function* () {
    const store = yield* FactorStore
    if (!(yield* takeChallenge(response.challenge, use))) return yield* new WrongFactor()
    if (response.owner !== null && response.owner !== userId) return yield* new WrongFactor()
    const state = Option.getOrNull(yield* store.read(userId))
    const passkey = state?.factors.passkeys.find(({ id }) => id === response.id)
    if (passkey === undefined) return yield* new WrongFactor()
    const signed = yield* Effect.catchTag(
      (yield* PasskeyVerifier).signed(response, passkey),
      "PasskeyRejected",
      (error) => Effect.zipRight(Effect.logInfo("A passkey was rejected", error.reason), new WrongFactor())
    )
    if (alone && !signed.isUserVerified) return yield* new WrongFactor()
    const outcome = yield* changeFactors(userId, usePasskey(passkey, signed.counter))
    return Option.getOrNull(outcome) ?? (yield* new WrongFactor())
  })

const usePasskey =
  (compared: Factors.Passkey, counter: number): Decide<Proven | null> =>
  (state, now) => {
    const { account, factors } = state
    const passkey = factors.passkeys.find(({ id, publicKey }) => id === compared.id && publicKey === compared.publicKey)
    if (passkey === undefined) return [null, null]
    if (isCopied(passkey.counter, counter)) {
      const copied = { at: now, userId: account.id, actor: AuditEvent.STRANGER, detail: COPIED }
      const mails = [Mails.passkeyCopied(passkey.name)(account, now)]
      return [null, { factors, mails, audit: [copied], endsSessions: false }]
    }
    const used = { ...passkey, counter, usedAt: now }
    const passkeys = factors.passkeys.map((one) => (one === passkey ? used : one))
    return [PROVEN, proven(state, { ...factors, passkeys }, now)]
  }

/**
 * Whether somebody may have copied the passkey: when two authenticators use one key, the count of signatures does not
 * always grow. `before` and `now` are 0 for an authenticator that does not count.
 */
const isCopied = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before
