import { Account } from "@place-access/domain/accounts"
import { UserId } from "@place-access/domain/shared"
import { Schema } from "effect"

/**
 * How an operator names an account: by its e-mail address or by its id. An account that lost its unconfirmed address
 * (decision accounts-12) has only its id.
 */
export const AccountName = Schema.Union(Schema.typeSchema(Account.Email), Schema.typeSchema(UserId))
export type AccountName = typeof AccountName.Type

const who = { account: AccountName }

/**
 * An operator's command about accounts. When a server runs on the embedded database, the server carries the command
 * out. Otherwise the process that the operator started does so itself.
 */
export const AccountCommand = Schema.Union(
  Schema.TaggedStruct("List", {}),
  Schema.TaggedStruct("Show", who),
  Schema.TaggedStruct("ResetLink", who),
  Schema.TaggedStruct("EndSessions", who),
  Schema.TaggedStruct("RemoveFactor", who),
  Schema.TaggedStruct("Suspend", who),
  Schema.TaggedStruct("Resume", who),
  Schema.TaggedStruct("Role", { ...who, role: Account.Role, isGiven: Schema.Boolean }),
  Schema.TaggedStruct("Confirm", who),
  Schema.TaggedStruct("Address", { ...who, email: Schema.typeSchema(Account.Email) }),
  Schema.TaggedStruct("Create", {
    email: Schema.typeSchema(Account.Email),
    roles: Schema.Array(Account.Role),
    displayName: Schema.optional(Schema.typeSchema(Account.DisplayName)),
    /** The password, not hashed. The command sends it over the Unix socket only, never over a network. */
    password: Schema.typeSchema(Account.Password)
  }),
  /** The operator has confirmed the deletion, or has given `--yes`. */
  Schema.TaggedStruct("Delete", who)
)
export type AccountCommand = typeof AccountCommand.Type

/** What a command prints: sentences for a person, or one line of JSON. */
export const Output = Schema.Struct({
  line: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  sentences: Schema.Array(Schema.String)
})
export type Output = typeof Output.Type

/** The answer of a running server to one command: `{output}`, or `{refused}` with the reason in sentences. */
export const Reply = Schema.parseJson(
  Schema.Union(Schema.Struct({ output: Output }), Schema.Struct({ refused: Schema.String }))
)

/** The commands of an operator that a running server with the embedded database carries out. */
export const OperatorCommand = Schema.Union(
  AccountCommand,
  Schema.TaggedStruct("KeysStatus", {}),
  Schema.TaggedStruct("KeysReencrypt", {}),
  /** `folder` is the absolute path of a folder that does not exist yet. */
  Schema.TaggedStruct("Backup", { folder: Schema.String })
)
export type OperatorCommand = typeof OperatorCommand.Type

export const Request = Schema.parseJson(OperatorCommand)
