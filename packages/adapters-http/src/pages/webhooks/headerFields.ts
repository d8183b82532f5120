import { EndpointHeader, type HeaderChanges } from "@place-access/domain/endpoints"
import { Either, Schema } from "effect"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"

/**
 * The part of an endpoint's form for headers that the developer adds to its webhooks. The part has fields that add or
 * replace a header, and one tick box for each header, which removes that header.
 */

const words = texts.webhooks.headers

const NAME = "header_name"
const VALUE = "header_value"
const REMOVED = "remove_header"

export const LABELS = { [NAME]: words.name, [VALUE]: words.value, headers: words.heading }

const Added = Schema.Struct({ [NAME]: EndpointHeader.HeaderName, [VALUE]: EndpointHeader.HeaderValue })

/** The names of the headers that the person ticked for removal. */
export const removed = (form: Form.Form): ReadonlyArray<string> => form.all(REMOVED)

/** The changes of headers that the form asks for, or the problems of its fields. */
export const changes = (form: Form.Form): Either.Either<HeaderChanges, ReadonlyArray<FieldProblem>> => {
  const written = new Map<EndpointHeader.HeaderName, EndpointHeader.HeaderValue | null>()
  for (const name of removed(form)) {
    const known = Schema.decodeUnknownOption(EndpointHeader.HeaderName)(name)
    if (known._tag === "Some") written.set(known.value, null)
  }
  const [name, value] = [form.value(NAME).trim(), form.value(VALUE).trim()]
  if (name === "" && value === "") return Either.right(written)
  return Either.map(Form.decode(Added, { [NAME]: name, [VALUE]: value }), (added) =>
    written.set(added[NAME], added[VALUE])
  )
}

/**
 * The fields for the headers of an endpoint. `present`: the headers that the endpoint has; the page never shows their
 * values. `ticked`: the headers whose box is ticked.
 */
export const fields = (
  form: Fields.Shown,
  present: ReadonlyArray<EndpointHeader.EndpointHeader>,
  ticked: ReadonlyArray<string>
): Html =>
  html`<fieldset id="headers" ${Fields.describedByFaults(form, "headers")}>
    <legend>${words.heading}</legend>
    <p class="hint">${words.hint(EndpointHeader.MAX)}</p>
    ${Fields.groupFault(form, "headers", words.heading)}
    ${
      present.length > 0 &&
      html`<p class="hint">${words.moved}</p>
        <div class="choices">
          ${present.map(
            ({ name }) =>
              html`<div class="choice">
                ${Fields.tick({ name: REMOVED, value: name, id: `remove-${name}`, isTicked: ticked.includes(name) })}
                <label for="remove-${name}">${words.remove(html`<code>${name}</code>`)}</label>
              </div>`
          )}
        </div>`
    }
    <div class="pair">
      ${Fields.input(form, { name: NAME, label: words.name, required: false, maxlength: 64 })}
      ${Fields.input(form, {
        name: VALUE,
        label: words.value,
        // A password field, because the value is secret: the browser hides it, and a form with a mistake does not
        // repeat it.
        type: "password",
        required: false,
        maxlength: EndpointHeader.VALUE_MAX,
        autocomplete: "off"
      })}
    </div>
  </fieldset>`
