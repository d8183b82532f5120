// What the members of an app's team may do. Decision teams-1.
import { Schema } from "effect"

/** Every member has one role. The holder of the app, in whose name it is registered, is an owner. */
export const TeamRole = Schema.Literal("owner", "developer", "viewer")
export type TeamRole = typeof TeamRole.Type

/** What somebody wants to do with an app. */
export type Action =
  /** Read the app: figures, request log, deliveries, endpoints, purposes and team. No user and no secret. */
  | "read"
  /** Everything technical: texts, scopes, review, purposes, endpoints with their signing secrets, users, tests. */
  | "develop"
  /** Redirect URIs and client secrets: somebody with both can take over every connection. */
  | "secrets"
  /** Invite, remove, and change roles. */
  | "team"

const ALLOWED: Readonly<Record<TeamRole, ReadonlySet<Action>>> = {
  owner: new Set(["read", "develop", "secrets", "team"]),
  developer: new Set(["read", "develop"]),
  viewer: new Set(["read"])
}

/** Whether a member with this role may do this. */
export const can = (role: TeamRole, action: Action): boolean => ALLOWED[role].has(action)

/** Why an action is refused, in words for the member. */
export const REFUSAL: Readonly<Record<Action, string>> = {
  read: "you are not in the team of this app",
  develop: "your role in the team of this app only lets you read",
  secrets: "only owners of this app may do this: ask one of them",
  team: "only owners of this app may do this: ask one of them"
}
