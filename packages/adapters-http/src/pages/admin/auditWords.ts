import type { AuditEvent } from "@place-access/domain/audit"
import { Words } from "@place-access/domain/shared"

/** The kinds as the filter of the page names them. */
export const KIND_NAMES: Readonly<Record<AuditEvent.AuditKind, string>> = {
  account_made: "Account made",
  account_deleted: "Account deleted",
  account_suspended: "Account suspended",
  account_resumed: "Account resumed",
  sign_in: "Sign-in",
  sign_in_failed: "Failed sign-in",
  locked_out: "Lock-out",
  unlocked: "Lock-out ended",
  sessions_ended: "Signed out by staff",
  password_changed: "Password changed",
  reset_link_made: "Link for a new password",
  address_confirmed: "Address confirmed",
  address_changed: "Address changed",
  address_restored: "Address restored",
  factor_added: "Second factor added",
  factor_removed: "Second factor removed",
  factor_removal_asked: "Removal of a factor asked for",
  recovery_code_used: "Recovery code used",
  role_given: "Role given",
  role_taken: "Role taken",
  export_made: "Export made",
  export_fetched: "Export fetched",
  secret_rotated: "Secret replaced",
  secret_ended: "Secret ended",
  review_decided: "Review decided"
}

const FACTORS = { passkey: "a passkey", totp: "an authenticator app", recovery_codes: "recovery codes" } as const

/** What happened, in a sentence about the account. */
export const said = (detail: AuditEvent.AuditDetail): string => {
  switch (detail.kind) {
    case "account_made":
      return detail.roles.length === 0
        ? "The account was made."
        : `The account was made, as ${detail.roles.join(" and ")}.`
    case "account_deleted":
      return "An account was deleted."
    case "account_suspended":
      return "The account was suspended."
    case "account_resumed":
      return "The account was resumed."
    case "sign_in":
      return `Signed in with ${detail.browser ?? "an unknown program"}${from(detail.network)}.`
    case "sign_in_failed":
      return `A sign-in failed${from(detail.network)}.`
    case "locked_out":
      return detail.scope === "account"
        ? `Too many failures: sign-in to the account was closed for a while. The last one came${from(detail.network)}.`
        : `Too many failures${from(detail.network)}: sign-in from there was closed for a while.`
    case "unlocked":
      return "Its owner opened sign-in again."
    case "sessions_ended":
      return `Signed out of ${Words.count(detail.count, "browser")}.`
    case "password_changed":
      return detail.how === "link" ? "Set a new password with a link." : "Changed the password."
    case "reset_link_made":
      return "Took a link with which the owner sets a new password."
    case "address_confirmed":
      return "Confirmed the e-mail address."
    case "address_changed":
      return "Changed the e-mail address."
    case "address_restored":
      return "Took back a change of the e-mail address."
    case "factor_added":
      return `Added ${FACTORS[detail.factor]} as a second factor.`
    case "factor_removed":
      return `Removed ${FACTORS[detail.factor]} as a second factor.`
    case "factor_removal_asked":
      return "Asked to remove the second factor, which its owner lost."
    case "recovery_code_used":
      return "Used a recovery code."
    case "role_given":
      return `Became ${detail.role}.`
    case "role_taken":
      return `Lost the role ${detail.role}.`
    case "export_made":
      return "Asked for an archive of the account."
    case "export_fetched":
      return "Fetched the archive of the account."
    case "secret_rotated":
      return `Replaced the ${secret(detail)} of the app ${detail.appId}.`
    case "secret_ended":
      return `Ended the ${secret(detail)} of the app ${detail.appId}.`
    case "review_decided":
      return detail.purposeId === null
        ? `The app ${detail.appId} was ${detail.decision}.`
        : `The purpose ${detail.purposeId} of the app ${detail.appId} was ${detail.decision}.`
  }
}

const from = (network: string | null): string => (network === null ? "" : ` from ${network}`)

const secret = ({ secret }: { readonly secret: "client" | "signing" }): string =>
  secret === "client" ? "client secret" : "signing secret"
