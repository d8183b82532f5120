import type { ConsentEntry, ConsentHistory, Pause } from "@place-access/domain/connection"
import { type Html, html } from "../../html/Html.js"
import { plural } from "./words.js"

/**
 * The texts about the changes that a person makes to a connection without the app's consent page, about the history of
 * a connection, and about the receipts to download.
 */
export const steering = {
  /** The badges of a connection. `at`: a day such as `tomorrow` or `31 March`. */
  marks: {
    exact: "Exact location",
    exactEnds: (at: Html): Html => html`Exact location ends ${at}`,
    ends: (at: Html): Html => html`Ends ${at}`
  },
  labels: {
    scopes: "What it can do",
    standard_days: "The end",
    sensitive_days: "The end of exact location"
  },
  pause: {
    badge: "Paused",
    lengths: { hour: "1 hour", day: "1 day", until_resumed: "Until I resume" } satisfies Record<
      Pause.PauseLength,
      string
    >,
    heading: "Pause",
    hint: "During a pause the app learns nothing about where you are or were, and no rule notifies it. The app can see that you paused it. After the pause the app can ask about that time too, as far as it can ask about the past.",
    until: (at: Html): Html => html`Paused until ${at}.`,
    untilResumed: "Paused until you resume it.",
    text: (app: string): string =>
      `${app} learns nothing about where you are or were. After the pause it can ask about that time too, as far as it can ask about the past.`,
    resume: "Resume now",
    longer: "Pause longer",
    all: "Pause all apps",
    allHint:
      "No app learns anything about where you are or were. After the pause an app can ask about that time too, as far as it can ask about the past. A longer pause of one app stays.",
    resumeAll: "Resume all"
  },
  endExact: {
    button: "End exact location now",
    isAll: "The app has nothing else, so this disconnects it.",
    isPart: "The rest of the connection goes on. You can give it back afterwards.",
    undo: "Undo: give it back",
    undoUntil: (at: Html): Html => html`Until ${at}, as before.`
  },
  disconnect: "Disconnect…",
  permissions: {
    standard: "About the places you share",
    sensitive: "Your exact location",
    nothing: "Nothing.",
    takenAway: "Removed",
    limitedExact: "A new end of exact location takes away what is marked “Not now” here.",
    notNow: "Not now",
    hint: "You agreed to these when the app asked. For anything else the app must ask you again.",
    connectionEnds: "The connection ends",
    exactEnds: "Exact location ends",
    now: (at: Html): Html => html`Now: ${at}`,
    nowNoEnd: "Now: no end date",
    nowNotShared: "Now: not shared",
    nowEnded: (at: Html): Html => html`Now: not shared. Ended: ${at}`,
    keep: "As it is now",
    fromNow: (days: number | "never"): string =>
      days === "never" ? "No end date" : `${plural(days, "day", "days")} from now`,
    save: "Save changes"
  },
  history: {
    title: (app: string): string => `What you agreed with ${app}`,
    heading: "What you agreed, and when",
    lead: "Every change of this connection, the newest first. A receipt is a text file with everything that was agreed from that moment on.",
    changes: {
      connected: "Connected",
      changed: "Agreed anew",
      renewed: "Exact location renewed",
      permissions_changed: "Permissions changed",
      end_changed: "End moved",
      exact_location_ended: "Exact location ended",
      places_changed: "Places changed",
      paused: "Paused",
      resumed: "Resumed",
      exact_location_removed: "Exact location removed",
      ended: "Ended"
    } satisfies Record<ConsentEntry.ConsentChange, string>,
    by: {
      consent: "the app asked, and you allowed it",
      user: "you changed it yourself",
      app: "the app changed it",
      service: "nobody renewed it within 14 days"
    } satisfies Record<ConsentHistory.ChangedBy, string>,
    byWhom: (who: Html): Html => html`By whom: ${who}`,
    added: "Added",
    removed: "Removed",
    earlierVisits: (place: string): string => `Visits from before it was shared too, for ${place}`,
    noEnd: "No end date",
    connectionEnds: (at: Html): Html => html`The connection ends: ${at}`,
    exactEnds: (at: Html): Html => html`Exact location ends: ${at}`,
    exactEnded: (at: Html): Html => html`Exact location had ended: ${at}`,
    untilResumed: "Until you resume it",
    until: (at: Html): Html => html`Until ${at}`,
    receipt: "Download receipt",
    receiptOf: (change: Html, at: Html): Html => html`: ${change}, ${at}`,
    incomplete: (connectedAt: Html): Html =>
      html`Connected ${connectedAt}. Changes before the oldest one above are not in this list.`
  },
  /** The receipt is a text file, so the times in it are strings and not HTML. */
  receipt: {
    heading: "RECEIPT",
    app: (name: string): string => `App: ${name}`,
    connection: (id: string): string => `Connection: ${id}`,
    when: (at: string, iso: string): string => `When: ${at} (${iso})`,
    what: (change: string): string => `What: ${change}`,
    byWhom: (who: string): string => `By whom: ${who}`,
    could: "What you allowed the app from then on:",
    places: "About these places, by their present names:",
    earlierVisits: "Visits from before they were shared too, for these places:",
    nothing: "nothing",
    hasEnded: "The connection has ended.",
    connectionEnds: (at: string): string => `The connection ends: ${at}`,
    connectionHasNoEnd: "The connection ends: no end date",
    exactEnds: (at: string): string => `Exact location ends: ${at}`,
    exactEnded: (at: string): string => `Exact location had ended: ${at}`,
    exactIsNotShared: "Exact location ends: not shared",
    pausedUntil: (at: string): string => `Paused until: ${at}`,
    pausedUntilResumed: "Paused until: the user resumes"
  }
}
