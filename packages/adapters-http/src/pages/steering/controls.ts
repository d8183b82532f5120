import { type ConnectionView, Pause } from "@place-access/domain/connection"
import { Scope, Timestamp } from "@place-access/domain/shared"
import type { Steering } from "@place-access/domain/steering"
import { Tier } from "@place-access/domain/tiers"
import * as Fields from "../kit/Fields.js"
import * as ScopeGroup from "../consent/ScopeGroup.js"
import { type Html, html, nothing, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ofDomain, time } from "../kit/Time.js"

// This module has the forms with which a person changes connections without the app's consent page. The changes take
// effect immediately. The forms are parts of the connection's page and of the list of apps.

const words = texts.steering

type Listed = ConnectionView.UserConnection

export const LABELS = words.labels

/** The address to which a form of this module posts. */
const path = (portal: string, { id }: Listed, deed: string): string => `${portal}/connections/${id}/${deed}`

const LENGTHS = Pause.PauseLength.literals

/**
 * The lengths that the page offers during a pause that has an end. Such a pause lasts at most a day, so a day from now,
 * or no end, makes the pause longer. An hour from now might make it shorter.
 */
const LONGER = LENGTHS.filter((length) => length !== "hour")

const pauseButtons = (legend: Html, hint: Value, lengths: typeof LENGTHS | typeof LONGER = LENGTHS): Html =>
  html`<fieldset>
    <legend>${legend}</legend>
    <div class="row">
      ${lengths.map((value) => html`<button class="second" name="for" value="${value}">${words.pause.lengths[value]}</button>`)}
    </div>
    ${hint !== null && html`<p class="hint">${hint}</p>`}
  </fieldset>`

export const pausedBadge = ({ pause }: Listed): Value =>
  pause !== null && html`<span class="badge warn">${words.pause.badge}</span> `

/** The end of a pause in words, such as `Paused until today 12:30.` Callers must pass a connection that is paused. */
export const pausedUntil = ({ pause }: Listed): Html =>
  pause?.until == null ? words.pause.untilResumed : words.pause.until(time(pause.until))

/**
 * The buttons at the top of the page of a live connection: pause (during a pause: resume, and pause longer), end exact
 * location, disconnect.
 */
export const now = (portal: string, connection: Listed, token: string, disconnect: Html): Html => {
  const { app, heldScopes, pause } = connection
  const isExact = heldScopes.some(Scope.isSensitive)
  return html`<div class="steer">
    ${
      pause === null
        ? html`<form method="post" action="${path(portal, connection, "pause")}">
            ${Fields.hidden("form_token", token)}${pauseButtons(words.pause.heading, words.pause.hint)}
          </form>`
        : html`<form method="post" action="${path(portal, connection, "resume")}" class="note warn">
            <p><strong>${pausedUntil(connection)}</strong> ${words.pause.text(app.name)}</p>
            ${Fields.hidden("form_token", token)}<button>${words.pause.resume}</button>
          </form>`
    }
    ${
      pause?.until != null &&
      html`<form method="post" action="${path(portal, connection, "pause")}">
        ${Fields.hidden("form_token", token)}${pauseButtons(words.pause.longer, null, LONGER)}
      </form>`
    }
    ${
      isExact &&
      html`<form method="post" action="${path(portal, connection, "exact-location/end")}">
        ${Fields.hidden("form_token", token)}<button class="danger">${words.endExact.button}</button>
        <p class="hint">${heldScopes.every(Scope.isSensitive) ? words.endExact.isAll : words.endExact.isPart}</p>
      </form>`
    }
    <details>
      <summary>${words.disconnect}</summary>
      ${disconnect}
    </details>
  </div>`
}

/** The names of the notices beside which the page shows the button that undoes the end of exact location. */
const BEFORE_UNDO = ["exact-location-ended", "exact-location-not-restored"] as const
type BeforeUndo = (typeof BEFORE_UNDO)[number]

export const isBeforeUndo = (done: string): done is BeforeUndo => BEFORE_UNDO.some((one) => one === done)

/** A notice with the button that undoes the end of exact location (decision connection-9). */
export const undoEndOfExact = (
  portal: string,
  connection: Listed,
  {
    done,
    lost,
    token
  }: { readonly done: BeforeUndo; readonly lost: Steering.LostExactLocation; readonly token: string }
): Html =>
  html`<div class="note" role="status">
    <p>${texts.notices[done]}</p>
    <form method="post" action="${path(portal, connection, "exact-location/restore")}" class="actions">
      ${Fields.hidden("form_token", token)}<button class="second">${words.endExact.undo}</button>
      <span class="soft small"
        >${words.endExact.undoUntil(time(Timestamp.earlier(lost.until, connection.grantExpiresAt)))}</span
      >
    </form>
  </div>`

