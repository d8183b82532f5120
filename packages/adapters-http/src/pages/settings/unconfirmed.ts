import { Account } from "@place-access/domain/accounts"
import { Effect } from "effect"
import { html, type Html } from "../../html/Html.js"
import { addressRule, HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import type * as Visitor from "../kit/Visitor.js"

/**
 * Whether the person gets mail. The worker sends none to an address that nobody has confirmed (decision accounts-11),
 * so pages must not promise a mail to this person.
 */
export const getsMail = ({ account }: Pick<Visitor.Visitor, "account">): Effect.Effect<boolean, never, HttpOptions> =>
  Effect.map(HttpOptions, (options) => Account.countsAsConfirmed(account, addressRule(options)))

/** The note on a page about mails, for a person who gets none. */
export const noMail = (portal: string): Html =>
  html`<div class="note warn">
    <p>${texts.settings.noMail(`${portal}/settings/email`)}</p>
  </div>`
