import type { Device } from "@place-access/domain/devices"
import * as Fields from "../kit/Fields.js"
import { flag, Html, html } from "../kit/Html.js"

/** The apps for phones, in the order in which the page offers them. */
export const APPS: Readonly<Record<Device.PhoneFormat, { readonly name: string; readonly description: string }>> = {
  overland: {
    name: "Overland",
    description: "Also reports when you arrive and leave, which makes visits exact."
  },
  owntracks: {
    name: "OwnTracks",
    description: "Watches your places, sends when you move, and uses little battery."
  },
  traccar: {
    name: "Traccar Client",
    description: "Sends as you move, and every ten minutes when you don't."
  },
  osmand: {
    name: "OsmAnd",
    description: "A map. It sends only while you record a trip."
  },
  gpslogger: {
    name: "GPSLogger",
    description: "For people who like to adjust every detail."
  },
  browser: {
    name: "This browser",
    description: "Sends while its page is open."
  },
  json: {
    name: "Your own program",
    description: "Sends JSON, as the API describes it."
  }
}

/** What somebody has in the hand. It decides which apps the page offers. */
export type PhoneKind = "iphone" | "android" | "other"

/** The kinds, each with its apps; the first app of a kind is the one that suits most people. */
const KINDS: Readonly<
  Record<PhoneKind, { readonly name: string; readonly formats: ReadonlyArray<Device.PhoneFormat> }>
> = {
  iphone: { name: "iPhone", formats: ["overland", "owntracks", "traccar"] },
  android: { name: "Android phone", formats: ["owntracks", "traccar", "gpslogger", "osmand"] },
  other: { name: "Something else", formats: ["json"] }
}

const isKind = (text: string): text is PhoneKind => Object.hasOwn(KINDS, text)

/** The chosen kind, or else the kind of the phone on which the page is open; null when neither is known. */
export const kindOf = (chosen: string, userAgent: string | undefined): PhoneKind | null => {
  if (isKind(chosen)) return chosen
  if (/\biPhone\b/.test(userAgent ?? "")) return "iphone"
  return /\bAndroid\b/.test(userAgent ?? "") ? "android" : null
}

/** The question which phone it is: links, so that the next page asks for apps of that phone only. */
export const kindChoice = (page: string, share: string, chosen: PhoneKind | null): Html =>
  html`<p id="kind">Which phone do you have?</p>
    <p class="actions" role="group" aria-labelledby="kind">
      ${Object.entries(KINDS).map(
        ([kind, { name }]) =>
          html`<a
            class="button${kind !== chosen && " second"}"
            href="${page}?phone=${kind}#new"
            ${kind === chosen && new Html('aria-current="true"')}
            >${name}</a
          >`
      )}
      <a class="button second" href="${share}">Only this browser</a>
    </p>`

export const FORMAT_LABEL = "The app on it"

/** The apps of one kind of phone. The first is chosen already. */
export const appChoice = (form: Fields.Shown, kind: PhoneKind): Html => {
  const { formats } = KINDS[kind]
  const chosen = form.values("format")
  return html`<fieldset id="format">
    <legend>${FORMAT_LABEL}</legend>
    ${kind !== "other" && html`<p class="hint">All of them are free. The first suits most people.</p>`}
    ${Fields.groupFault(form, "format", FORMAT_LABEL)}
    <div class="choices">
      ${formats.map((format, index) => appBox(format, chosen === "" ? index === 0 : chosen === format))}
    </div>
  </fieldset>`
}

const appBox = (format: Device.PhoneFormat, isChosen: boolean): Html => {
  const id = `format-${format}`
  return html`<div class="choice">
    <input
      type="radio"
      name="format"
      value="${format}"
      id="${id}"
      aria-describedby="${id}-hint"
      required
      ${flag("checked", isChosen)}
    />
    <div>
      <label for="${id}">${APPS[format].name}</label>
      <p class="hint" id="${id}-hint">${APPS[format].description}</p>
    </div>
  </div>`
}
