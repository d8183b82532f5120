import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Account } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { SignUpRequest } from "@place-access/domain/credentials"
import { UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import { RequiredRole } from "../security/RequiredRole.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"
import { QueryAt } from "../wire/Fields.js"

const optional = { exact: true } as const

const EMAIL = "Null when the account lost its address, because another account confirmed it"

const ManagedAccount = Schema.Struct({
  id: Schema.String,
  email: Schema.NullOr(Schema.String).annotations({ description: EMAIL }),
  display_name: Schema.String,
  roles: Schema.Array(Account.Role),
  created_at: Fields.At,
  suspended_at: Schema.NullOr(Fields.At).annotations({ description: "Null when the account is not suspended" })
}).annotations({ identifier: "ManagedAccount" })

const AuditEntry = Schema.Struct({
  id: Schema.String,
  at: Fields.At,
  account_id: Schema.NullOr(Schema.String).annotations({ description: "Null: no account, or none that exists" }),
  actor: Schema.Struct({
    kind: Schema.Literal("owner", "staff", "teammate", "operator", "stranger").annotations({
      description:
        "`owner`: the account itself; `staff`: a reviewer or an admin; `teammate`: another member of the app's team; `operator`: a command on the server; `stranger`: somebody who was not signed in"
    }),
    id: Schema.NullOr(Schema.String)
  }),
  kind: AuditEvent.AuditKind.annotations({ description: "What happened" }),
  detail: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "What belongs to the kind: a role, a network address, the ids of an app and of its endpoint"
  })
}).annotations({ identifier: "AuditEntry" })

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const AccountPath = Schema.Struct({ account_id: Schema.String.pipe(Schema.brand("UserId")) })
const RolePath = Schema.Struct({ ...AccountPath.fields, role: Account.Role })

const Search = Fields.request({
  account: Schema.String.annotations({ description: "The whole e-mail address, or the id" })
})

const AuditQuery = Schema.Struct({
  kind: Schema.optionalWith(AuditEvent.AuditKind, optional).annotations({ description: "Only events of this kind" }),
  account_id: Schema.optionalWith(UserId, optional).annotations({
    description: "Events about the account, or caused by it as staff"
  }),
  from: Schema.optionalWith(QueryAt, optional).annotations({ description: "Inclusive" }),
  to: Schema.optionalWith(QueryAt, optional).annotations({ description: "Exclusive" }),
  ...Fields.paging(100, 500)
}).annotations({ parseOptions: { errors: "all" } })

const account = {
  find: "Find an account by its whole e-mail address or its id",
  about: "A change works at once. The account gets an e-mail, and the audit log an event. Idempotent."
}

export const ManagedAccountsApi = HttpApiGroup.make("managedAccounts")
  .add(
    HttpApiEndpoint.post("find", "/v1/admin/accounts/search")
      .setPayload(Search)
      .addSuccess(ManagedAccount)
      .addError(Errors.NotFound)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, account.find)
      .annotate(
        OpenApi.Description,
        "A POST, so that the address is in no log of a proxy. Shows no place and no phone."
      )
  )
  .add(
    HttpApiEndpoint.put("giveRole", "/v1/admin/accounts/:account_id/roles/:role")
      .setPath(RolePath)
      .addSuccess(ManagedAccount)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.ConfirmationRequired)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "Give a role to an account")
      .annotate(OpenApi.Description, `${account.about} The roles reviewer and admin need a fresh sign-in.`)
  )
  .add(
    HttpApiEndpoint.del("takeRole", "/v1/admin/accounts/:account_id/roles/:role")
      .setPath(RolePath)
      .addSuccess(ManagedAccount)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "Take a role from an account")
      .annotate(OpenApi.Description, `${account.about} 409 for the role of the last admin.`)
  )
  .add(
    HttpApiEndpoint.post("suspend", "/v1/admin/accounts/:account_id/suspend")
      .setPath(AccountPath)
      .addSuccess(ManagedAccount)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "Suspend an account")
      .annotate(
        OpenApi.Description,
        `Nobody can sign in with it, apps get 503 about it, its own apps are paused. ${account.about} 409 for the last admin.`
      )
  )
  .add(
    HttpApiEndpoint.post("resume", "/v1/admin/accounts/:account_id/resume")
      .setPath(AccountPath)
      .addSuccess(ManagedAccount)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "Resume a suspended account")
      .annotate(OpenApi.Description, account.about)
  )
  .add(
    HttpApiEndpoint.get("audit", "/v1/admin/audit-log")
      .setUrlParams(AuditQuery)
      .addSuccess(Schema.Struct({ events: Schema.Array(AuditEntry), nextCursor: Schema.NullOr(Schema.String) }))
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "The audit log, newest first")
      .annotate(OpenApi.Description, "Attempts to sign in are kept for 90 days, other events for 400.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Accounts and the audit log")
  .annotate(OpenApi.Description, "For admins")

export const toBody = (account: Account.Account) => ({
  id: account.id,
  email: SignUpRequest.addressOf(account),
  display_name: account.displayName,
  roles: account.roles,
  created_at: account.createdAt,
  suspended_at: account.suspendedAt
})

export const toEntry = ({ actor, at, detail: { kind, ...detail }, id, userId }: AuditEvent.StoredAuditEvent) => ({
  id,
  at,
  account_id: userId,
  actor: { kind: ACTORS[actor._tag], id: "id" in actor ? actor.id : null },
  kind,
  detail
})

const ACTORS = {
  Owner: "owner",
  Staff: "staff",
  Teammate: "teammate",
  Operator: "operator",
  Stranger: "stranger"
} as const
