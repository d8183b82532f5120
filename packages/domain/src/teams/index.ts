/**
 * The team of an app: its holder, in whose name it is registered, and members with roles. `Role` says what a role
 * allows, `TeamLife` has the transitions, and `TeamNotice` the mails. Every program about an app asks `apps/getApp` for
 * the role; the programs in this room only change or read the team itself.
 *
 * @module
 */

export {
  acceptInvitation,
  changeMemberRole,
  declineInvitation,
  getInvitation,
  handOver,
  type Invited,
  inviteMember,
  leaveTeam,
  listInvitations,
  type ListedMember,
  type ListedTeam,
  type NamedInvitation,
  readTeam,
  removeMember,
  withdrawInvitation
} from "./manageTeam.js"
export * as Role from "./Role.js"
export * as Team from "./Team.js"
export * as TeamLife from "./TeamLife.js"
export * as TeamNotice from "./TeamNotice.js"
export { type ReceivedInvitation, TeamStore } from "./TeamStore.js"
