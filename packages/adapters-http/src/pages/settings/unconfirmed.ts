import type { Account } from "@place-access/domain/accounts"
import { Effect } from "effect"
import { html, type Html } from "../../html/Html.js"
import { HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"

/**
 * Whether the person gets mail. To an address that nobody has confirmed, the worker sends only mails about the address
 * itself, such as the mail with the link that confirms it (`sendMail`). On a service that confirms no addresses, such
 * an address counts as confirmed for everything except mail. Pages must not promise a mail to a person who gets none.
 * Decision accounts-11.
 */
export const getsMail = ({ confirmedAt }: Pick<Account.Account, "confirmedAt">): boolean => confirmedAt !== null

/**
 * The note on a page about mails, for a person who gets none. Where addresses must be confirmed, the note links to the
 * page on which the person can confirm the address. Elsewhere the note says that the service sends no mail.
 */
export const noMail = (portal: string): Effect.Effect<Html, never, HttpOptions> =>
  Effect.map(
    HttpOptions,
    (options) =>
      html`<div class="note warn">
        <p>
          ${
            options.addressRule === "confirmed"
              ? texts.settings.noMail(`${portal}/settings/email`)
              : texts.settings.serviceSendsNone
          }
        </p>
      </div>`
  )
