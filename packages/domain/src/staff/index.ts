/**
 * The work of reviewers, admins and operators that concerns several rooms: the queue of submissions, past decisions,
 * leaked tokens, all apps, the revocation of an app, and the accounts of people with roles, suspension and the audit
 * log. `ReviewStore` and `StaffStore` are the ports. The pages of reviewers and admins and the API call these programs.
 * Most programs check the role first. `nameAccounts`, `nameAuditedApps` and `nameAuditedPurposes` check no role: they
 * only add names to audit events that the caller has read. The command line calls the programs about accounts; only the
 * command line calls `confirmAccount` and `deleteAccountAsOperator`, which check no role either.
 *
 * @module
 */

export {
  type DevelopedApp,
  type Developer,
  inspectApp,
  listAllApps,
  listDecisions,
  listLeaks,
  listReviews,
  type ReadableLeak,
  type ReviewEntry
} from "./readAsStaff.js"
export {
  type AnyReviewDecision,
  type Leaked,
  ReviewStore,
  ReviewSubject,
  type WaitingSubmission
} from "./ReviewStore.js"
export * as ReviewHint from "./ReviewHint.js"
export * as AccountChange from "./AccountChange.js"
export {
  changeRole,
  confirmAccount,
  deleteAccountAsOperator,
  findAccount,
  listAccounts,
  listAudit,
  type Manager,
  nameAccounts,
  nameAuditedApps,
  nameAuditedPurposes,
  resumeAccount,
  signOutAccount,
  suspendAccount
} from "./manageAccounts.js"
export { readService, type ServiceOverview } from "./readService.js"
export {
  COUNTED_MAX as SERVICE_COUNTED_MAX,
  QUEUES,
  type QueueBacklog,
  type ServiceCounts,
  ServiceStore
} from "./ServiceStore.js"
export { StaffStore } from "./StaffStore.js"
export { revokeApp } from "./revokeApp.js"
