import { Schema } from "effect"
import type { Status as AppStatus } from "../apps/App.js"
import type { SensitiveScope } from "../shared/Scope.js"
import { Key, type Purpose, usableTerms } from "./Purpose.js"

/**
 * Why a call that discloses coordinates is refused with `invalid_purpose` (Spec §4.4). One wire code for all of them; the
 * message may tell them apart, because the purposes are the app's own.
 */
export const Refusal = Schema.Literal("missing", "unknown", "archived", "not_approved", "scope_not_covered")
export type Refusal = typeof Refusal.Type

/** Wire: 400 `invalid_purpose`. */
export class PurposeRefused extends Schema.TaggedError<PurposeRefused>()("PurposeRefused", {
  reason: Refusal,
  /** Null unless it is one of the app's: what else was sent is nobody's to read. */
  key: Schema.NullOr(Key)
}) {}

export type Verdict =
  | { readonly _tag: "Allowed"; readonly purpose: Purpose }
  | { readonly _tag: "Refused"; readonly reason: Refusal }

/** Whether `key`, as the call named it, may be used for `scope` by an app of that status. `purposes`: all of the app's. */
export const decide = (
  purposes: ReadonlyArray<Purpose>,
  app: AppStatus,
  key: string | undefined,
  scope: SensitiveScope
): Verdict => {
  if (key === undefined || key === "") return refused("missing")
  const purpose = purposes.find((candidate) => candidate.key === key)
  if (purpose === undefined) return refused("unknown")
  if (purpose.status === "archived") return refused("archived")
  const terms = usableTerms(purpose, app)
  if (terms === undefined) return refused("not_approved")
  return terms.scopes.includes(scope) ? { _tag: "Allowed", purpose } : refused("scope_not_covered")
}

const refused = (reason: Refusal): Verdict => ({ _tag: "Refused", reason })

/** For the developer who reads the answer. */
export const message: Readonly<Record<Refusal, string>> = {
  missing: "purpose is required on every call for coordinates",
  unknown: "the app has no purpose with this key",
  archived: "the purpose was archived",
  not_approved: "the purpose is not approved; an app in production can use approved purposes only",
  scope_not_covered: "the purpose does not cover the scope of this endpoint"
}
