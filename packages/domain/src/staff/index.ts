/**
 * The work of reviewers and admins across nouns: the queue of submissions, past decisions, leaked tokens, all apps, and
 * the revocation of an app. `ReviewStore` is the port of these lists. The pages of reviewers and admins call these
 * programs, which check the role first.
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
  type Review
} from "./readAsStaff.js"
export {
  type AnyReviewDecision,
  type Leaked,
  ReviewStore,
  ReviewSubject,
  type WaitingSubmission
} from "./ReviewStore.js"
export { revokeApp } from "./revokeApp.js"