const box = (connection: Listed, scope: Scope.Scope, chosen: ReadonlyArray<string> | undefined): Html => {
  const isHeld = [...connection.heldScopes, ...connection.limitedScopes].includes(scope)
  const id = `scope-${scope}`
  return html`<div class="choice">
    ${Fields.tick({ name: "scopes", value: scope, id, isTicked: chosen === undefined ? isHeld : chosen.includes(scope) })}
    <div>
      <label for="${id}">${ofDomain(Scope.describe[scope])}</label>
      ${!isHeld && html`<span class="badge quiet">${words.permissions.takenAway}</span>`}
      ${isHeld && !connection.scopes.includes(scope) && html`<span class="badge quiet">${words.permissions.notNow}</span>`}
    </div>
  </div>`
}

const KEEP = { value: "", text: words.permissions.keep }
const inDays = (days: number | "never") => ({
  value: String(days),
  text: words.permissions.fromNow(days)
})

/**
 * The form in which a person removes permissions, restores permissions that they once agreed to, and changes the end
 * dates. The field `was_limited` has the granted permissions that the app could not use when the page showed the form,
 * because an admin limited the app or the app no longer declared them (`EffectiveScopes.limited`).
 */
export const permissions = (
  portal: string,
  connection: Listed,
  token: string,
  rejected: { readonly form: Fields.Shown; readonly scopes: ReadonlyArray<string> } | undefined
): Html => {
  const { agreedScopes, grantExpiresAt, heldScopes, limitedScopes, sensitiveExpiresAt, sensitiveLapsedAt } = connection
  const was = { was_scopes: heldScopes.join(" "), was_limited: limitedScopes.join(" ") }
  const form = rejected?.form ?? Fields.fresh(was)
  const shown = Scope.normalise([...agreedScopes, ...limitedScopes])
  const ofGroup = (group: ScopeGroup.ScopeGroup) => shown.filter((scope) => ScopeGroup.of(scope) === group)
  const [places, areas, sensitive] = [ofGroup("places"), ofGroup("areas"), ofGroup("sensitive")]
  const boxes = (scopes: ReadonlyArray<Scope.Scope>) =>
    html`<div class="choices">${scopes.map((scope) => box(connection, scope, rejected?.scopes))}</div>`
  return html`<form method="post" action="${path(portal, connection, "permissions")}">
    ${Fields.hidden("form_token", token)}${Fields.hidden("was_scopes", form.values("was_scopes"))}
    ${Fields.hidden("was_limited", form.values("was_limited"))}
    <fieldset id="scopes" ${Fields.describedByFaults(form, "scopes")}>
      <legend>${words.permissions.standard}</legend>
      ${Fields.groupFault(form, "scopes", LABELS.scopes)}
      ${places.length === 0 ? html`<p class="soft">${words.permissions.nothing}</p>` : boxes(places)}
    </fieldset>
    ${
      areas.length > 0 &&
      html`<fieldset ${Fields.describedByFaults(form, "scopes")}>
        <legend>${texts.consent.scopes.areas}</legend>
        <p class="hint">${texts.consent.scopes.areasHint}</p>
        ${boxes(areas)}
      </fieldset>`
    }
    ${
      sensitive.length > 0 &&
      html`<fieldset class="sensitive" ${Fields.describedByFaults(form, "scopes")}>
        <legend>${words.permissions.sensitive}</legend>
        ${boxes(sensitive)}
        ${limitedScopes.some(Scope.isSensitive) && html`<p class="hint">${words.permissions.limitedExact}</p>`}
      </fieldset>`
    }
    <p class="hint">${words.permissions.hint}</p>
    <div class="pair">
      ${Fields.select(
        form,
        {
          name: "standard_days",
          label: words.permissions.connectionEnds,
          hint: grantExpiresAt === null ? words.permissions.nowNoEnd : words.permissions.now(time(grantExpiresAt))
        },
        [KEEP, ...Tier.StandardDays.literals.map(inDays)]
      )}
      ${
        agreedScopes.some(Scope.isSensitive) &&
        Fields.select(
          form,
          {
            name: "sensitive_days",
            label: words.permissions.exactEnds,
            hint:
              sensitiveExpiresAt === null
                ? words.permissions.nowNotShared
                : (sensitiveLapsedAt === null ? words.permissions.now : words.permissions.nowEnded)(
                    time(sensitiveExpiresAt)
                  )
          },
          [KEEP, ...Tier.SensitiveDays.literals.map(inDays)]
        )
      }
    </div>
    <button class="second">${words.permissions.save}</button>
  </form>`
}

/** The buttons “Pause all” and “Resume all” above the list of connected apps. */
export const all = (portal: string, live: ReadonlyArray<Listed>, token: string): Html => {
  const paused = live.filter(({ pause }) => pause !== null).length
  if (live.length === 0) return nothing
  return html`<div class="steer all">
    ${
      paused < live.length &&
      html`<form method="post" action="${portal}/connections/pause">
        ${Fields.hidden("form_token", token)}${pauseButtons(words.pause.all, words.pause.allHint)}
      </form>`
    }
    ${
      paused > 0 &&
      html`<form method="post" action="${portal}/connections/resume">
        ${Fields.hidden("form_token", token)}<button>${words.pause.resumeAll}</button>
      </form>`
    }
  </div>`
}
