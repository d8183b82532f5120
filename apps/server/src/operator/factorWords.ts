import { Factors } from "@place-access/domain/factors"
import { Timestamp, Words } from "@place-access/domain/shared"

// Describes the second factors of an account to an operator: which kinds, and how many of each. The
// description never contains a secret.

/**
 * The requested removal of the second factors. It can be carried out at `opensAt` or later, but before `endsAt`. Null
 * when no removal is requested, or when the request has lapsed.
 */
const removalOf = ({ removal }: Factors.Factors, now: Timestamp.Timestamp) => {
  if (removal === null || Factors.phaseOf(removal, now) === "lapsed") return null
  const opensAt = Factors.opensAt(removal)
  return { requestedAt: removal.requestedAt, opensAt, endsAt: Timestamp.plus(opensAt, Factors.REMOVAL_OPEN) }
}

/** The facts about second factors in the JSON line that a command prints for programs. */
export const factorLine = (factors: Factors.Factors, now: Timestamp.Timestamp) => {
  const removal = removalOf(factors, now)
  return {
    second_factor: {
      passkeys: factors.passkeys.length,
      code_app: Factors.hasCodeApp(factors),
      recovery_codes_left: factors.recoveryCodes.length
    },
    factor_removal:
      removal === null
        ? null
        : {
            requested_at: Timestamp.toIso(removal.requestedAt),
            opens_at: Timestamp.toIso(removal.opensAt),
            ends_at: Timestamp.toIso(removal.endsAt)
          }
  }
}

/** The facts of `factorLine`, as sentences for a person. */
export const factorSentences = (factors: Factors.Factors, now: Timestamp.Timestamp): ReadonlyArray<string> => {
  const { passkeys, recoveryCodes } = factors
  const parts = [
    ...(passkeys.length === 0 ? [] : [Words.count(passkeys.length, "passkey")]),
    ...(Factors.hasCodeApp(factors) ? ["an app for one-time codes"] : []),
    ...(Factors.isOn(factors) ? [`${Words.count(recoveryCodes.length, "recovery code")} left`] : [])
  ]
  const removal = removalOf(factors, now)
  return [
    `Second factor: ${parts.length === 0 ? "none" : parts.join(", ")}`,
    ...(removal === null
      ? []
      : [
          `Removal of the second factor: asked for ${Words.moment(removal.requestedAt)}; "account remove-factor" does ` +
            `it from ${Words.moment(removal.opensAt)} until ${Words.moment(removal.endsAt)}`
        ])
  ]
}
