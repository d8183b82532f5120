import { Event } from "@place-access/domain/events"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as EventCatalogue from "../../openapi/EventCatalogue.js"
import * as Fields from "../kit/Fields.js"

const words = texts.webhooks

/** A tick box for each event, with the meaning of the event and an example of its body. */
export const boxes = (form: Fields.Shown, ticked: ReadonlyArray<string>): Html =>
  html`<fieldset id="events" ${Fields.describedByFaults(form, "events")}>
    <legend>${words.labels.events}</legend>
    <p class="hint">${words.hints.events}</p>
    ${Fields.groupFault(form, "events", words.labels.events)}
    <div class="choices">
      ${Event.SUBSCRIBABLE.map(
        (name) =>
          html`<div class="choice">
            ${Fields.tick({ name: "events", value: name, id: `event-${name}`, isTicked: ticked.includes(name) })}
            <div>
              <label for="event-${name}"><code>${name}</code></label
              ><span class="soft small">${words.eventWords[name]}</span> ${sample(name)}
            </div>
          </div>`
      )}
    </div>
  </fieldset>`

/** The event's first example in the catalogue. The same function makes this example and the bodies of real events. */
const sample = (name: Event.Subscribable): Html | false => {
  const entry = EventCatalogue.ENTRIES.find((one) => one.name === name)
  const body = entry?.examples[0]?.body
  return (
    body !== undefined &&
    html`<details>
      <summary class="small">${words.sampleOf(name)}</summary>
      <code class="secret">${JSON.stringify(JSON.parse(body), null, 2)}</code>
      ${
        (entry?.examples.length ?? 0) > 1 &&
        html`<p class="soft small">${words.sampleTypes(entry?.examples.map(({ type }) => type).join(", ") ?? "")}</p>`
      }
    </details>`
  )
}
