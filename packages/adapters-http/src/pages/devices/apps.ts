import type { Device } from "@place-access/domain/devices"
import { Schema } from "effect"
import * as PhoneKind from "../../devices/PhoneKind.js"
import * as Fields from "../kit/Fields.js"
import { flag, Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"

const words = texts.devices

const isKind = Schema.is(PhoneKind.PhoneKind)

/**
 * The kind of phone that the person has chosen. Without a choice, the kind of the phone whose browser shows the page;
 * null when this kind is not known.
 */
export const kindOf = (chosen: string, userAgent: string | undefined): PhoneKind.PhoneKind | null => {
  if (isKind(chosen)) return chosen
  if (/\biPhone\b/.test(userAgent ?? "")) return "iphone"
  return /\bAndroid\b/.test(userAgent ?? "") ? "android" : null
}

/**
 * Asks which kind of phone the person has. Each answer is a link to this page with the apps for that kind only. A
 * further link leads to the page that shares the position of this browser.
 */
export const kindChoice = (page: string, share: string, chosen: PhoneKind.PhoneKind | null): Html =>
  html`<p id="kind">${words.add.which}</p>
    <p class="actions" role="group" aria-labelledby="kind">
      ${Object.entries(words.add.kinds).map(
        ([kind, name]) =>
          html`<a
            class="button${kind !== chosen && " second"}"
            href="${page}?phone=${kind}#new"
            ${kind === chosen && new Html('aria-current="true"')}
            >${name}</a
          >`
      )}
      <a class="button second" href="${share}">${words.add.onlyBrowser}</a>
    </p>`

/** The apps for one kind of phone, as radio buttons. When the page opens, the first app is chosen. */
export const appChoice = (form: Fields.Shown, kind: PhoneKind.PhoneKind): Html => {
  const formats = PhoneKind.formatsFor(kind)
  const chosen = form.values("format")
  return html`<fieldset id="format" ${Fields.describedByFaults(form, "format")}>
    <legend>${words.labels.format}</legend>
    ${kind !== "other" && html`<p class="hint">${words.add.appHint}</p>`}
    ${Fields.groupFault(form, "format", words.labels.format)}
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
      <label for="${id}">${words.apps[format].name}</label>
      <p class="hint" id="${id}-hint">${words.apps[format].description}</p>
    </div>
  </div>`
}
