import { type Html, html } from "../../html/Html.js"
import { DOCS } from "./frame.js"

/** What the reference says about a security scheme of the contract. */
interface SchemeWords {
  /** Who may call an operation with this scheme. */
  readonly caller: Html
  /** The option of curl that sends the credentials. The credentials are shell variables. */
  readonly credentials: string
}

export const APP_WITH_SECRET = html`An app, with its <a href="${DOCS}/authorization#tokens">id and secret</a>`

const PHONE = html`A phone, with its <a href="${DOCS}/authorization#phones">token</a>`

const PHONE_TOKEN = '-H "Authorization: Bearer $PHONE_TOKEN"'

const SCHEMES: Readonly<Record<string, SchemeWords>> = {
  accessToken: {
    caller: html`An app, with an <a href="${DOCS}/authorization#tokens">access token</a>`,
    credentials: '-H "Authorization: Bearer $TOKEN"'
  },
  clientSecret: { caller: APP_WITH_SECRET, credentials: '-u "$CLIENT_ID:$CLIENT_SECRET"' },
  session: {
    caller: html`Somebody who is <a href="${DOCS}/authorization#sessions">signed in</a>`,
    credentials: "-b cookies"
  },
  deviceToken: { caller: PHONE, credentials: PHONE_TOKEN },
  overlandToken: {
    caller: html`${PHONE} as bearer token, or in the address`,
    credentials: PHONE_TOKEN
  },
  devicePassword: { caller: html`${PHONE} as password of HTTP Basic`, credentials: '-u "phone:$PHONE_TOKEN"' },
  deviceId: {
    caller: html`${PHONE} as bearer token, as <code>id</code>, or in the body`,
    credentials: PHONE_TOKEN
  }
}

/**
 * Throws for a scheme that `SCHEMES` does not contain. Without the error, the reference would show an empty text, which
 * nobody would notice.
 */
export const schemeOf = (scheme: string): SchemeWords => {
  const words = SCHEMES[scheme]
  if (words === undefined) throw new Error(`the reference has no words for the security scheme ${scheme}`)
  return words
}
