// What proves, besides the password, that a person is the owner of an account. Decisions factors-1 and factors-2.
import { Schema } from "effect"
import type { Account } from "../accounts/Account.js"
import { brand } from "../shared/Errors.js"
import type { UserId, Vault } from "../shared/index.js"
import { Text } from "../shared/index.js"
import { DAY, HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** The id that the authenticator gave to the passkey, in base64url. */
export const PasskeyId = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_-]{1,1400}$/), brand("PasskeyId"))
export type PasskeyId = typeof PasskeyId.Type

/** The owner's name for the passkey, such as "My phone". */
export const PasskeyName = Text.line(1, 60).pipe(brand("PasskeyName"))
export type PasskeyName = typeof PasskeyName.Type

export interface Passkey {
  readonly id: PasskeyId
  readonly name: PasskeyName
  /** The public key, as a COSE key in base64url. */
  readonly publicKey: string
  /** The authenticator's last known count of signatures; 0 for an authenticator that does not count. */
  readonly counter: number
  readonly createdAt: Timestamp
  /** The time of the last use. Null: the passkey was never used. */
  readonly usedAt: Timestamp | null
}

/** The secret that an app for one-time codes shares with this service. */
export interface CodeApp {
  /** The secret in base32, encrypted with the context `secretContext`. */
  readonly secret: Vault.Sealed
  /** Null: the owner has not typed a first code yet, so the app is no factor yet. */
  readonly confirmedAt: Timestamp | null
  /**
   * The time step of the last code that was accepted: this code and all earlier codes are used up. −1: no code was
   * accepted yet.
   */
  readonly usedStep: number
  /** How many wrong codes of the app were typed since the owner last proved a factor or a recovery code. */
  readonly wrongCodes: number
}

/**
 * After this number of wrong codes of the app in a row, no code of the app is accepted until the owner proves with a
 * passkey or a recovery code (decision factors-4). Otherwise a thief who knows the password could guess codes without
 * end.
 */
export const MAX_WRONG_CODES = 100

/** After each series of this number of wrong codes in a row, the owner gets a mail, but at most one mail a day. */
export const WARNED_CODES = 5

/** An operator's request to remove the factors of an owner who lost them. Decision factors-7. */
export interface FactorRemoval {
  readonly requestedAt: Timestamp
}

/** The factors and recovery codes of an account, and an operator's request to remove the factors. */
export interface Factors {
  /** The passkeys, in the order in which the owner added them. */
  readonly passkeys: ReadonlyArray<Passkey>
  readonly codeApp: CodeApp | null
  /** The digests of the recovery codes that were not used yet. */
  readonly recoveryCodes: ReadonlyArray<Vault.Hash>
  readonly removal: FactorRemoval | null
}

export const NONE: Factors = { passkeys: [], codeApp: null, recoveryCodes: [], removal: null }

/** What a decision about factors reads under the lock of the account. */
export interface FactorState {
  readonly account: Account
  readonly passwordVersion: number
  readonly factors: Factors
}

export const MAX_PASSKEYS = 10

/** Whether the code app is a factor: its owner has typed a first code. */
export const hasCodeApp = ({ codeApp }: Factors): boolean => codeApp !== null && codeApp.confirmedAt !== null

/** Whether no code of the code app is accepted, because there were too many wrong ones. */
export const isCodeAppClosed = ({ codeApp }: Factors): boolean => (codeApp?.wrongCodes ?? 0) >= MAX_WRONG_CODES

/** Sets the number of wrong codes of the app in a row. */
export const countWrong = (factors: Factors, wrongCodes: number): Factors =>
  factors.codeApp === null || factors.codeApp.wrongCodes === wrongCodes
    ? factors
    : { ...factors, codeApp: { ...factors.codeApp, wrongCodes } }

/** Whether a sign-in with the password needs a second factor. Recovery codes alone are no factor. */
export const isOn = (factors: Factors): boolean => factors.passkeys.length > 0 || hasCodeApp(factors)

/**
 * Whether the account has only one factor. The removal of this factor then switches the second step of a sign-in off.
 */
export const hasOnlyOne = (factors: Factors): boolean => factors.passkeys.length + (hasCodeApp(factors) ? 1 : 0) === 1

/**
 * When the account has no factor left, removes its recovery codes and an operator's request to remove the factors.
 * Recovery codes are only a substitute for a factor, and the request would remove a factor that the owner adds later.
 */
export const tidy = (factors: Factors): Factors =>
  isOn(factors) ? factors : { ...factors, recoveryCodes: [], removal: null }

/**
 * The factors that were added before `from`. A code app that nobody confirmed is left out: its secret may be known to
 * somebody else. The recovery codes are left out, because the account does not store when they were made. An operator's
 * request that was made at `from` or later is left out, because somebody else may have asked the operator for it. While
 * the account is suspended, the request stays, as when a factor is used (decision factors-7).
 */
export const addedBefore = ({ account, factors }: Omit<FactorState, "passwordVersion">, from: Timestamp): Factors => {
  const isOlder = (addedAt: Timestamp | null | undefined) => (addedAt ?? from) < from
  const passkeys = factors.passkeys.filter(({ createdAt }) => isOlder(createdAt))
  const codeApp = isOlder(factors.codeApp?.confirmedAt) ? factors.codeApp : null
  const keepsRequest = account.suspendedAt !== null || isOlder(factors.removal?.requestedAt)
  return tidy({ passkeys, codeApp, recoveryCodes: [], removal: keepsRequest ? factors.removal : null })
}

/**
 * The encryption context of a code app's secret. It contains the user's id, so a secret that is copied to another
 * account cannot be decrypted.
 */
export const secretContext = (userId: UserId): string => `code-app ${userId}`

/** For how many milliseconds after its issue a challenge can be answered. At the end of this time it has expired. */
export const CHALLENGE_LIFETIME = 5 * MINUTE

/**
 * How long a requested removal waits, so that the owner can stop it. At the end of this time the removal can be carried
 * out.
 */
export const REMOVAL_WAIT = 72 * HOUR

/** How long after the wait a removal can be carried out. From the end of this time on, a new request is needed. */
export const REMOVAL_OPEN = 7 * DAY

export type RemovalPhase = "waiting" | "open" | "lapsed"

/** The phase of a request at `now`: before the removal can be carried out, while it can be, or after that time. */
export const phaseOf = ({ requestedAt }: FactorRemoval, now: Timestamp): RemovalPhase =>
  now < requestedAt + REMOVAL_WAIT ? "waiting" : now < requestedAt + REMOVAL_WAIT + REMOVAL_OPEN ? "open" : "lapsed"

/** The first moment at which the removal can be carried out. */
export const opensAt = ({ requestedAt }: FactorRemoval): Timestamp => plus(requestedAt, REMOVAL_WAIT)

/** Whether there is a request for a removal that the owner can still stop. */
export const isRemovalPending = ({ removal }: Factors, now: Timestamp): boolean =>
  removal !== null && phaseOf(removal, now) !== "lapsed"
