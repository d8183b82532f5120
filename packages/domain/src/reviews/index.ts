/**
 * Reviews: the types that decisions about apps and decisions about purposes share. `Submission` says when a developer
 * sent an app or a purpose in for review, and which revision. `Verdict` is an approval, or a rejection with a note.
 * `ReviewDecision` is the record that is kept with the app. The rooms `apps` and `purposes` use these types in their
 * transitions; the lists for reviewers are in the room `staff`.
 *
 * @module
 */

export { decideWithoutOwn, mayDecide } from "./decideWithoutOwn.js"
export * as ReviewDecision from "./ReviewDecision.js"
export * as Staff from "./Staff.js"
export * as Submission from "./Submission.js"
export * as Verdict from "./Verdict.js"
