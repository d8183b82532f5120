import { type Html, html } from "../kit/Html.js"

/** What a page says after a form of it was acted upon: named in the address, so that only these texts can be shown. */
const NOTICES: Readonly<Record<string, string>> = {
  "place-created": "The place was made. No app sees it until you share it.",
  "place-changed": "The place was changed.",
  "place-archived": "The place was archived. Apps do not get it any more.",
  "import-started": "The file is uploaded. It is read in the background: you may close this page.",
  "import-removed": "The import was removed. What it had stored stays in your history.",
  "device-removed": "The device was removed. What it sent before stays.",
  "device-changed": "Saved. The change counts from the device's next reading on.",
  "history-chosen": "Saved. It counts from now on.",
  disconnected: "The app was disconnected.",
  shared: "The places that the app may ask about were changed.",
  "rule-removed": "The rule was removed.",
  "app-created": "The app was made. It is in the sandbox: only you can connect it.",
  "app-changed": "The app was changed.",
  "purpose-created": "The purpose was made. Your app can use it while it is in the sandbox.",
  "purpose-changed": "The purpose was changed.",
  "purpose-submitted": "The purpose is in review. You get a mail when it is decided.",
  "purpose-edited":
    "The new wording is in review. The approved wording goes on working until it is decided; you get a mail then.",
  "purpose-archived": "The purpose was archived. Calls that name it are refused from now on.",
  "app-submitted": "The app is in review. You get a mail when it is decided.",
  "change-withdrawn": "The changes were withdrawn. What is in force stays.",
  "review-approve": "Approved. The developer gets a mail.",
  "review-reject": "Rejected. The developer gets a mail with your note.",
  "app-narrowed": "The scopes that the app is left were saved. Its live tokens follow at once.",
  "app-revoked": "The app was revoked.",
  "endpoint-changed": "The endpoint was changed.",
  redelivered: "The event is queued again. This is its new row.",
  retried: "The next attempt is due now.",
  "endpoint-removed": "The endpoint was removed. Deliveries that waited for it have failed."
}

export type Notice = keyof typeof NOTICES

export const notice = (code: string): Html | null => {
  const text = Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
  return text === undefined ? null : html`<div class="note" role="status"><p>${text}</p></div>`
}
