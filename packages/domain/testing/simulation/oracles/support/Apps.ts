import type { Op, OpOf, Span } from "./trace/Ops.js"
import { Possible, type Transition } from "./trace/Possible.js"
import { type Came, Finality } from "./trace/Pending.js"

/** What the trace shows about apps and their purposes (Spec §2.4, §3.2, §5.4, §5.6; decisions P1, P2 of §9). */

export interface AppState {
  readonly declared: ReadonlyArray<string>
  /** The scopes to which an admin has restricted the app; null when no admin has restricted the app. */
  readonly allowed: ReadonlyArray<string> | null
  readonly mode: "sandbox" | "in_review" | "production"
}

export interface Wording {
  readonly description: string
  readonly scopes: ReadonlyArray<string>
  readonly expectedDailyVolume: number
}

export interface PurposeState {
  readonly newest: Wording
  readonly approved: Wording | null
  readonly status: "draft" | "in_review" | "approved" | "rejected"
  readonly isArchived: boolean
}

export interface KnownApp {
  readonly id: string
  readonly ownerId: string
  readonly state: Possible<AppState>
  readonly revoked: Finality
  readonly purposes: Map<string, KnownPurpose>
  /** Keys of purposes that may exist, although no answer showed the purpose's id. */
  readonly unsure: Array<{ readonly key: string; readonly from: number }>
}

export interface KnownPurpose {
  readonly id: string
  readonly key: string
  readonly app: KnownApp
  readonly state: Possible<PurposeState>
  readonly created: Span
}

export class Apps {
  readonly apps = new Map<string, KnownApp>()
  readonly purposes = new Map<string, KnownPurpose>()
  private readonly open = new Map<number, (op: Op, came: Came) => void>()

  begun(op: Op): void {
    const settle = this.begin(op)
    if (settle !== undefined) this.open.set(op.from, settle)
  }

  done(op: Op): void {
    this.open.get(op.from)?.(op, came(op))
    this.open.delete(op.from)
  }

  private begin(op: Op): ((op: Op, came: Came) => void) | undefined {
    switch (op.name) {
      case "createApp": {
        if (op.outcome._tag !== "ok") return undefined
        const id = op.outcome.value.appId
        this.apps.set(id, {
          id,
          ownerId: op.args.userId,
          state: new Possible<AppState>(op.from, [{ declared: op.args.scopes, allowed: null, mode: "sandbox" }]),
          revoked: new Finality(),
          purposes: new Map(),
          unsure: []
        })
        return undefined
      }
      case "declareScopes": {
        const declared = op.args.scopes
        return this.change(op.args.appId, op, (state) => [{ ...state, declared }])
      }
      case "narrowApp": {
        const allowed = op.args.scopes
        return this.change(op.args.appId, op, (state) => [{ ...state, allowed }])
      }
      case "submitApp":
        return this.change(op.args.appId, op, (state) => [{ ...state, mode: "in_review" }])
      case "decideApp": {
        const mode = op.args.decision === "approve" ? "production" : "sandbox"
        return this.change(op.args.appId, op, (state) => [{ ...state, mode }])
      }
      case "revokeApp": {
        const app = this.apps.get(op.args.appId)
        const handle = app?.revoked.begin(op, "revoked by an admin")
        return handle === undefined ? undefined : (op, came) => app?.revoked.settle(handle, op, came)
      }
      case "createPurpose":
        return this.createPurpose(op)
      case "editPurpose": {
        const { description, expectedDailyVolume, scopes } = op.args
        const wording: Wording = { description, scopes, expectedDailyVolume }
        const status = op.outcome._tag === "ok" ? op.outcome.value.status : undefined
        return this.changePurpose(op.args.purposeId, op, edit(wording, status))
      }
      case "submitPurpose":
        return this.changePurpose(op.args.purposeId, op, (state) => [{ ...state, status: "in_review" }])
      case "decidePurpose":
        return this.changePurpose(op.args.purposeId, op, DECIDE[op.args.decision])
      case "archivePurpose":
        return this.changePurpose(op.args.purposeId, op, (state) => [{ ...state, isArchived: true }])
      default:
        return undefined
    }
  }

