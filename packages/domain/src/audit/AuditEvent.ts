// The events of the audit log. Decisions audit-1, audit-2 and audit-3.
import { Schema } from "effect"
import { AppId, EndpointId, PurposeId, UserId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp, toIso } from "../shared/Timestamp.js"

/** The browser and network of a request. The log shows both to admins; no check uses them. */
const origin = {
  /** The browser and the operating system, such as "Firefox on Linux"; null when the service recognised neither. */
  browser: Schema.NullOr(Schema.String),
  /**
   * The network address of the request; of an IPv6 address only the first half (`network` of `limits/Network.ts`). Null
   * when the address is not known.
   */
  network: Schema.NullOr(Schema.String)
}

// The rooms accounts and teams declare these roles too. They import this room to record events, so importing the roles
// from them would be a cycle.
const Role = Schema.Literal("developer", "reviewer", "admin")
const TeamRole = Schema.Literal("owner", "developer", "viewer")
const Factor = Schema.Literal("passkey", "totp", "recovery_codes")

/**
 * What happened, by kind. No field contains text that a person typed, so an event cannot contain a password, a token, a
 * place or a note. An event names an account by its id and never by its e-mail address.
 */
export const AuditDetail = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("account_made"), roles: Schema.Array(Role) }),
  Schema.Struct({ kind: Schema.Literal("account_deleted") }),
  Schema.Struct({ kind: Schema.Literal("account_suspended", "account_resumed") }),
  Schema.Struct({ kind: Schema.Literal("sign_in"), ...origin }),
  Schema.Struct({ kind: Schema.Literal("sign_in_failed"), network: origin.network }),
  /**
   * Too many attempts failed. `scope`: whether further attempts at the account, or from the network address, are
   * refused.
   */
  Schema.Struct({
    kind: Schema.Literal("locked_out"),
    scope: Schema.Literal("account", "address"),
    network: origin.network
  }),
  Schema.Struct({ kind: Schema.Literal("unlocked") }),
  Schema.Struct({ kind: Schema.Literal("sessions_ended"), count: Schema.NonNegativeInt }),
  Schema.Struct({ kind: Schema.Literal("password_changed"), how: Schema.Literal("password", "link") }),
  /** An operator made a link with which the owner of the account can set a new password. */
  Schema.Struct({ kind: Schema.Literal("reset_link_made") }),
  Schema.Struct({ kind: Schema.Literal("address_confirmed", "address_changed", "address_restored") }),
  /**
   * Somebody changed the account's name. The event has neither the old nor the new name, because people could type
   * anything.
   */
  Schema.Struct({ kind: Schema.Literal("name_changed") }),
  Schema.Struct({ kind: Schema.Literal("factor_added", "factor_removed"), factor: Factor }),
  /** An operator requested the removal of the second factors that an owner lost. The removal itself happens later. */
  Schema.Struct({ kind: Schema.Literal("factor_removal_asked") }),
  /** The owner stopped the removal of their factors that an operator had requested. */
  Schema.Struct({ kind: Schema.Literal("factor_removal_stopped") }),
  Schema.Struct({ kind: Schema.Literal("recovery_code_used") }),
  /** A passkey was refused, because its count of signatures did not grow. Somebody may have copied the passkey. */
  Schema.Struct({ kind: Schema.Literal("passkey_copied") }),
  Schema.Struct({ kind: Schema.Literal("role_given", "role_taken"), role: Role }),
  Schema.Struct({ kind: Schema.Literal("export_made", "export_fetched") }),
  Schema.Struct({
    kind: Schema.Literal("secret_rotated", "secret_ended"),
    secret: Schema.Literal("client", "signing"),
    appId: AppId,
    endpointId: Schema.NullOr(EndpointId)
  }),
  /** A member of the app's team added an endpoint or changed an endpoint's address, so events go to a new address. */
  Schema.Struct({ kind: Schema.Literal("endpoint_added", "endpoint_moved"), appId: AppId, endpointId: EndpointId }),
  Schema.Struct({
    kind: Schema.Literal("review_decided"),
    decision: Schema.Literal("approved", "rejected", "narrowed", "revoked"),
    appId: AppId,
    /** The purpose that was decided about; null when the decision is about the app. */
    purposeId: Schema.NullOr(PurposeId)
  }),
  /**
   * A change of a team. `role` is the member's role, or the role that an invitation offers. The event is about the
   * member, or about the person who made, withdrew or answered the invitation.
   */
  Schema.Struct({
    kind: Schema.Literal(
      "team_invited",
      "team_invitation_withdrawn",
      "team_invitation_declined",
      "team_joined",
      "team_role_changed",
      "team_left",
      "team_handed_over"
    ),
    appId: AppId,
    role: TeamRole
  })
)
export type AuditDetail = typeof AuditDetail.Type
export type AuditKind = AuditDetail["kind"]

