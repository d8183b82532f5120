import { NotFound } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type Html, html, type Text, type Value } from "../../html/Html.js"
import * as Fields from "./Fields.js"

interface RemovalForm {
  readonly action: string
  readonly token: string
  /** The id of the element that names the thing, for people who hear the page. */
  readonly named: string
  /** The text of the button, and of the line that unfolds the form. */
  readonly button: Text
  /** What removing the thing does. */
  readonly consequence: Value
}

/**
 * The form that removes one thing of a list. The form is folded away, so that a person must click twice to remove a
 * thing.
 */
export const form = ({ action, button, consequence, named, token }: RemovalForm): Html =>
  html`<details>
    <summary aria-describedby="${named}">${button}</summary>
    <div>
      <p>${consequence}</p>
      <form method="post" action="${action}">
        ${Fields.hidden("form_token", token)}<button class="danger" aria-describedby="${named}">${button}</button>
      </form>
    </div>
  </details>`

/**
 * Removes something, such as a place; `what` is its name in errors. When a person presses the button twice, the browser
 * shows the answer to the second request, which finds nothing to remove. The thing is removed, as the person wanted, so
 * the second request does not fail.
 */
export const once = <A, E, R>(what: string, remove: Effect.Effect<A, E | NotFound, R>) =>
  Effect.catchIf(Effect.asVoid(remove), isGone(what), () => Effect.void)

/**
 * Whether the error says that the thing named `what` does not exist. If instead the app or connection that contains the
 * thing does not exist for this person, the answer must stay 404.
 */
const isGone =
  (what: string) =>
  (error: unknown): boolean =>
    error instanceof NotFound && error.what === what