  private createPurpose(op: OpOf<"createPurpose">): undefined {
    const app = this.apps.get(op.args.appId)
    if (app === undefined || op.outcome._tag === "refused") return undefined
    const { description, expectedDailyVolume, key, scopes } = op.args
    if (op.outcome._tag === "unknown") {
      app.unsure.push({ key, from: op.from })
      return undefined
    }
    const id = op.outcome.value.purposeId
    const state: PurposeState = {
      newest: { description, scopes, expectedDailyVolume },
      approved: null,
      status: "draft",
      isArchived: false
    }
    const purpose = { id, key, app, state: new Possible(op.from, [state]), created: op }
    app.purposes.set(id, purpose)
    this.purposes.set(id, purpose)
    return undefined
  }

  private change(appId: string, op: Op, step: Transition<AppState>) {
    const state = this.apps.get(appId)?.state
    const handle = state?.begin(op.from, step)
    return handle === undefined ? undefined : (op: Op, came: Came) => state?.settle(handle, op.to, came)
  }

  private changePurpose(purposeId: string, op: Op, step: Transition<PurposeState>) {
    const state = this.purposes.get(purposeId)?.state
    const handle = state?.begin(op.from, step)
    return handle === undefined ? undefined : (op: Op, came: Came) => state?.settle(handle, op.to, came)
  }
}

export const came = (op: Op): Came =>
  op.outcome._tag === "ok" ? "done" : op.outcome._tag === "refused" ? "nothing" : "maybe"

const same = (a: Wording, b: Wording | null): boolean =>
  b !== null &&
  a.description === b.description &&
  a.expectedDailyVolume === b.expectedDailyVolume &&
  JSON.stringify([...a.scopes].sort()) === JSON.stringify([...b.scopes].sort())

/**
 * The states to which the developer's edit leads a purpose. Spec §3.2: editing an approved purpose starts a review;
 * decision P1: editing a rejected purpose makes it a draft. `answered` is the status of the purpose in the service's
 * answer.
 */
const edit =
  (newest: Wording, answered: string | undefined): Transition<PurposeState> =>
  (state) => {
    if (same(newest, state.newest)) return [state]
    if (answered === "draft" || answered === "in_review" || answered === "approved" || answered === "rejected") {
      return [{ ...state, newest, status: answered }]
    }
    if (same(newest, state.approved)) return [{ ...state, newest, status: "approved" }]
    const status = state.status === "approved" ? "in_review" : state.status === "rejected" ? "draft" : state.status
    return [{ ...state, newest, status }]
  }

const DECIDE: Readonly<Record<"approve" | "reject", Transition<PurposeState>>> = {
  approve: (state) => [{ ...state, approved: state.newest, status: "approved" }],
  reject: (state) => [{ ...state, status: "rejected" }]
}

/**
 * The wording that calls may use (Spec §3.2, §4.4): the approved wording. An app that is not in production may use the
 * newest wording while none is approved. Null when the purpose is archived or calls may use no wording.
 */
export const usable = (purpose: PurposeState, mode: AppState["mode"]): Wording | null =>
  purpose.isArchived ? null : (purpose.approved ?? (mode === "production" ? null : purpose.newest))

/**
 * The result of the check of the purpose that a call names. `usable`: the purpose covers the scope of the call. With
 * any other verdict, the service refuses the call.
 */
export type PurposeVerdict = "usable" | "missing" | "unknown" | "archived" | "not_approved" | "not_covered"

export const purposeVerdicts = (
  app: KnownApp | undefined,
  key: string | undefined,
  scope: string,
  { from, to }: Span
): ReadonlySet<PurposeVerdict> | undefined => {
  if (key === undefined || key === "") return new Set(["missing"])
  const modes = app?.state.read(from, to)
  if (app === undefined || modes === undefined) return undefined
  if (app.unsure.some((one) => one.key === key && one.from <= to)) return undefined
  const purpose = [...app.purposes.values()].find((one) => one.key === key && one.created.from <= to)
  if (purpose === undefined) return new Set(["unknown"])
  const states = purpose.state.read(from, to)
  if (states === undefined) return undefined
  const verdicts = new Set<PurposeVerdict>(purpose.created.to < from ? [] : ["unknown"])
  for (const state of states) for (const { mode } of modes) verdicts.add(verdict(state, mode, scope))
  return verdicts
}

const verdict = (state: PurposeState, mode: AppState["mode"], scope: string): PurposeVerdict => {
  if (state.isArchived) return "archived"
  const wording = usable(state, mode)
  if (wording === null) return "not_approved"
  return wording.scopes.includes(scope) ? "usable" : "not_covered"
}
