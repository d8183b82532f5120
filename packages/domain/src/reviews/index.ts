/**
 * Reviews: what the decisions of reviewers about apps and about purposes have in common. `Submission` is what a
 * developer sent in, `Verdict` is approval or rejection with a reason, and `ReviewDecision` is the record that is kept
 * for good. `apps` and `purposes` use these types in their own transitions; the programs of reviewers are in `staff`.
 *
 * @module
 */

export { decideWithoutOwn } from "./decideWithoutOwn.js"
export * as ReviewDecision from "./ReviewDecision.js"
export * as Staff from "./Staff.js"
export * as Submission from "./Submission.js"
export * as Verdict from "./Verdict.js"
