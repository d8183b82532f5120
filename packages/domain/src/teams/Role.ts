// The roles of an app's team, and what each role allows. Decision teams-1.
import { Either, Schema } from "effect"
import { Forbidden, NotFound } from "../shared/Errors.js"

/**
 * The role of a member in the team of an app. The holder, in whose name the app is registered, always has the role
 * `owner`.
 */
export const TeamRole = Schema.Literal("owner", "developer", "viewer")
export type TeamRole = typeof TeamRole.Type

/** A kind of action that an account can do with an app. Each role allows some of these kinds. */
export type Action =
  /**
   * Read the app: figures, request log, deliveries, endpoints, purposes and team, but no data of users and no secrets.
   */
  | "read"
  /**
   * Change texts, logo, scopes, purposes and endpoints with their signing secrets, submit the app for review, see the
   * list of its users and their rules, send deliveries again, and test the app.
   */
  | "develop"
  /** Change redirect URIs and client secrets. Somebody who can change both can take over every connection. */
  | "secrets"
  /** Invite and remove members, and change their roles. */
  | "team"

const ALLOWED: Readonly<Record<TeamRole, ReadonlySet<Action>>> = {
  owner: new Set(["read", "develop", "secrets", "team"]),
  developer: new Set(["read", "develop"]),
  viewer: new Set(["read"])
}

/** Whether a member with this role may do this kind of action. */
export const can = (role: TeamRole, action: Action): boolean => ALLOWED[role].has(action)

/** Why an action is refused, in words for the member. */
const REFUSAL: Readonly<Record<Action, string>> = {
  read: "you are not in the team of this app",
  develop: "your role in the team of this app only lets you read",
  secrets: "only owners of this app may do this: ask one of them",
  team: "only owners of this app may do this: ask one of them"
}

/**
 * The role, if it allows the action. Fails with `NotFound` for an account outside the team (no role), which must not
 * find out that the app exists. Fails with `Forbidden` for a member whose role does not allow the action.
 */
export const admit = (role: TeamRole | undefined, action: Action): Either.Either<TeamRole, NotFound | Forbidden> => {
  if (role === undefined) return Either.left(new NotFound({ what: "app" }))
  return can(role, action) ? Either.right(role) : Either.left(new Forbidden({ reason: REFUSAL[action] }))
}
