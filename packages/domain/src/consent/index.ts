/**
 * Consent: the pages on which a user connects an app, or renews or changes a connection. An app's authorize request
 * becomes a `ConsentRequest`; the user reviews it (`ConsentReview`) and decides once (`ConsentDecision`). The decision
 * writes the connection, the authorization code, events and e-mail in one commit. The pages of the authorize route call
 * `startConsent`, `reviewConsent` and `decideConsent`.
 *
 * @module
 */

export * as AskingApp from "./AskingApp.js"
export * as AuthorizeRequest from "./AuthorizeRequest.js"
export { type ConsentChoices, sharesWithoutEnd } from "./ConsentChoices.js"
export * as ConsentDecision from "./ConsentDecision.js"
export * as ConsentMode from "./ConsentMode.js"
export * as ConsentPreview from "./ConsentPreview.js"
export * as ConsentRequest from "./ConsentRequest.js"
export * as ConsentReview from "./ConsentReview.js"
export { decideConsent, findAskingApp, reviewConsent, startConsent } from "./askForConsent.js"
export { type Approval, type ApprovalState, ConsentStore, type RequestDecision } from "./ConsentStore.js"
export * as Receipt from "./Receipt.js"