/** The kinds of events about the teams of apps. */
export type TeamKind = Extract<AuditDetail, { readonly kind: `team_${string}` }>["kind"]

/** Every kind, in the order in which the page of the audit log offers the kinds as filters. */
export const KINDS: ReadonlyArray<AuditKind> = AuditDetail.members.flatMap(
  (member): ReadonlyArray<AuditKind> => member.fields.kind.literals
)

/** A kind of event. The filters of the audit log's page and of the API use these names. */
export const AuditKind = Schema.Literal(...KINDS)

/** Who caused the event. */
export const AuditActor = Schema.Union(
  /** The owner of the account that the event is about. */
  Schema.Struct({ _tag: Schema.Literal("Owner") }),
  /** A reviewer or an admin, on a page or with the API. */
  Schema.Struct({ _tag: Schema.Literal("Staff"), id: UserId }),
  /** Another member of the team of an app. */
  Schema.Struct({ _tag: Schema.Literal("Teammate"), id: UserId }),
  /** Somebody who ran a command on the server. */
  Schema.Struct({ _tag: Schema.Literal("Operator") }),
  /** Somebody who did not prove who they are. */
  Schema.Struct({ _tag: Schema.Literal("Stranger") })
)
export type AuditActor = typeof AuditActor.Type

export const OWNER: AuditActor = { _tag: "Owner" }
export const OPERATOR: AuditActor = { _tag: "Operator" }
export const STRANGER: AuditActor = { _tag: "Stranger" }

/** The actor of an event that the account `by` caused: `Owner` when the event is about this account, else `Staff`. */
export const actorOf = (by: UserId, about: UserId | null): AuditActor =>
  by === about ? OWNER : { _tag: "Staff", id: by }

/** An audit event. After it is stored, only the actor's id may change, when the actor's account is deleted. */
export interface AuditEvent {
  readonly at: Timestamp
  /**
   * The account that the event is about. Null when there is no account, for example when somebody tried to sign in with
   * an unknown e-mail address.
   */
  readonly userId: UserId | null
  readonly actor: AuditActor
  readonly detail: AuditDetail
}

/** An event that the owner of the account caused. */
export const byOwner = (userId: UserId, at: Timestamp, detail: AuditDetail) => ({ at, userId, actor: OWNER, detail })

/** An event that an operator caused; the event is about the account. */
export const byOperator = (...event: Parameters<typeof byOwner>) => ({ ...byOwner(...event), actor: OPERATOR })

/** An event of the log. The id orders events of the same millisecond, and has no other meaning. */
export interface StoredAuditEvent extends AuditEvent {
  readonly id: string
}

/**
 * How long sign-ins, failed sign-ins and lock-outs are kept. The time is short because there are many of these events,
 * and each has a network address.
 */
const ATTEMPTS = 90 * DAY
/** How long all other events are kept: as long as entries of the access log. */
const OTHERS = 400 * DAY

/** From this moment on, a sweep may delete the event. */
export const keptUntil = ({ at, detail: { kind } }: AuditEvent): Timestamp =>
  plus(at, kind === "sign_in" || kind === "sign_in_failed" || kind === "locked_out" ? ATTEMPTS : OTHERS)

/** The event as annotations of a line in the service's log. The annotations contain no secret. */
export const logLine = ({ actor, at, detail, userId }: AuditEvent): Readonly<Record<string, unknown>> => {
  const { kind, ...rest } = detail
  return {
    audit: kind,
    account: userId,
    actor: actor._tag.toLowerCase(),
    ...("id" in actor ? { actor_id: actor.id } : {}),
    at: toIso(at),
    ...rest
  }
}
