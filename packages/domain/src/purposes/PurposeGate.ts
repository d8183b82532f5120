// Decides whether a call for coordinates names a purpose that allows the call (decision purposes-3).
import { Schema } from "effect"
import type { AppStatus } from "../apps/App.js"
import type { SensitiveScope } from "../shared/Scope.js"
import { PurposeKey, type Purpose, usableTerms } from "./Purpose.js"

/**
 * Why a call gets `invalid_purpose` (Spec §4.4). The error code is the same for all reasons; only the message differs.
 */
export const PurposeRefusal = Schema.Literal("missing", "unknown", "archived", "not_approved", "scope_not_covered")
export type PurposeRefusal = typeof PurposeRefusal.Type

/** The call names no purpose that allows it. Wire: 400 `invalid_purpose`. */
export class PurposeRefused extends Schema.TaggedError<PurposeRefused>()("PurposeRefused", {
  reason: PurposeRefusal,
  /**
   * The key that the call named. Null unless the app has a purpose with this key, because a text of the caller's choice
   * must not reach the log.
   */
  key: Schema.NullOr(PurposeKey)
}) {
  override get message(): string {
    return `The call names no purpose that allows it: ${this.reason}`
  }
}

export type PurposeVerdict =
  | { readonly _tag: "Allowed"; readonly purpose: Purpose }
  | { readonly _tag: "Refused"; readonly reason: PurposeRefusal }

/** Whether an app of this status may use the purpose `key` for `scope`. `purposes` are all purposes of the app. */
export const decide = (
  purposes: ReadonlyArray<Purpose>,
  app: AppStatus,
  key: string | undefined,
  scope: SensitiveScope
): PurposeVerdict => {
  if (key === undefined || key === "") return refused("missing")
  const purpose = purposes.find((candidate) => candidate.key === key)
  if (purpose === undefined) return refused("unknown")
  if (purpose.status === "archived") return refused("archived")
  const terms = usableTerms(purpose, app)
  if (terms === undefined) return refused("not_approved")
  return terms.scopes.includes(scope) ? { _tag: "Allowed", purpose } : refused("scope_not_covered")
}

const refused = (reason: PurposeRefusal): PurposeVerdict => ({ _tag: "Refused", reason })

/** For each refusal, the message to the app's developer. */
export const message: Readonly<Record<PurposeRefusal, string>> = {
  missing: "purpose is required on every call for coordinates",
  unknown: "the app has no purpose with this key",
  archived: "the purpose was archived",
  not_approved: "the purpose is not approved; an app in production can use approved purposes only",
  scope_not_covered: "the purpose does not cover the scope of this endpoint"
}
