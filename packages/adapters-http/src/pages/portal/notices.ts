import { PasswordStrength } from "@place-access/domain/accounts"
import { type Html, html } from "../kit/Html.js"

/**
 * The confirmations of a page after one of its forms was posted. The address carries only a name, so that nobody can
 * make the page show other texts.
 */
const NOTICES: Readonly<Record<string, string>> = {
  "place-created": "The place was created. No app sees it until you share it.",
  "place-changed": "The place was changed.",
  "place-archived": "The place was archived. Apps no longer see it.",
  "import-started": "The file is uploaded. We read it in the background: you can close this page.",
  "import-removed": "The import was removed. Your history keeps what it had stored.",
  "export-requested": "We make your archive now. You get an e-mail when it is ready.",
  "export-deleted": "The archive was deleted. Your data stays as it is.",
  "device-removed": "The device was removed. Your history keeps what it sent.",
  "device-changed": "Saved. The change takes effect with the device's next reading.",
  "password-weak": `Your password was changed. ${PasswordStrength.words.weak}`,
  "password-fair": `Your password was changed. ${PasswordStrength.words.fair}`,
  "password-strong": `Your password was changed. ${PasswordStrength.words.strong}`,
  "address-asked":
    "We mailed a link to the new address. Open it in this browser within 24 hours; until then nothing changes.",
  "address-mailed": "We mailed you a link. Open it in this browser within 24 hours.",
  "address-confirmed": "Your address is confirmed.",
  "passkey-added": "The passkey was added. We told you by mail.",
  "passkey-removed": "The passkey was removed. It signs nobody in any more.",
  "code-app-added": "One-time codes are on. Your recovery codes stay as they were.",
  "code-app-removed": "The app was removed. You can delete it from your phone.",
  "factor-kept": "Your second factor stays. Those who run this service cannot remove it now.",
  "session-ended": "The browser was signed out.",
  "sessions-ended": "Every other browser was signed out.",
  "zone-chosen": "Saved. Pages show times in this zone from now on.",
  "stretch-deleted": "Deleted for good. What apps learned before stays with them.",
  "notices-chosen": "Saved. We mail you what you ticked, and what is about the safety of your account.",
  "history-chosen": "Saved. It takes effect now.",
  disconnected: "The app was disconnected.",
  shared: "The places that the app may ask about were changed.",
  paused: "The app is paused. It learns nothing until the pause ends.",
  resumed: "The app can ask again. Its rules begin anew.",
  "all-paused": "Every app is paused. None of them learns anything until its pause ends.",
  "all-resumed": "Every app can ask again. Their rules begin anew.",
  "exact-location-ended": "The app no longer gets your exact location.",
  "permissions-changed": "Saved. The change takes effect now.",
  "rule-removed": "The rule was removed.",
  "app-created": "The app was created. It is in the sandbox: only you can connect it.",
  "app-changed": "The app was changed.",
  "purpose-created": "The purpose was created. Your app can use it while it is in the sandbox.",
  "purpose-changed": "The purpose was changed.",
  "purpose-submitted": "The purpose is in review. You get an e-mail with the decision.",
  "purpose-edited":
    "The new wording is in review. The approved wording stays in force until the decision; you get an e-mail then.",
  "purpose-archived": "The purpose was archived. Calls that name it are refused from now on.",
  "app-submitted": "The app is in review. You get an e-mail with the decision.",
  "change-withdrawn": "The changes were withdrawn. The approved version stays in force.",
  "review-approve": "Approved. The developer gets an e-mail.",
  "review-reject": "Rejected. The developer gets an e-mail with your note.",
  "role-given": "The role was given. It works at once; the account gets an e-mail.",
  "role-taken": "The role was taken. The account gets an e-mail.",
  "account-signed-out": "The account was signed out everywhere.",
  "account-suspended": "The account is suspended. Its owner gets an e-mail.",
  "account-resumed": "The account works again. Its owner gets an e-mail.",
  "app-narrowed": "The allowed scopes were saved. They apply to live tokens at once.",
  "app-revoked": "The app was revoked.",
  "endpoint-changed": "The endpoint was changed.",
  "secrets-ended": "The earlier secrets have ended. The newest one works.",
  redelivered: "The event is queued again. This is its new delivery.",
  retried: "The next attempt is due now.",
  "endpoint-removed": "The endpoint was removed. Deliveries that waited for it have failed."
}

export type Notice = keyof typeof NOTICES

export const notice = (code: string): Html | null => {
  const text = Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
  return text === undefined ? null : html`<div class="note" role="status"><p>${text}</p></div>`
}
