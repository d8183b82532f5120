/**
 * Apps: what a developer registers so that users can connect to it. An app is in the sandbox, in review, or in
 * production, and an admin can revoke it; `AppLife` has these transitions. A change to an app in production that needs
 * a review is a proposal (`AppProposal`) until a reviewer decides. The pages and the API call the programs of
 * `changeApp` for developers, and those of `changeAppAsStaff` for reviewers and admins. The token routes call
 * `findClient` and `proveClient`.
 *
 * @module
 */

export * as App from "./App.js"
export * as AppLogo from "./AppLogo.js"
export * as AppLife from "./AppLife.js"
export * as AppProposal from "./AppProposal.js"
export { type AdmitsChange, type AppChange, AppStore, type Registered, type TeamMember } from "./AppStore.js"
export { findClient, InvalidClient, proveClient } from "./proveClient.js"
export * as ClientSecret from "./ClientSecret.js"
export {
  type AppChanges,
  changeRedirectUris,
  createApp,
  endPreviousClientSecrets,
  listClientSecrets,
  type NewApp,
  registerRedirectUris,
  replaceClientSecret,
  submitApp,
  updateApp,
  withdrawChange
} from "./changeApp.js"
export { decideApp, mayDecideAbout, narrowApp } from "./changeAppAsStaff.js"
export { findLogo, getApp, getAppToChange, getAppWithRole, listApps, readersOf, roleIn, teamOf } from "./readApps.js"
export * as RedirectUri from "./RedirectUri.js"
export * as AppReview from "./AppReview.js"
