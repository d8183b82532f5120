import type { Delivery } from "@place-access/domain/deliveries"
import type { Event } from "@place-access/domain/events"
import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** The texts about webhook endpoints and deliveries on the pages of developers. */
export const webhooks = {
  labels: { url: "Address", events: "Events", description: "Description" },
  hints: {
    url: "An https address on a public host. We post events here, signed, and follow no redirect.",
    events: "Tick none to get all events, also types that are added later.",
    description: "Only your team sees it. Optional."
  },
  eventWords: {
    "rule.fired": "A user arrived at, left or stayed at a place or zone that one of your rules asks about.",
    "places.changed": "A user shared a place with your app, or stopped sharing one. Read the places again.",
    "sensitive.expiring": "The sensitive scopes of a user end in 14 days, and again in 7. Ask the user to renew.",
    "sensitive.lapsed": "The sensitive scopes of a user have ended. For 14 days one confirmation brings them back.",
    "sensitive.removed": "The 14 days are over: only a full consent brings the sensitive scopes back."
  } satisfies Record<Event.Subscribable, string>,
  sampleOf: (name: string): string => `A sample of ${name}`,
  sampleTypes: (types: string): string => `\`type\` is one of ${types}.`,
  headers: {
    heading: "Own headers",
    name: "Header to add or replace",
    value: "Its value",
    hint: (most: number): string =>
      `Optional, at most ${most}: for a gateway that wants a key, say. We store the value encrypted and never show it again. Our own headers (Host, Content-Type, User-Agent, X-Service-…) cannot be replaced.`,
    moved:
      "When the address moves to another server (another scheme, host or port), set each header again or remove it. So nobody can have a stored value sent to a server for which it was not meant. This form sets one header at a time: remove the others and add them afterwards.",
    remove: (name: Html): Html => html`Remove ${name}`
  },
  titleOf: (app: string): string => `Webhooks of ${app}`,
  empty:
    "No endpoint yet. Events go to subscriptions and to imported rules with their own address, if your app has any.",
  add: "Add an endpoint",
  addEndpoint: "Add endpoint",
  revoked: "The app is revoked: no endpoint can be added or changed, and none gets a new signing secret.",
  noMore: (most: number): string => `An app can have ${most} endpoints. Remove one to add another.`,
  cannotBeAdded: (reason: Html): Html => html`cannot be added: ${reason}`,
  local: {
    heading: "On your own machine",
    text: "While this runs, a program without a public address gets the same events, from a copy of this service's code. It asks for your password."
  },
  endpoint: {
    description: "Description",
    events: "Events",
    allEvents: "All",
    id: "Id",
    failures: "Failures",
    enable: "Enable",
    test: "Send a test",
    testType: "Event of the test",
    testHint: html`Signed like a real event. All but <code>ping</code> have invented ids, and
      <code>"sample": true</code> in the body.`,
    change: "Change",
    changeOf: (url: string): string => `Change ${url}`,
    deliveries: "Deliveries",
    deliveriesOf: (url: string): string => `Deliveries to ${url}`,
    newSecret: "New signing secret",
    earlierSigns: (until: Html): Html =>
      html`An earlier secret signs too, until ${until}. When you end it, deliveries carry the newest signature alone
      within 30 seconds. A receiver that still checks an earlier one refuses them, and they are retried. This cannot be
      undone.`,
    endEarlier: "End the earlier secrets now",
    rotateText: "The old secret stays valid for another 24 hours: each delivery then carries both signatures.",
    rotate: "Issue a new secret",
    replaceText:
      "If somebody else may have the secret, end it at once. Within 30 seconds all deliveries, also those that wait, are signed with the new secret alone: until your receiver has it, it refuses them, and they are retried. This cannot be undone.",
    replace: "Replace the secret now",
    recover: "Send again what failed",
    recoverText:
      "Sends the failed events since a day that were not sent again yet, the oldest first, also those whose last attempt failed later. Choose the day on which your receiver stopped working: an event fails about a day after it happened. Events are left out that your app was not authorised to get. An event whose rule names another address is sent again only once, and fails again as long as the endpoint does not have that address. This never counts for or against the endpoint.",
    recoverSince: "Events since the beginning of",
    recoverButton: "Send again",
    remove: "Remove this endpoint",
    removeText: "Deliveries that wait for this endpoint fail. This cannot be undone.",
    removeButton: "Remove endpoint",
    tested: "The test was delivered.",
    notTested: "The test was not delivered."
  },
  figures: {
    heading: "How deliveries go",
    day: "Last 24 hours",
    week: "Last 7 days",
    waiting: "Waiting",
    orMore: "or more",
    lastSuccess: "Last success",
    byHour: "Attempts by hour, the last 24 hours",
    hour: "Hour",
    attempts: "Attempts",
    failed: "Failed",
    noAttempts: "No attempt",
    summed: (percent: string, attempts: number, millis: number): string =>
      `${percent}% of ${plural(attempts, "attempt", "attempts")} succeeded; 95% took at most ${number(millis)} ms`,
    summedLate: (percent: string, attempts: number, millis: number): string =>
      `${percent}% of ${plural(attempts, "attempt", "attempts")} succeeded; more than 5% took longer than ${number(millis)} ms`,
    failing: (at: Html): Html => html`The last attempt failed ${at}:`,
    succeeded: (at: Html): Html => html`The last success was ${at}.`,
    noSuccess: "No attempt of the last 7 days succeeded.",
    hint: "Retries and replays count, tests do not. The numbers are a second old at least."
  },
  edit: {
    titleOf: (app: string): string => `Endpoint of ${app}`,
    heading: "Change an endpoint",
    controls: "Test, secret, deliveries and removal",
    text: (url: string): Html =>
      html`<code>${url}</code> keeps its id and its signing secret. A rule that names this address does not follow to
        another one.`,
    save: "Save",
    cancel: "Cancel"
  },
  secret: {
    title: "Signing secret",
    shownOnce: html`<strong>This is shown once.</strong> With it your app checks that a delivery came from us.`,
    secret: "Secret",
    endpoint: "Endpoint",
    header: "Header",
    signed: "Signed",
    signedText: html`<code>t + "." + body</code> with HMAC-SHA256, the secret’s text being the key`,
    kept: "I have kept it"
  },
  strikes: {
    disabled: (at: Html): Html => html`Disabled ${at}`,
    failing: "Failing",
    enabled: "Enabled",
    none: "None in a row",
    inARow: (strikes: number, most: number): string => `${strikes} of ${most} failed in a row`,
    /** The warning about an endpoint whose deliveries fail. `log`: the address of the list of failed deliveries. */
    failingText: (strikes: number, most: number, log: string): Html =>
      html`<strong>Events do not arrive here.</strong>
        ${strikes} in a row failed at every attempt; at ${most} the endpoint is disabled. See
        <a href="${log}">what failed</a>, and send a test to see what it answers now.`,
    disabledText: (strikes: number, log: string): Html =>
      html`<strong>Disabled, because ${strikes} events in a row failed at every attempt.</strong> Nothing is sent here,
        and what waited has failed. See <a href="${log}">what failed</a>; send a test, and when it arrives, enable the
        endpoint. Then you can send again what failed.`
  },
  deliveries: {
    titleOf: (app: string): string => `Delivery log of ${app}`,
    endpoint: "Endpoint",
    outcome: "Outcome",
    event: "Event",
    eventId: "Event id",
    from: "From",
    to: "To",
    allEndpoints: "All endpoints",
    allOutcomes: "All outcomes",
    reason: "Reason of the failure",
    allReasons: "All reasons",
    status: "HTTP status or none",
    notStatus: "must be a number such as 404, or none",
    allEvents: "All events",
    show: "Show",
    nothingHere: "Nothing was sent here.",
    nothingYet: "Nothing was sent to an endpoint yet. The log leaves out subscriptions and imported rules.",
    created: "Created",
    response: "Response",
    sentAt: (at: Html): Html => html`sent ${at}`,
    newest: "Newest",
    older: "Older",
    recovered: (count: number): string =>
      count === 0
        ? "Nothing more was queued: of the events since that day, no failed one is left that can be sent again."
        : `${plural(count, "delivery", "deliveries")} queued, the oldest first.`,
    mayBeMore: "There may be more: use “Send again what failed” once more.",
    notOfList: "must be one of the list",
    notEventId: "must be the id of an event",
    removedEndpoint: (id: string): string => `${id} (removed)`
  },
  delivery: {
    titleOf: (event: string): string => `Delivery of ${event}`,
    refused: (reason: Html): Html => html`${reason}.`,
    event: "Event",
    happened: "Happened",
    endpoint: "Endpoint",
    delivery: "Delivery",
    attempts: "Attempts",
    noAttempts: "None yet.",
    noAttempt: "None.",
    tooOld: "The event is older than its rule allows, so it cannot be sent again.",
    revoked: "The app is revoked, so the event cannot be sent again.",
    removed: "The endpoint was removed, so the event cannot be sent again.",
    disabled: (page: string): Html =>
      html`The endpoint is disabled. <a href="${page}">Enable it</a>, then send the event again.`,
    retry: "Retry now",
    retryText: "Starts the next attempt now. It uses no extra attempt and never counts for or against the endpoint.",
    redeliver: "Redeliver",
    redeliverText: "Sends the same event to the same endpoint again. It never counts for or against the endpoint.",
    attempt: "No.",
    sent: "Sent",
    took: "Took",
    response: "Response",
    start: "Start of the response",
    startShort: "Starts",
    millis: (count: number): string => `${number(count)} ms`,
    exchangeOf: (attempt: number, at: Html): Html => html`Request and answer of attempt ${attempt}, ${at}`,
    request: "Request",
    responseHeaders: "Headers of the answer",
    noHeaders: "No answer.",
    curl: "The same request as a command",
    curlText:
      "With the signature of that attempt, which receivers accept only for a short time, by default for 60 seconds. It has no secret: put your own headers’ values in place of YOUR_VALUE.",
    payload: "What was sent",
    payloadHidden: "Viewers do not see what was sent. Owners and developers of this app do."
  },
  states: {
    trying: "Trying",
    delivered: "Delivered",
    failed: "Failed",
    too_old: "Too old to send"
  } satisfies Record<Delivery.DeliveryState, string>,
  reasons: {
    exhausted: "all attempts were used",
    endpoint_disabled: "the endpoint was disabled",
    endpoint_removed: "the endpoint was removed",
    not_authorised: "your app is no longer authorised",
    not_sent: "a fault of this service prevented sending",
    abandoned: "our workers failed to finish it repeatedly",
    address_changed: "the endpoint no longer has the address that the rule names"
  } satisfies Record<Delivery.FailReason, string>,
  attemptOf: (attempt: number, most: number): string => `attempt ${attempt} of ${most}`,
  attemptDue: (attempt: number, most: number, due: Html): Html => html`attempt ${attempt} of ${most}, due ${due}`,
  endsTooOld: (at: Html): Html => html`ends ${at}, too old then`,
  test: "Test",
  replay: (count: number): string => `Replay ${count}`,
  replayed: "Replayed"
}
