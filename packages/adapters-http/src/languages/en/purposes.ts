import type { Purpose } from "@place-access/domain/purposes"
import { type Html, html } from "../../html/Html.js"
import { plural } from "./words.js"

/** Purposes on the pages of developers. */
export const purposes = {
  labels: { key: "Key", description: "Description", scopes: "Scopes", volume: "Expected daily volume" },
  hints: {
    key: "What your code sends: 3 to 40 characters of a-z, 0-9 and _. It stays taken for good.",
    description: "10 to 200 characters, shown to users as you write it.",
    volume: "The most calls that one user should need in a day, 1 to 10,000."
  },
  badges: {
    archived: "Archived",
    draft: "Draft",
    in_review: "In review",
    approved: "Approved",
    rejected: "Rejected"
  } satisfies Record<Purpose.Purpose["status"], string>,
  earlierInForce: "Earlier wording in force",
  heading: "Purposes",
  lead: "Each call for an exact location names the purpose it is for. Users read its description when they decide. In production only approved purposes work.",
  needsNone: "Your app declares no sensitive scope, so it needs no purpose.",
  add: "Add a purpose",
  addPurpose: "Add purpose",
  scopesAndVolume: (scopes: ReadonlyArray<string>, calls: number): string =>
    `${scopes.join(", ")}; up to ${plural(calls, "call", "calls")} a day and user`,
  change: "Change",
  changeOf: (key: string): string => `Change ${key}`,
  look: "Look at",
  lookAt: (key: string): string => `Look at ${key}`,
  submit: "Submit for review",
  submitOf: (key: string): string => `Submit for review: ${key}`,
  title: (app: string, key: string): string => `${app}: purpose ${key}`,
  headingOf: (key: string): Html => html`Purpose <code>${key}</code>`,
  waitsSince: (at: Html): Html => html`It waits since ${at}.`,
  state: {
    archived: (at: Html): Html => html`Archived ${at}: we refuse calls that name it, and its key stays taken.`,
    revoked: "The app is revoked, so the purpose cannot be used or changed.",
    approved: "Approved: users read it in exactly these words.",
    staysInForce: "The approved wording stays in force until a new one is approved.",
    notBefore: "Your app cannot use it before it is approved.",
    meanwhile: "Your app can use it while the app is not in production.",
    next: {
      draft: "A draft, which nobody reviews until you submit it.",
      in_review: "A reviewer reads it. You get an e-mail with the decision.",
      rejected: "Not approved. Change it, or submit it again as it is."
    } satisfies Record<Exclude<Purpose.LiveStatus, "approved">, string>
  },
  edit: {
    heading: "Change it",
    keyStays: "The key stays.",
    save: "Save",
    after: {
      draft: "It stays a draft until you submit it.",
      in_review: "The reviewer then reads the new wording. The purpose keeps its place in the queue.",
      approved: "The new wording goes into review at once. Until it is approved, the present wording stays in force.",
      rejected: "The purpose is then a draft again, which you can submit."
    } satisfies Record<Purpose.LiveStatus, string>
  },
  archive: {
    heading: "Archive the purpose",
    forGood: (key: string): Html => html`Archive <code>${key}</code> for good`,
    text: "This cannot be taken back. From then on we refuse calls that name it, and the key stays taken. Scopes that no other purpose covers cannot be asked for any more.",
    archive: "Archive purpose"
  },
  cannotBeUsed: (reason: Html): Html => html`cannot be used: ${reason}`
}
