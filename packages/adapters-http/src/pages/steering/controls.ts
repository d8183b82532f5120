import type { ConnectionView } from "@place-access/domain/connection"
import { Scope } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import * as Fields from "../kit/Fields.js"
import { flag, type Html, html, nothing, type Value } from "../kit/Html.js"
import { time } from "../kit/Time.js"

// What a person can change in a connection at once: parts of the connection's page and of the list.

type Listed = ConnectionView.UserConnection

export const LABELS = {
  scopes: "What it can do",
  standard_days: "The end",
  sensitive_days: "The end of exact location"
}

/** What a form of this page posts to. */
const path = (portal: string, { id }: Listed, deed: string): string => `${portal}/connections/${id}/${deed}`

const LENGTHS = [
  ["hour", "1 hour"],
  ["day", "1 day"],
  ["until_resumed", "Until I resume"]
] as const

const pauseButtons = (legend: string, hint: string): Html =>
  html`<fieldset>
    <legend>${legend}</legend>
    <div class="row">
      ${LENGTHS.map(([value, text]) => html`<button class="second" name="for" value="${value}">${text}</button>`)}
    </div>
    <p class="hint">${hint}</p>
  </fieldset>`

export const pausedBadge = ({ pause }: Listed): Value => pause !== null && html`<span class="badge warn">Paused</span> `

const pausedUntil = ({ pause }: Listed): Html =>
  pause?.until == null ? html`until you resume it` : html`until ${time(pause.until)}`

/** The buttons at the top of a live connection: pause or resume, end exact location, disconnect. */
export const now = (portal: string, connection: Listed, token: string, disconnect: Html): Html => {
  const { app, heldScopes, pause } = connection
  const isExact = heldScopes.some(Scope.isSensitive)
  return html`<div class="steer">
    ${
      pause === null
        ? html`<form method="post" action="${path(portal, connection, "pause")}">
            ${Fields.hidden("form_token", token)}${pauseButtons(
              "Pause",
              "During a pause the app learns nothing about where you are or were, and no rule notifies it."
            )}
          </form>`
        : html`<form method="post" action="${path(portal, connection, "resume")}" class="note warn">
            <p>
              <strong>Paused ${pausedUntil(connection)}.</strong> ${app.name} learns nothing about where you are or
              were. After the pause it can ask about that time too, as far as it can ask about the past.
            </p>
            ${Fields.hidden("form_token", token)}<button>Resume now</button>
          </form>`
    }
    ${
      isExact &&
      html`<form method="post" action="${path(portal, connection, "exact-location/end")}">
        ${Fields.hidden("form_token", token)}<button class="danger">End exact location now</button>
        <p class="hint">
          ${
            heldScopes.every(Scope.isSensitive)
              ? html`The app has nothing else, so this disconnects it.`
              : html`The rest of the connection goes on. You can give it back below.`
          }
        </p>
      </form>`
    }
    <details>
      <summary>Disconnect…</summary>
      ${disconnect}
    </details>
  </div>`
}

const box = (connection: Listed, scope: Scope.Scope, chosen: ReadonlyArray<string> | undefined): Html => {
  const isHeld = connection.heldScopes.includes(scope)
  const id = `scope-${scope}`
  return html`<div class="choice">
    <input
      type="checkbox"
      name="scopes"
      value="${scope}"
      id="${id}"
      ${flag("checked", chosen === undefined ? isHeld : chosen.includes(scope))}
    />
    <div>
      <label for="${id}">${Scope.describe[scope]}</label>
      ${!isHeld && html`<span class="badge quiet">Taken away</span>`}
      ${isHeld && !connection.scopes.includes(scope) && html`<span class="badge quiet">Not now</span>`}
    </div>
  </div>`
}

const KEEP = { value: "", text: "As it is now" }
const inDays = (days: number | "never") => ({
  value: String(days),
  text: days === "never" ? "No end date" : days === 1 ? "1 day from now" : `${days} days from now`
})

/** The form that takes permissions away, gives them back and moves the dates. */
export const permissions = (
  portal: string,
  connection: Listed,
  token: string,
  again: { readonly form: Fields.Shown; readonly scopes: ReadonlyArray<string> } | undefined
): Html => {
  const { agreedScopes, grantExpiresAt, sensitiveExpiresAt } = connection
  const form = again?.form ?? Fields.fresh()
  const standard = agreedScopes.filter((scope) => !Scope.isSensitive(scope))
  const sensitive = agreedScopes.filter(Scope.isSensitive)
  const boxes = (scopes: ReadonlyArray<Scope.Scope>) =>
    html`<div class="choices">${scopes.map((scope) => box(connection, scope, again?.scopes))}</div>`
  return html`<form method="post" action="${path(portal, connection, "permissions")}">
    ${Fields.hidden("form_token", token)}
    <fieldset id="scopes">
      <legend>About the places you share</legend>
      ${Fields.groupFault(form, "scopes", LABELS.scopes)}
      ${standard.length === 0 ? html`<p class="soft">Nothing.</p>` : boxes(standard)}
    </fieldset>
    ${
      sensitive.length > 0 &&
      html`<fieldset class="sensitive">
        <legend>Your exact location</legend>
        ${boxes(sensitive)}
      </fieldset>`
    }
    <p class="hint">You agreed to these when the app asked. For anything else the app must ask you again.</p>
    <div class="pair">
      ${Fields.select(
        form,
        {
          name: "standard_days",
          label: "The connection ends",
          hint: grantExpiresAt === null ? html`Now: no end date` : html`Now: ${time(grantExpiresAt)}`
        },
        [KEEP, ...Tier.StandardDays.literals.map(inDays)]
      )}
      ${
        sensitive.length > 0 &&
        Fields.select(
          form,
          {
            name: "sensitive_days",
            label: "Exact location ends",
            hint: sensitiveExpiresAt === null ? html`Now: not shared` : html`Now: ${time(sensitiveExpiresAt)}`
          },
          [KEEP, ...Tier.SensitiveDays.literals.map(inDays)]
        )
      }
    </div>
    <button class="second">Save changes</button>
  </form>`
}

/** Pause all and Resume all, above the list of connected apps. */
export const all = (portal: string, live: ReadonlyArray<Listed>, token: string): Html => {
  const paused = live.filter(({ pause }) => pause !== null).length
  if (live.length === 0) return nothing
  return html`<div class="steer all">
    ${
      paused < live.length &&
      html`<form method="post" action="${portal}/connections/pause">
        ${Fields.hidden("form_token", token)}${pauseButtons(
          "Pause all apps",
          "No app learns anything about where you are or were. A longer pause of one app stays."
        )}
      </form>`
    }
    ${
      paused > 0 &&
      html`<form method="post" action="${portal}/connections/resume">
        ${Fields.hidden("form_token", token)}<button>Resume all</button>
      </form>`
    }
  </div>`
}
