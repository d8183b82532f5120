import type { Oracle } from "../Oracle.js"
import { type KnownPurpose, type PurposeState, usable } from "./support/Apps.js"
import { scopeVerdict } from "./support/Connections.js"
import type { CallFact } from "./support/trace/Facts.js"
import type { Knowledge } from "./support/Knowledge.js"
import { oracle } from "./support/trace/oracle.js"
import {
  DESCRIPTION,
  isWithin,
  PURPOSE_KEY,
  VOLUME,
  REQUIRED,
  SENSITIVE,
  isSensitiveEndpoint
} from "../Specification.js"
import { P5 } from "./volume.js"

/** Oracles of purposes. An app must name a purpose on every sensitive call. Spec §2.4, §3.2, §4.4, §8; decision P1. */

/**
 * Whether the call needs a purpose and passed the checks of token, rate limit and scope, so that the service checked
 * its purpose.
 */
const cameToPurpose = ({ op, situations, token }: CallFact): boolean => {
  if (token === undefined || situations === undefined || situations.length === 0 || op.outcome._tag !== "ok")
    return false
  const required = REQUIRED[op.args.request.endpoint]
  const { status } = op.outcome.value
  return (
    SENSITIVE.has(required) &&
    ![401, 403, 429].includes(status) &&
    situations.every((situation) => scopeVerdict(situation, required) === "allowed")
  )
}

const isRefused = ({ op }: CallFact): boolean =>
  op.outcome._tag === "ok" && op.outcome.value.status === 400 && op.outcome.value.error === "invalid_purpose"

const P1 = oracle(
  "P1",
  "A sensitive call is answered iff its purpose is known, covers the scope and is usable for the app as it is (Spec §4.4)",
  (known, say) => {
    for (const fact of known.calls) {
      const { op, purpose } = fact
      if (purpose === undefined || !isSensitiveEndpoint(op.args.request.endpoint) || op.outcome._tag !== "ok") continue
      if (op.outcome.value.status === 200 && !purpose.has("usable")) {
        say(op.to, `answered although the purpose is ${[...purpose].join(" or ")}`)
      }
      if (cameToPurpose(fact) && isRefused(fact) && purpose.size === 1 && purpose.has("usable")) {
        say(op.to, "a usable purpose was refused")
      }
    }
  }
)

/** The ports through which programs read locations. */
const LOCATIONS: ReadonlySet<string> = new Set(["FixHistory", "FixStore", "VisitStore", "StayStore"])

const P2 = oracle(
  "P2",
  "Without a purpose that is usable a sensitive call is 400, and no location is read for it (Spec §4.4)",
  (known, say) => {
    const refused = new Map<number, number>()
    for (const fact of known.calls) {
      const { op, purpose } = fact
      if (!isSensitiveEndpoint(op.args.request.endpoint) || op.outcome._tag !== "ok") continue
      const { error, status } = op.outcome.value
      if (cameToPurpose(fact) && purpose !== undefined && !purpose.has("usable") && !isRefused(fact)) {
        say(op.to, `${status} ${error} and not 400 invalid_purpose`)
      }
      if (status === 401 || status === 403 || isRefused(fact)) refused.set(op.from, status)
    }
    for (const entry of known.trace.entries) {
      if (entry.kind !== "port" || entry.op === null || !LOCATIONS.has(entry.port)) continue
      const status = refused.get(entry.op)
      if (status !== undefined) say(entry.i, `${entry.port}.${entry.method} for a call that was refused with ${status}`)
    }
  }
)

const P3 = oracle(
  "P3",
  "An edit of an approved purpose waits for its review; until then the approved wording counts (Spec §3.2)",
  (known, say) => {
    for (const fact of known.calls) {
      const { op, purpose, token } = fact
      if (purpose?.size !== 1 || !cameToPurpose(fact) || token === undefined || op.outcome._tag !== "ok") continue
      const states = named(known, token.family.connection.appId, op.args.purpose)?.state.read(op.from, op.to)
      if (states === undefined || !states.every(isEdited)) continue
      const { status } = op.outcome.value
      if (purpose.has("usable") && isRefused(fact)) say(op.to, "the approved wording was refused while its edit waits")
      if (purpose.has("not_covered") && status === 200) say(op.to, "an edit that nobody approved was used")
    }
    for (const op of known.trace.ops.values()) {
      if (op.name !== "editPurpose" || op.outcome._tag !== "ok" || op.outcome.value.status !== "approved") continue
      const states = known.apps.purposes.get(op.args.purposeId)?.state.read(op.from - 1, op.from - 1)
      const { description, expectedDailyVolume, scopes } = op.args
      const edit = JSON.stringify([description, expectedDailyVolume, [...scopes].sort()])
      const isOld =
        states === undefined || states.some(({ approved }) => approved !== null && edit === textOf(approved))
      if (!isOld) say(op.to, "an edit was approved by nobody")
    }
  }
)

const named = (known: Knowledge, appId: string, key: string | undefined): KnownPurpose | undefined =>
  [...(known.apps.apps.get(appId)?.purposes.values() ?? [])].find((purpose) => purpose.key === key)

const textOf = ({ description, expectedDailyVolume, scopes }: PurposeState["newest"]): string =>
  JSON.stringify([description, expectedDailyVolume, [...scopes].sort()])

const isEdited = (state: PurposeState): boolean =>
  !state.isArchived &&
  state.approved !== null &&
  textOf(state.approved) !== textOf(state.newest) &&
  usable(state, "production") !== null

const P4 = oracle(
  "P4",
  "A purpose's key is valid and unique in its app; its other fields keep their limits (Spec §2.4)",
  (known, say) => {
    const taken = new Set<string>()
    for (const op of known.trace.ops.values()) {
      if ((op.name !== "createPurpose" && op.name !== "editPurpose") || op.outcome._tag !== "ok") continue
      const { description, expectedDailyVolume, scopes } = op.args
      const length = [...description].length
      if (length < DESCRIPTION.min || (length > DESCRIPTION.max && /^[ -~]*$/.test(description)))
        say(op.to, `a description of ${length} characters`)
      if (!Number.isInteger(expectedDailyVolume) || !isWithin(expectedDailyVolume, VOLUME)) {
        say(op.to, `an expected volume of ${expectedDailyVolume}`)
      }
      if (scopes.length === 0 || scopes.some((scope) => !SENSITIVE.has(scope)))
        say(op.to, "scopes that are not sensitive")
      if (op.name === "editPurpose") continue
      const { appId, key } = op.args
      if (!PURPOSE_KEY.test(key)) say(op.to, `the key ${key}`)
      if (taken.has(`${appId} ${key}`)) say(op.to, `the key ${key} for the second time`)
      taken.add(`${appId} ${key}`)
    }
  }
)

export const purposes: ReadonlyArray<Oracle> = [P1, P2, P3, P4, P5]
