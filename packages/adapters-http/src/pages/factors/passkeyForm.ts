import { Entropy } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Fields from "../kit/Fields.js"
import { type Html, html, nothing, type Text } from "../../html/Html.js"
import { forScript } from "../../languages/index.js"
import type { ScriptPolicy } from "../kit/Page.js"

/**
 * A form that a script fills with the response of a passkey. The script also shows the form; without JavaScript, and in
 * a browser that does not support passkeys, it stays hidden.
 */
interface PasskeyForm {
  readonly action: string
  readonly does: "create" | "get"
  /** The options that the script passes to the browser's function for passkeys. */
  readonly options: unknown
  readonly hidden: Readonly<Record<string, string>>
  /** Further fields that the person fills in. */
  readonly fields?: Html
  readonly button: Text
}

export const passkeyForm = ({ action, button, does, fields = nothing, hidden, options }: PasskeyForm): Html =>
  html`<form
    method="post"
    action="${action}"
    class="card"
    id="passkey"
    data-passkey="${does}"
    data-options="${JSON.stringify(options)}"
    hidden
  >
    ${Object.entries(hidden).map(([name, value]) => Fields.hidden(name, value))} ${Fields.hidden("passkey", "")}
    ${fields}
    <button class="wide">${button}</button>
    <p class="soft small" data-said role="status"></p>
  </form>`

/** A paragraph that the script hides when the browser supports passkeys. */
export const withoutPasskeys = (text: Text): Html => html`<p class="note" data-without-passkeys>${text}</p>`

/** The nonce and the texts with which the script of passkeys runs on a page. */
export const passkeyPolicy: Effect.Effect<ScriptPolicy, never, Entropy.Entropy> = Effect.map(
  Entropy.nonce,
  (nonce) => ({ nonce, texts: forScript(({ factors }) => factors.script) })
)
