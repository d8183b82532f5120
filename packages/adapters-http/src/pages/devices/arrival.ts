import { DeviceStatus } from "@place-access/domain/devices"
import type { Timestamp } from "@place-access/domain/shared"
import type { OwnPhone } from "@place-access/domain/timeline"
import * as DeviceSetup from "../../devices/DeviceSetup.js"
import { quarantineWords } from "../../devices/QuarantineWords.js"
import { troubleWords } from "../../devices/TroubleWords.js"
import { type Html, html } from "../kit/Html.js"
import { ago, time } from "../kit/Time.js"

/**
 * Whether the phone's first location has arrived. The script of the page asks the device's own page again and again,
 * and shows its box in place of this one, until the box says that a location arrived. Without the script the link
 * does the same.
 */
export const arrival = (page: string, phone: OwnPhone, now: Timestamp.Timestamp): Html => {
  const { accuracyM, device } = phone
  const status = DeviceStatus.of(device)
  return html`<div
    class="arrival note${status.state === "put_aside" && " warn"}"
    id="arrival"
    role="status"
    data-page="${page}"
    data-state="${status.state}"
  >
    ${
      status.state === "nothing_sent"
        ? html`<p><strong>Waiting for the first location…</strong></p>
            <p class="soft" data-without-script>
              This takes a minute or two after you have allowed the location. <a href="${page}">Look again</a>
            </p>`
        : status.state === "put_aside"
          ? html`<p><strong>${quarantineWords[status.reason].status}.</strong></p>
              <p>${quarantineWords[status.reason].explanation} <a href="${page}">Look again</a></p>`
          : html`<p>
              <strong>Received${accuracyM !== null && `, ±${Math.ceil(accuracyM)} m`}.</strong>
              ${device.lastSeenAt !== null && html`The last location came ${ago(device.lastSeenAt, now)}.`}
            </p>`
    }
  </div>`
}

const BADGES: Readonly<Record<OwnPhone["silence"], readonly [kind: string, text: string]>> = {
  fresh: ["", "Sending"],
  late: ["warn", "Late"],
  silent: ["bad", "Silent"],
  never: ["warn", "Sent nothing yet"]
}

/** The phone's state in two words: amber after an hour of silence, red after a day. */
export const badge = ({ device, silence }: OwnPhone): Html => {
  const status = DeviceStatus.of(device)
  const [kind, text] =
    status.state === "put_aside" ? (["warn", quarantineWords[status.reason].status] as const) : BADGES[silence]
  return html`<span class="badge ${kind}">${text}</span>`
}

/** When it was heard last: how long ago first, because that is the question. */
export const lastSeen = ({ device: { lastSeenAt } }: OwnPhone, now: Timestamp.Timestamp): Html =>
  lastSeenAt === null ? html`Never` : html`${ago(lastSeenAt, now)} (${time(lastSeenAt)})`

/** What may be wrong, with what to look at. */
export const troubles = ({ device, troubles: all }: OwnPhone, baseUrl: string): ReadonlyArray<Html> => {
  const { address } = DeviceSetup.make(device, { token: "", baseUrl })
  return all.map((trouble) => {
    const { checks, title } = troubleWords(trouble, device.format, address)
    return html`<div class="note warn">
      <h3>${title}</h3>
      <ol>
        ${checks.map((check) => html`<li>${check}</li>`)}
      </ol>
    </div>`
  })
}
