import { Effect, Option } from "effect"
import type { Account } from "../accounts/index.js"
import type { MailMessage } from "../mail/Mail.js"
import { Conflict, Entropy, Invalid, NotFound, program, type Timestamp, Vault } from "../shared/index.js"
import { changeFactors, type FactorDecision } from "./changeFactors.js"
import { takeChallenge } from "./challenges.js"
import * as Factors from "./Factors.js"
import * as Mails from "./factorMails.js"
import { eventsOf } from "./FactorAudit.js"
import { type FactorChange, FactorStore } from "./FactorStore.js"
import * as OneTimeCode from "./OneTimeCode.js"
import { OneTimeCodes } from "./OneTimeCodes.js"
import { type PasskeyResponse, PasskeyVerifier } from "./PasskeyVerifier.js"
import { stepOf, WrongFactor } from "./proveFactor.js"
import * as RecoveryCode from "./RecoveryCode.js"

// The owner reads and changes the factors. Before a change, except `keepFactors`, the caller checks that the owner gave
// a new proof of identity in this session within the last 15 minutes (decision accounts-18).

const gone = () => new NotFound({ what: "account" })

type Decision<A> = FactorDecision<A>

/**
 * Decides under the lock of the account. Fails with `NotFound` when the account was deleted, or got another address
 * after the caller had read it. The address is compared because the undo of an address change ends a thief's session,
 * but not a request that the thief began before the undo (decision accounts-13).
 */
const change = <A>(
  { email, id }: Account.Account,
  decide: (state: Factors.FactorState, now: Timestamp.Timestamp) => Decision<A>
) =>
  Effect.flatMap(
    changeFactors(id, (state, now): Decision<Option.Option<A>> => {
      if (state.account.email !== email) return [Option.none(), null]
      const [outcome, stored] = decide(state, now)
      return [Option.some(outcome), stored]
    }),
    (found) => Effect.mapError(Option.flatten(found), gone)
  )

const saved = (
  state: Factors.FactorState,
  after: Factors.Factors,
  now: Timestamp.Timestamp,
  mail: MailMessage | null = null
): FactorChange => {
  const factors = Factors.tidy(after)
  return { factors, mails: mail === null ? [] : [mail], audit: eventsOf(state, factors, now), endsSessions: false }
}

/** The account's factors. Fails with `NotFound` when the account was deleted. */
export const describeFactors = program("describeFactors", function* ({ id }: Account.Account) {
  const state = yield* (yield* FactorStore).read(id)
  return (yield* Effect.mapError(state, gone)).factors
})

/**
 * When the account had no factor before, returns the texts of new recovery codes, and `after` with their digests.
 * Otherwise returns null and `after` unchanged.
 */
const withCodes = (
  before: Factors.Factors,
  after: Factors.Factors,
  codes: { readonly shown: ReadonlyArray<string>; readonly digests: ReadonlyArray<Vault.Hash> }
): readonly [ReadonlyArray<string> | null, Factors.Factors] =>
  Factors.isOn(before) ? [null, after] : [codes.shown, { ...after, recoveryCodes: codes.digests }]

/**
 * Begins to set up a code app; returns its secret in base32, for a QR code. The app is no factor before
 * `confirmCodeApp`. Beginning again replaces a secret that was not confirmed. Fails with `Conflict` when the account
 * has a confirmed code app.
 */
export const beginCodeApp = program("beginCodeApp", function* (account: Account.Account) {
  const secret = (yield* OneTimeCodes).secret(yield* (yield* Entropy.Entropy).bytes(20, "factor"))
  const sealed = yield* (yield* Vault.Vault).seal(secret, Factors.secretContext(account.id))
  const codeApp: Factors.CodeApp = { secret: sealed, confirmedAt: null, usedStep: -1, wrongCodes: 0 }
  const began = yield* change(account, (state, now): Decision<boolean> =>
    Factors.hasCodeApp(state.factors) ? [false, null] : [true, saved(state, { ...state.factors, codeApp }, now)]
  )
  if (!began) return yield* new Conflict({ reason: HAS_CODE_APP })
  return secret
})

const HAS_CODE_APP = "there is an app for one-time codes already: remove it first"

/**
 * The secret of a code app that is being set up. None when no app is being set up, or when the secret cannot be
 * decrypted.
 */
export const pendingCodeApp = program("pendingCodeApp", function* (account: Account.Account) {
  const { codeApp } = yield* describeFactors(account)
  if (codeApp === null || codeApp.confirmedAt !== null) return Option.none()
  return yield* Effect.option((yield* Vault.Vault).unseal(codeApp.secret, Factors.secretContext(account.id)))
})

/**
 * Confirms the code app with its first code: from now on a sign-in asks for a second factor. Returns the texts of new
 * recovery codes, which are shown only this once. Returns null when the account had a factor before, because the
 * account then keeps its recovery codes. Fails with `WrongFactor` for a wrong code, and when no code app waits for its
 * first code.
 */
