import { DeviceStatus } from "@place-access/domain/devices"
import type { Timestamp } from "@place-access/domain/shared"
import type { OwnPhone } from "@place-access/domain/timeline"
import * as DeviceSetup from "../../devices/DeviceSetup.js"
import { troubleWords } from "../../devices/TroubleWords.js"
import { forReader, type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ago, time } from "../kit/Time.js"
import { SILENCE_BADGES } from "../../devices/SilenceBadge.js"

const words = texts.devices

/**
 * Half of the earth's circumference, in metres. When the accuracy of a location is this number or more, the phone can
 * be anywhere.
 */
const ANYWHERE_M = 20_037_508

/**
 * The accuracy of a location in whole metres. Null when the accuracy is not known: some phone apps then send a huge
 * number.
 */
export const wholeMetres = (accuracyM: number | null): number | null =>
  accuracyM === null || accuracyM >= ANYWHERE_M ? null : Math.ceil(accuracyM)

const received = (accuracyM: number | null): Html => {
  const metres = wholeMetres(accuracyM)
  return metres === null ? words.arrival.received : words.arrival.receivedWithin(metres)
}

/**
 * A box that says whether the phone's first location has arrived. The page's script polls the device's own page for at
 * most half an hour, and replaces this box by the box of that page, until a location has arrived. Without the script, a
 * link in the box loads the device's page.
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
        ? html`<p><strong>${words.arrival.waiting}</strong></p>
            <p class="soft" data-without-script>
              ${words.arrival.waitingText} <a href="${page}">${words.arrival.lookAgain}</a>
            </p>`
        : status.state === "put_aside"
          ? html`<p><strong>${words.quarantine[status.reason].status}.</strong></p>
              <p>${words.quarantine[status.reason].explanation} <a href="${page}">${words.arrival.lookAgain}</a></p>`
          : html`<p>
              <strong>${received(accuracyM)}</strong>
              ${device.lastSeenAt !== null && words.arrival.last(ago(device.lastSeenAt, now))}
            </p>`
    }
  </div>`
}

/**
 * The phone's state as a badge. Amber: nothing of the last upload was usable. Otherwise amber when nothing was sent yet
 * or when the phone has been silent for an hour, and red when the phone has been silent for a day.
 */
export const badge = ({ device, silence }: OwnPhone): Html => {
  const status = DeviceStatus.of(device)
  return status.state === "put_aside"
    ? html`<span class="badge warn">${words.quarantine[status.reason].status}</span>`
    : html`<span class="badge ${SILENCE_BADGES[silence]}">${words.states[silence]}</span>`
}

/**
 * When the phone last sent something. The text begins with how long ago this was, because owners want to know that
 * first.
 */
export const lastSeen = ({ device: { lastSeenAt } }: OwnPhone, now: Timestamp.Timestamp): Html =>
  lastSeenAt === null ? words.card.never : words.card.seen(ago(lastSeenAt, now), time(lastSeenAt))

/** What may be wrong with the phone, and what the owner should check. */
export const troubles = ({ device, troubles: all }: OwnPhone, baseUrl: string): ReadonlyArray<Html> => {
  const { address } = DeviceSetup.make(device, { token: "", baseUrl })
  return all.map((trouble) =>
    forReader(({ language }) => {
      const { checks, title } = troubleWords(trouble, device.format, address, language)
      return html`<div class="note warn">
        <h3>${title}</h3>
        <ol>
          ${checks.map((check) => html`<li>${check}</li>`)}
        </ol>
      </div>`
    })
  )
}
