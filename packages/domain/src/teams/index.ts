/**
 * The team of an app: the holder, in whose name the app is registered, and members with roles. `Role` says what a role
 * allows, `TeamLife` has the transitions, and `TeamNotice` the mails. Most programs of other rooms check the role with
 * `getApp` of the room `apps`. The programs in this room only read and change the team.
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