export const confirmCodeApp = program("confirmCodeApp", function* (account: Account.Account, typed: string) {
  const { codeApp } = yield* describeFactors(account)
  const code = OneTimeCode.parse(typed)
  if (codeApp === null || code === null) return yield* new WrongFactor()
  const step = yield* stepOf(account.id, codeApp, code)
  const codes = yield* RecoveryCode.make(account.id)
  const confirmed = yield* change(account, (state, now): Decision<ReadonlyArray<string> | null | "Wrong"> => {
    const present = state.factors.codeApp
    if (present?.confirmedAt !== null || present.secret !== codeApp.secret) return ["Wrong", null]
    if (step === null || !OneTimeCode.acceptable(present, now).includes(step)) return ["Wrong", null]
    const on = { ...state.factors, codeApp: { ...present, confirmedAt: now, usedStep: step } }
    const [shown, after] = withCodes(state.factors, on, codes)
    return [shown, saved(state, after, now, Mails.codeAppAdded(account, now))]
  })
  return confirmed === "Wrong" ? yield* new WrongFactor() : confirmed
})

/** Removes the code app, whether or not it was confirmed. Idempotent. */
export const removeCodeApp = program("removeCodeApp", function* (account: Account.Account) {
  yield* change(account, (state, now): Decision<null> => {
    const mail = Factors.hasCodeApp(state.factors) ? Mails.codeAppRemoved(account, now) : null
    return [null, saved(state, { ...state.factors, codeApp: null }, now, mail)]
  })
})

export interface NewPasskey {
  readonly name: Factors.PasskeyName
  readonly response: PasskeyResponse
}

/**
 * Adds a passkey that answered a challenge for this account. Returns new recovery codes when it is the first factor,
 * else null. Fails with `WrongFactor` when the response does not answer a challenge of `Add` for this account, or when
 * the `PasskeyVerifier` rejects the response. Fails with `Conflict` when the account has `Factors.MAX_PASSKEYS`
 * passkeys, or has this passkey already.
 */
export const addPasskey = program("addPasskey", function* (account: Account.Account, { name, response }: NewPasskey) {
  const isIssued = yield* takeChallenge(response.challenge, { _tag: "Add", userId: account.id })
  if (!isIssued) return yield* new WrongFactor()
  const registered = yield* Effect.catchTag((yield* PasskeyVerifier).registered(response), "PasskeyRejected", (error) =>
    Effect.zipRight(Effect.logInfo("A new passkey was rejected", error.reason), new WrongFactor())
  )
  const codes = yield* RecoveryCode.make(account.id)
  const added = yield* change(account, (state, now): Decision<ReadonlyArray<string> | null | Conflict> => {
    const { passkeys } = state.factors
    if (passkeys.some(({ id }) => id === registered.id)) return [new Conflict({ reason: HAS_PASSKEY }), null]
    if (passkeys.length >= Factors.MAX_PASSKEYS) return [new Conflict({ reason: TOO_MANY }), null]
    const passkey: Factors.Passkey = { ...registered, name, createdAt: now, usedAt: null }
    const [shown, after] = withCodes(state.factors, { ...state.factors, passkeys: [...passkeys, passkey] }, codes)
    return [shown, saved(state, after, now, Mails.passkeyAdded(name)(account, now))]
  })
  return added instanceof Conflict ? yield* added : added
})

const HAS_PASSKEY = "the account has this passkey already"
const TOO_MANY = `an account can have ${Factors.MAX_PASSKEYS} passkeys: remove one first`

/** Removes the passkey. Idempotent: nothing happens when the account has no such passkey. */
export const removePasskey = program("removePasskey", function* (account: Account.Account, id: Factors.PasskeyId) {
  yield* change(account, (state, now): Decision<null> => {
    const { factors } = state
    const passkey = factors.passkeys.find((one) => one.id === id)
    if (passkey === undefined) return [null, null]
    const passkeys = factors.passkeys.filter((one) => one !== passkey)
    return [null, saved(state, { ...factors, passkeys }, now, Mails.passkeyRemoved(passkey.name)(account, now))]
  })
})

/**
 * Replaces the recovery codes and returns the new codes, which are shown once. Fails with `Invalid` for an account
 * without a factor.
 */
export const replaceRecoveryCodes = program("replaceRecoveryCodes", function* (account: Account.Account) {
  const codes = yield* RecoveryCode.make(account.id)
  const isReplaced = yield* change(account, (state, now): Decision<boolean> => {
    if (!Factors.isOn(state.factors)) return [false, null]
    const after = { ...state.factors, recoveryCodes: codes.digests }
    return [true, saved(state, after, now, Mails.codesMade(account, now))]
  })
  if (!isReplaced) return yield* Invalid.of("recovery_codes", "need a second factor: set one up first")
  return codes.shown
})

/** Stops the removal of the factors that an operator requested. Idempotent. */
export const keepFactors = program("keepFactors", function* (account: Account.Account) {
  yield* change(account, (state, now): Decision<null> => [
    null,
    state.factors.removal === null ? null : saved(state, { ...state.factors, removal: null }, now)
  ])
})
